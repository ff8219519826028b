import type { JsonValue } from '../json/canonical-json.ts'
import type { JsonSchema } from '../terms/schema-type.ts'

/**
 * Optional fields of special cases: a deprecated endpoint, enabled issuance, a known wait. Examples show the ordinary
 * case and omit them.
 */
export const SPECIAL_CASE_FIELDS: readonly string[] = [
  'deprecatedAt',
  'sunsetAt',
  'successor',
  'approvedBy',
  'approvedAt',
  'reference',
  'sunsetOn',
  'replacement',
  'retryAfterSeconds',
]

/**
 * An example value of a schema, composed from the examples of its parts: every field except those of special cases, one
 * item in each array. Throws a TypeError that names the place of a leaf without an example.
 */
export function createExample(
  schema: JsonSchema,
  where = '$',
  omitted: readonly string[] = SPECIAL_CASE_FIELDS,
): JsonValue {
  if (schema.example !== undefined) return schema.example
  if (schema.type === 'array') {
    return schema.items === undefined ? [] : [createExample(schema.items, `${where}[0]`, omitted)]
  }
  if (schema.type === 'object') {
    const members: { [name: string]: JsonValue } = {}
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (schema.required?.includes(name) !== true && omitted.includes(name)) continue
      members[name] = createExample(member, `${where}.${name}`, omitted)
    }
    return members
  }
  throw new TypeError(`${where}: this schema has no example; expected one on every leaf`)
}

/** Shortens the lists of a value to two objects or 20 other values, to limit the size of the document. */
export function shortenLists(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const isOfObjects = value.some((item) => typeof item === 'object' && item !== null)
    return value.slice(0, isOfObjects ? 2 : 20).map(shortenLists)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member && shortenLists(member)]),
  )
}
