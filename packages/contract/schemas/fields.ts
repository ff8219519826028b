import {
  KEBAB_ID_PATTERN,
  SHA256_HEX_PATTERN,
  SNAPSHOT_ID_PATTERN,
} from '../terms/identifier-patterns.ts'
import type { JsonSchema } from '../terms/schema-type.ts'
import { DAY_MS, formatInstant, INSTANT } from '../text/instant.ts'

// The vocabulary of the schemas. Each function returns a literal schema, so that the TypeScript type of a value follows
// from its schema.

/** The keys of a table as an enumeration, so that a new row of the table is a value of the schema too. */
export const keysOf = <Key extends string>(table: {
  readonly [Name in Key]: unknown
}): readonly Key[] => Object.keys(table).filter((name): name is Key => Object.hasOwn(table, name))

// Fields of computed responses.

export const text = (description: string, example: string) =>
  ({ type: 'string', description, example }) as const
/** A text of a form, as the source of a regular expression. */
export const matching = (pattern: string, description: string, example: string) =>
  ({ type: 'string', pattern, description, example }) as const
/** The same field, which may be null too. */
export const nullable = <const Field extends JsonSchema>(field: Field) =>
  ({ ...field, nullable: true }) as const
export const whole = (description: string, example: number) =>
  ({ type: 'integer', description, example, minimum: 0 }) as const
export const bool = (description: string, example: boolean) =>
  ({ type: 'boolean', description, example }) as const
/** The time of the examples: more than a year before this version, so that expiry dates are in the past too. */
export const EXAMPLE_EPOCH_MS = Date.UTC(2025, 10, 3, 9)
/** The example is `exampleDaysLater` days after the time of the examples, so that an end is after its start. */
export const timestamp = (description: string, exampleDaysLater = 0) =>
  ({
    type: 'string',
    format: 'date-time',
    description: `${description} ISO 8601 UTC.`,
    example: formatInstant(EXAMPLE_EPOCH_MS + exampleDaysLater * DAY_MS),
  }) as const
const EXAMPLE_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
export const hexHash = (description: string, example = EXAMPLE_HASH) =>
  matching(SHA256_HEX_PATTERN, description, example)
export const snapshotId = (description: string) =>
  matching(SNAPSHOT_ID_PATTERN, description, 'VS-0001')

// Fields of published content, of limited length.

/** A stable identifier in kebab-case: it stays when the title is reworded, so that readers can link to an item. */
export const idField = (description: string, example: string) =>
  ({ type: 'string', pattern: KEBAB_ID_PATTERN, maxLength: 64, description, example }) as const

/** Text for people: plain, no markup, never empty, at most `maxLength` Unicode code points. */
const plainText = (maxLength: number) => (description: string, example: string) =>
  ({ type: 'string', minLength: 1, maxLength, description, example }) as const
export const groupField = plainText(60)
export const lineField = plainText(120)
export const sentenceField = plainText(300)
export const textField = plainText(1000)

/** RFC 3339 in UTC, with the letter Z. */
export const instantField = (description: string, example: string) =>
  ({
    type: 'string',
    format: 'date-time',
    pattern: INSTANT.source,
    maxLength: 24,
    description,
    example,
  }) as const
/** RFC 3339 full-date, in UTC. */
export const dayField = (description: string, example: string) =>
  ({ type: 'string', format: 'date', maxLength: 10, description, example }) as const
export const UPDATED_AT = instantField(
  'When the operator last reviewed this snapshot, in UTC.',
  '2025-11-03T00:00:00Z',
)

export const urlField = (description: string, example: string) =>
  ({
    type: 'string',
    format: 'uri',
    pattern: '^https://',
    maxLength: 2000,
    description,
    example,
  }) as const

export const enumField = <const Values extends readonly string[]>(
  values: Values,
  description: string,
  example: Values[number],
) => ({ type: 'string', enum: values, description, example }) as const

// Groups of fields.

export const list = <const Item extends JsonSchema>(
  description: string,
  items: Item,
  limits?: Pick<JsonSchema, 'minItems' | 'maxItems' | 'uniqueItems'>,
) => ({ type: 'array', description, ...limits, items }) as const
export const textList = (description: string, example: string) =>
  list(description, { type: 'string', example })

/** Properties by name. The name of an optional one ends in `?`. */
interface Fields {
  readonly [name: string]: JsonSchema
}

interface RecordSchema<F extends Fields> {
  readonly type: 'object'
  readonly description: string
  readonly required: readonly Exclude<keyof F & string, `${string}?`>[]
  readonly properties: {
    readonly [Key in keyof F as Key extends `${infer Name}?` ? Name : Key]: F[Key]
  }
}

export function record<const F extends Fields>(description: string, fields: F): RecordSchema<F> {
  const properties = Object.entries(fields).map(([name, field]) => [name.replace('?', ''), field])
  return {
    type: 'object',
    description,
    required: Object.keys(fields).filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(properties),
    // The types of a filtered list and of renamed keys cannot be computed from the values.
  } as unknown as RecordSchema<F>
}

/** An object with a title, by which the OpenAPI document and generated clients name it. */
export function named<const F extends Fields>(title: string, description: string, fields: F) {
  const { type, ...rest } = record(description, fields)
  return { type, title, ...rest }
}
