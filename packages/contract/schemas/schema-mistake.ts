import type { JsonSchema } from '../terms/schema-type.ts'
import { parseInstant } from '../text/instant.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** The formats that the contract's schemas use. */
const FORMATS: { readonly [format: string]: (text: string) => boolean } = {
  'date-time': (text) => parseInstant(text) !== undefined,
  date: (text) => DATE.test(text) && parseInstant(`${text}T00:00:00Z`) !== undefined,
  uri: (text) => URL.canParse(text),
}

const TYPES: { readonly [Type in NonNullable<JsonSchema['type']>]: (value: unknown) => boolean } = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value) => Array.isArray(value),
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
}

const patterns = new Map<string, RegExp>()

function patternOf(source: string): RegExp {
  const known = patterns.get(source)
  if (known !== undefined) return known
  const pattern = new RegExp(source, 'u')
  patterns.set(source, pattern)
  return pattern
}

/** A value that does not have its described shape. */
export interface SchemaMistake {
  /** Member names and list indexes, from the top. */
  readonly path: readonly (string | number)[]
  readonly keyword: keyof JsonSchema
  /** The schema of the value; for an undescribed member, that of the object around it. */
  readonly schema: JsonSchema
  /** Undefined for a missing member. */
  readonly value: unknown
  readonly expected: string
}

const fault = (keyword: keyof JsonSchema, expected: string) => ({ keyword, expected })
type Fault = ReturnType<typeof fault>

function textFault(schema: JsonSchema, text: string): Fault | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema
  // JSON Schema counts code points. Their number is needed only where the UTF-16 length leaves it open.
  const length = text.length > maxLength || minLength > 0 ? Array.from(text).length : text.length
  if (length < minLength) return fault('minLength', `at least ${minLength} characters`)
  if (length > maxLength) return fault('maxLength', `at most ${maxLength} characters`)
  if (pattern !== undefined && !patternOf(pattern).test(text))
    return fault('pattern', `text that matches ${pattern}`)
  if (format === undefined) return undefined
  const isFormat = FORMATS[format]
  if (isFormat === undefined) throw new Error(`unknown schema format ${format}`)
  return isFormat(text) ? undefined : fault('format', `the format ${format}`)
}

function valueFault(schema: JsonSchema, value: unknown): Fault | undefined {
  const { type, minimum = -Infinity, maximum = Infinity } = schema
  if (type !== undefined && !TYPES[type](value)) return fault('type', `the type ${type}`)
  if (schema.enum !== undefined && !schema.enum.some((each) => each === value))
    return fault('enum', `one of ${schema.enum.map(String).join(', ')}`)
  if (typeof value === 'string') return textFault(schema, value)
  if (typeof value === 'number') {
    if (value < minimum) return fault('minimum', `at least ${minimum}`)
    if (value > maximum) return fault('maximum', `at most ${maximum}`)
  }
  if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Infinity, uniqueItems } = schema
    if (value.length < minItems) return fault('minItems', `at least ${minItems} items`)
    if (value.length > maxItems) return fault('maxItems', `at most ${maxItems} items`)
    const texts = uniqueItems === true && new Set(value.map((item) => JSON.stringify(item)))
    if (texts && texts.size < value.length) return fault('uniqueItems', 'each item once')
  }
  return undefined
}

function* memberMistakes(
  schema: JsonSchema,
  members: object,
  path: SchemaMistake['path'],
): Generator<SchemaMistake, void> {
  const { properties = {}, additionalProperties, required = [] } = schema
  for (const name of required.filter((each) => !Object.hasOwn(members, each))) {
    const at = { path: [...path, name], schema: properties[name] ?? {}, value: undefined }
    yield { ...at, keyword: 'required', expected: 'this member' }
  }
  for (const [name, value] of Object.entries(members)) {
    const described = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (described === undefined || described === true) continue
    // Skips texts and numbers without a fault, of which a long version history has hundreds of thousands.
    const isLeaf = described !== false && typeof value !== 'object'
    if (isLeaf && valueFault(described, value) === undefined) continue
    const at = [...path, name]
    if (described === false) {
      const [keyword, expected] = ['additionalProperties', 'no such member'] as const
      yield { path: at, schema, value, keyword, expected }
    } else yield* schemaMistakes(described, value, at)
  }
}

/** Every place where parsed JSON does not have the described shape. Objects are open unless the schema closes them. */
export function* schemaMistakes(
  schema: JsonSchema,
  value: unknown,
  path: SchemaMistake['path'] = [],
): Generator<SchemaMistake, void> {
  if (value === null && schema.nullable === true) return
  const found = valueFault(schema, value)
  if (found !== undefined) yield { path, schema, value, ...found }
  if (found?.keyword === 'type' || typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield* memberMistakes(schema, value, path)
  else if (schema.items !== undefined) {
    for (const [index, item] of value.entries()) {
      yield* schemaMistakes(schema.items, item, [...path, index])
    }
  }
}

/** The first mistake, as a JSON Pointer with what was expected, or undefined. Never quotes the value. */
export function schemaMistake(schema: JsonSchema, value: unknown): string | undefined {
  for (const { path, expected } of schemaMistakes(schema, value)) {
    return `${path.map((step) => `/${step}`).join('')}: expected ${expected}`
  }
  return undefined
}
