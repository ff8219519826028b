import type { JsonSchema } from '@public-api/contract/terms/schema-type'

/** The documents in which a value may be null: some JSON tools drop such members. docs/verifying.md names them. */
const WITH_NULL: ReadonlySet<string> = new Set([
  'Time',
  'EarlyAccess',
  'SigningKeys',
  'KeyMetadata',
  'IssuedKey',
])
const WITH_NEGATIVE = 'Time.quality.offsetMs'

const ASCII = /^[!-~]+$/

/**
 * Checks schemas of `data` by name. The JSON tools of other languages give the bytes that the ETag hashes because data
 * has no decimals, integers within ±(2^53 − 1) that are negative in one place, member names in ASCII, and null in the
 * documents above alone. Bounds beside an enumeration are refused for generators, which write code that does not load. Returns one
 * sentence for each mistake.
 */
export function dataRuleFaults(schemas: { readonly [name: string]: JsonSchema }): string[] {
  const faults: string[] = []
  const visit = (schema: JsonSchema, place: string, document: string): void => {
    const { type, nullable, minimum, maximum, example, default: value } = schema
    const numbers = [minimum, maximum, example, value, ...(schema.enum ?? [])]
    if (String(type) === 'number' || numbers.some(isUnsafe)) {
      faults.push(`${place}: expected integers within ±(2^53 − 1); anything else is a text`)
    }
    if (type === 'integer' && place !== WITH_NEGATIVE && !(Number(minimum) >= 0)) {
      faults.push(`${place}: expected a minimum of 0 or more`)
    }
    if (schema.enum !== undefined && (minimum ?? maximum) !== undefined) {
      faults.push(`${place}: expected no minimum or maximum beside an enumeration`)
    }
    if (nullable === true && !WITH_NULL.has(document)) {
      faults.push(`${place}: expected an optional member instead of null`)
    }
    for (const name of Object.keys(schema.properties ?? {})) {
      if (!ASCII.test(name)) faults.push(`${place}.${name}: expected an ASCII name`)
    }
    for (const [name, member] of subschemas(schema)) visit(member, `${place}${name}`, document)
  }
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name, name)
  return faults
}

const isUnsafe = (value: unknown): boolean =>
  typeof value === 'number' && !Number.isSafeInteger(value)

function subschemas({ items, properties, additionalProperties }: JsonSchema) {
  return [
    ...(items ? [['[]', items] as const] : []),
    ...Object.entries(properties ?? {}).map(([name, each]) => [`.${name}`, each] as const),
    ...(typeof additionalProperties === 'object' ? [['.*', additionalProperties] as const] : []),
  ]
}
