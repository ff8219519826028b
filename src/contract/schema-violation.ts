import { parseInstant } from './instant.ts'
import type { JsonSchema } from './schema-type.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** The formats that the contract's schemas use. */
const FORMATS: { readonly [format: string]: (text: string) => boolean } = {
  'date-time': (text) => parseInstant(text) !== undefined,
  date: (text) => DATE.test(text) && parseInstant(`${text}T00:00:00Z`) !== undefined,
  uri: (text) => URL.canParse(text),
}

type Members = { readonly [name: string]: unknown }

const TYPES: { readonly [Type in NonNullable<JsonSchema['type']>]: (value: unknown) => boolean } = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value) => Array.isArray(value),
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
}

const patterns = new Map<string, RegExp>()

function patternOf(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, 'u')
  patterns.set(source, known)
  return known
}

function textViolation(schema: JsonSchema, text: string): string | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema
  // JSON Schema counts code points. Their number is needed only where the UTF-16 length leaves it open.
  const length = text.length > maxLength || minLength > 0 ? Array.from(text).length : text.length
  if (length < minLength) return `expected at least ${minLength} characters`
  if (length > maxLength) return `expected at most ${maxLength} characters`
  if (pattern !== undefined && !patternOf(pattern).test(text))
    return `expected text that matches ${pattern}`
  if (format === undefined) return undefined
  const isFormat = FORMATS[format]
  if (isFormat === undefined) throw new Error(`unknown schema format ${format}`)
  return isFormat(text) ? undefined : `expected the format ${format}`
}

function numberViolation({ minimum, maximum }: JsonSchema, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `expected at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `expected at most ${maximum}`
  return undefined
}

function arrayViolation(
  schema: JsonSchema,
  items: readonly unknown[],
  path: string,
): string | undefined {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  if (items.length < minItems) return `${path}: expected at least ${minItems} items`
  if (items.length > maxItems) return `${path}: expected at most ${maxItems} items`
  if (schema.uniqueItems === true) {
    const texts = new Set(items.map((item) => JSON.stringify(item)))
    if (texts.size < items.length) return `${path}: expected each item once`
  }
  for (const [index, item] of items.entries()) {
    const violation = schema.items && violationAt(schema.items, item, `${path}/${index}`)
    if (violation !== undefined) return violation
  }
  return undefined
}

function objectViolation(schema: JsonSchema, members: Members, path: string): string | undefined {
  const missing = schema.required?.find((name) => !Object.hasOwn(members, name))
  if (missing !== undefined) return `${path}/${missing}: expected this member`
  const { properties = {}, additionalProperties } = schema
  for (const [name, value] of Object.entries(members)) {
    const place = `${path}/${name}`
    const described = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (described === false) return `${place}: expected no such member`
    if (typeof described !== 'object') continue
    const violation = violationAt(described, value, place)
    if (violation !== undefined) return violation
  }
  return undefined
}

function violationAt(schema: JsonSchema, value: unknown, path: string): string | undefined {
  if (value === null && schema.nullable === true) return undefined
  if (schema.type !== undefined && !TYPES[schema.type](value)) {
    return `${path}: expected the type ${schema.type}`
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return `${path}: expected one of ${schema.enum.map(String).join(', ')}`
  }
  if (Array.isArray(value)) return arrayViolation(schema, value, path)
  if (typeof value === 'object' && value !== null)
    return objectViolation(schema, value as Members, path)
  const violation =
    typeof value === 'string'
      ? textViolation(schema, value)
      : typeof value === 'number'
        ? numberViolation(schema, value)
        : undefined
  return violation === undefined ? undefined : `${path}: ${violation}`
}

/**
 * The first place where parsed JSON does not have the described shape, as a JSON Pointer with what was expected, or
 * undefined. Never quotes the value. Objects are open unless the schema closes them.
 *
 * Ajv checks content before it is published. The server checks with this instead, because loading Ajv and compiling the
 * schemas takes 150 ms and 15 MB in each process.
 */
export function schemaViolation(schema: JsonSchema, value: unknown): string | undefined {
  return violationAt(schema, value, '')
}
