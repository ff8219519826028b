import type { Endpoint, Registry } from '../src/contract/endpoints.ts'
import type { JsonSchema } from '../src/contract/schema-type.ts'
import { componentName } from '../src/documents/openapi-schemas.ts'

/** Names in the client of schemas whose own names mean something else there, or say less. */
const CLIENT_NAMES: { readonly [schema: string]: string } = {
  DiscoveryIndex: 'EndpointIndex',
  SigningKeys: 'SigningKeyDocument',
  VersionSnapshot: 'VersionEntry',
  VersionHistory: 'VersionIndex',
  // The items of the index; an entry of the history is the whole version.
  VersionEntry: 'VersionSummary',
  // The client's own RateLimit is the quota of a response.
  RateLimit: 'RateLimitRule',
}

const LINE_CHARACTERS = 110

interface Schemas {
  readonly [name: string]: JsonSchema
}

/** The tables that the types follow from. */
export interface ClientTypeTables {
  readonly registry: Registry
  readonly dataSchemas: Schemas
  readonly requestSchemas: Schemas
}

function schemaNamed(schemas: Schemas, name: string): JsonSchema {
  const schema = schemas[name]
  if (schema === undefined) throw new Error(`There is no schema ${name}`)
  return schema
}

/** A doc comment with its text in lines. */
function docComment(indent: string, paragraphs: readonly string[]): string {
  const width = LINE_CHARACTERS - indent.length
  const lines = paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : ['']),
    ...wrapped(paragraph.replaceAll('*/', '*\\/'), width),
  ])
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  const middle = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`)
  return `${indent}/**\n${middle.join('')}${indent} */\n`
}

function wrapped(paragraph: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + word.length >= width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** The name of a schema in TypeScript. */
function nameOf(schema: string): string {
  return CLIENT_NAMES[schema] ?? componentName(schema)
}

/** Writes schemas as TypeScript. A titled object becomes its own interface, passed to `add`. */
function typeText(
  schema: JsonSchema,
  indent: string,
  add: (name: string, schema: JsonSchema) => void,
): string {
  const text = valueTypeText(schema, indent, add)
  return schema.nullable === true ? `${text} | null` : text
}

function valueTypeText(
  schema: JsonSchema,
  indent: string,
  add: (name: string, schema: JsonSchema) => void,
): string {
  const { type, title, enum: values, items, properties, additionalProperties } = schema
  if (values !== undefined) {
    return values
      .filter((value) => value !== null)
      .map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)))
      .join(' | ')
  }
  if (type === 'array' && items !== undefined) {
    const text = typeText(items, indent, add)
    return `readonly ${text.includes(' ') ? `(${text})` : text}[]`
  }
  if (type === 'object') {
    if (properties !== undefined) {
      if (title === undefined) return membersText(schema, indent, add)
      add(nameOf(title), schema)
      return nameOf(title)
    }
    const value =
      typeof additionalProperties === 'object'
        ? typeText(additionalProperties, indent, add)
        : 'unknown'
    return `{ readonly [name: string]: ${value} }`
  }
  return type === 'integer' ? 'number' : (type ?? 'unknown')
}

function membersText(
  { properties = {}, required = [] }: JsonSchema,
  indent: string,
  add: (name: string, schema: JsonSchema) => void,
): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, member]) => {
    const { description } = member
    if (description === undefined) throw new Error(`The field ${name} has no description`)
    const mark = required.includes(name) ? '' : '?'
    const key = /^[a-zA-Z]\w*$/.test(name) ? name : `'${name}'`
    return `${docComment(inner, [description])}${inner}readonly ${key}${mark}: ${typeText(member, inner, add)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

function calls(rows: readonly Endpoint[]): string {
  return rows.map(({ method, path }) => `\`${method} ${path}\``).join(' and ')
}

/** Every interface of the data and request bodies, by name. */
function interfaces({ registry, dataSchemas, requestSchemas }: ClientTypeTables): string {
  const texts = new Map<string, string>()
  const add = (name: string, schema: JsonSchema, intro = ''): void => {
    const doc = docComment('', [intro + (schema.description ?? '')])
    const nested: (readonly [string, JsonSchema])[] = []
    const members = membersText(schema, '', (inner, each) => void nested.push([inner, each]))
    const text = `${doc}export interface ${name} ${members}\n`
    const known = texts.get(name)
    if (known !== undefined && known !== text) throw new Error(`Two interfaces are named ${name}`)
    texts.set(name, text)
    for (const [inner, each] of nested) add(inner, each)
  }
  const rows = Object.values(registry)
  for (const name of new Set(rows.flatMap(({ success }) => success?.data ?? []))) {
    const sources = rows.filter(({ success }) => success?.data === name)
    add(nameOf(name), schemaNamed(dataSchemas, name), `Data of ${calls(sources)}. `)
  }
  for (const name of new Set(rows.flatMap(({ request }) => request ?? []))) {
    const sources = rows.filter(({ request }) => request === name)
    add(nameOf(name), schemaNamed(requestSchemas, name), `Body of ${calls(sources)}. `)
  }
  return [...texts.values()].join('\n')
}

function dataTypeOf({ success }: Endpoint): string {
  return success === undefined ? 'never' : nameOf(success.data)
}

function methodText([name, row]: readonly [string, Endpoint]): string {
  const { parameter, summary, description, stability, deprecation } = row
  const value = parameter === undefined ? '' : `value${parameter.mayBeEmpty ? '?' : ''}: string, `
  const example = parameter === undefined ? '' : `'${parameter.example}'`
  const doc = docComment('  ', [
    `${summary}: ${calls([row])}.${stability === 'stable' ? '' : ` Stability: ${stability}.`}`,
    description,
    ...(parameter === undefined ? [] : [`@param value ${parameter.description}`]),
    ...(deprecation === undefined
      ? []
      : [`@deprecated Available until ${deprecation.sunsetAt}. Use ${deprecation.successor}.`]),
    ...(row.success === undefined
      ? []
      : [`@example const { data } = await client.${name}(${example})`]),
  ])
  return `${doc}  readonly ${name}: (${value}options?: ReadOptions) => Promise<Verified<${dataTypeOf(row)}>>\n`
}

/** The module of the client with the types of all data and the methods that read them, documented from the tables. */
export function createClientTypes(tables: ClientTypeTables): string {
  const reads = Object.entries(tables.registry).filter(([, { method }]) => method === 'GET')
  const data = reads.map(
    ([name, row]) =>
      `${docComment('  ', [`Data of ${calls([row])}.`])}  readonly ${name}: ${dataTypeOf(row)}\n`,
  )
  return `// Written by \`npm run generate\` from the registry and the schemas of src/contract.

import type { ReadOptions, Verified } from './reads.ts'

${interfaces(tables)}
/** Type of the data of each read endpoint, by its name in the registry. */
export interface DataByRead {
${data.join('')}}

/** One method for each read endpoint, by its name in the registry. */
export interface Reads {
${reads.map(methodText).join('')}}
`
}
