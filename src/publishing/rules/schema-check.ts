import { schemaMistakes, type SchemaMistake } from '@public-api/contract/schemas/schema-mistake'
import { closeSchema, type JsonSchema } from '@public-api/contract/terms/schema-type'
import { expectedName } from '@public-api/contract/text/nearest-name'
import { describeValue, type Fault, fault, type Faults } from './content-mistake.ts'

const TYPE_NAMES = {
  object: 'a group of fields',
  array: 'a list',
  string: 'text',
  integer: 'an integer',
  boolean: 'true or false',
} as const

function describeExpected(schema: JsonSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.map(String).join(', ')}`
  const such =
    typeof schema.example === 'string' || typeof schema.example === 'number'
      ? ` such as ${schema.example}`
      : ''
  const atMost = schema.maxLength === undefined ? '' : ` of at most ${schema.maxLength} characters`
  if (schema.format === 'date-time') return `a UTC timestamp${such}`
  if (schema.format === 'date') return `a date${such}`
  if (schema.format === 'uri') return `an https URL${atMost}${such}`
  if (schema.pattern !== undefined) return `text${atMost} of the form ${schema.pattern},${such}`
  return `${TYPE_NAMES[schema.type ?? 'string']}${such}`
}

/** What was expected, by keyword; for all others the description of the schema. */
const EXPECTATIONS: {
  readonly [keyword: string]: (mistake: SchemaMistake, described: string) => string
} = {
  additionalProperties({ path, schema }) {
    const known = Object.keys(schema.properties ?? {})
    return expectedName(String(path.at(-1)), known, 'a known field', `only ${known.join(', ')}`)
  },
  enum: ({ schema, value }, described) =>
    typeof value === 'string'
      ? expectedName(value, schema.enum?.map(String) ?? [], described, described)
      : described,
  type: ({ schema, value }, described) =>
    schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean')
      ? `${described}; put it in quotes`
      : described,
  minItems: ({ schema }) => `a list of at least ${schema.minItems}`,
  maxItems: ({ schema }) => `a list of at most ${schema.maxItems}`,
  minimum: ({ expected }) => `an integer of ${expected}`,
  maximum: ({ expected }) => `an integer of ${expected}`,
  maxLength: ({ schema, expected }, described) =>
    (schema.format ?? schema.pattern) !== undefined ? described : `text of ${expected}`,
  uniqueItems: ({ expected }) => expected,
}

function faultOf(mistake: SchemaMistake): Fault {
  const { keyword, path, schema, value } = mistake
  const described = describeExpected(schema)
  const expected = EXPECTATIONS[keyword]?.(mistake, described) ?? described
  if (keyword === 'uniqueItems') {
    const texts = (value as readonly unknown[]).map((item) => JSON.stringify(item))
    const repeated = texts.findIndex((text, index) => texts.indexOf(text) < index)
    return fault([...path, repeated], 'a repeated item', expected)
  }
  if (keyword === 'additionalProperties') {
    return fault(path, `the unknown field ${JSON.stringify(path.at(-1))}`, expected, 'name')
  }
  return fault(path, describeValue(value), expected)
}

/**
 * Finds every mistake of a parsed file against a contract schema with every object closed: a field that is not described
 * is a mistake. Without mistakes the value has the schema's type (`SchemaType`).
 */
export function* checkSchema(schema: JsonSchema, value: unknown): Faults {
  for (const mistake of schemaMistakes(closeSchema(schema), value)) yield faultOf(mistake)
}
