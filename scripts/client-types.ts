import { wrapText } from '@public-api/cli-kit/wrap-text'
import type { Endpoint } from '@public-api/contract/registry/endpoints'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import {
  clientNameOf,
  clientObjects,
  formatRequests,
  readsOf,
  type ClientTypeTables,
} from './client-schemas.ts'

const LINE_CHARACTERS = 110

/** A doc comment with its text in lines. */
function docComment(indent: string, paragraphs: readonly string[]): string {
  const width = LINE_CHARACTERS - indent.length
  const lines = paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : ['']),
    ...wrapText(paragraph.replaceAll('*/', '*\\/'), width),
  ])
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  const middle = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`)
  return `${indent}/**\n${middle.join('')}${indent} */\n`
}

/** A schema as TypeScript. A titled object is an interface of its own. */
function typeText(schema: JsonSchema, indent: string): string {
  const text = valueTypeText(schema, indent)
  return schema.nullable === true ? `${text} | null` : text
}

function valueTypeText(schema: JsonSchema, indent: string): string {
  const { type, title, enum: values, items, properties, additionalProperties } = schema
  if (values !== undefined) {
    return values
      .filter((value) => value !== null)
      .map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)))
      .join(' | ')
  }
  if (type === 'array' && items !== undefined) {
    const text = typeText(items, indent)
    return `readonly ${text.includes(' ') ? `(${text})` : text}[]`
  }
  if (type === 'object') {
    if (properties !== undefined) {
      return title === undefined ? membersText(schema, indent) : clientNameOf(title)
    }
    const value =
      typeof additionalProperties === 'object' ? typeText(additionalProperties, indent) : 'unknown'
    return `{ readonly [name: string]: ${value} }`
  }
  return type === 'integer' ? 'number' : (type ?? 'unknown')
}

function membersText({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, member]) => {
    const { description } = member
    if (description === undefined) throw new Error(`The field ${name} has no description`)
    const mark = required.includes(name) ? '' : '?'
    const key = /^[a-zA-Z]\w*$/.test(name) ? name : `'${name}'`
    return `${docComment(inner, [description])}${inner}readonly ${key}${mark}: ${typeText(member, inner)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

/** Every interface of the data and request bodies. */
function interfaces(tables: ClientTypeTables): string {
  return clientObjects(tables, { withRequests: true, namesAll: false })
    .map(
      ({ name, doc, schema }) =>
        `${docComment('', [doc])}export interface ${name} ${membersText(schema, '')}\n`,
    )
    .join('\n')
}

function dataTypeOf({ success }: Endpoint): string {
  return success === undefined ? 'never' : clientNameOf(success.data)
}

function methodText([name, row]: readonly [string, Endpoint]): string {
  const { parameter, summary, description, stability, deprecation } = row
  const value = parameter === undefined ? '' : `value${parameter.mayBeEmpty ? '?' : ''}: string, `
  const doc = docComment('  ', [
    `${summary}: ${formatRequests([row])}.${stability === 'stable' ? '' : ` Stability: ${stability}.`}`,
    description,
    ...(parameter === undefined
      ? []
      : [`@param value ${parameter.description} Example: \`${parameter.example}\`.`]),
    ...(deprecation === undefined
      ? []
      : [`@deprecated Available until ${deprecation.sunsetAt}. Use ${deprecation.successor}.`]),
  ])
  return `${doc}  readonly ${name}: (${value}options?: ReadOptions) => Promise<Verified<${dataTypeOf(row)}>>\n`
}

/** The module of the client with the types of all data and the methods that read them, documented from the tables. */
export function createClientTypes(tables: ClientTypeTables): string {
  return `// Written by \`npm run generate\` from the registry and the schemas of packages/contract.

import type { ReadOptions, Verified } from './verified.ts'

${interfaces(tables)}
/** One method for each read endpoint, by its name in the registry. */
export interface Reads {
${readsOf(tables.registry).map(methodText).join('')}}
`
}
