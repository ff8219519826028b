import { SHA256_HEX_PATTERN, SNAPSHOT_ID_PATTERN } from './identifier-patterns.ts'
import type { JsonSchema } from './schema-type.ts'

// The vocabulary of the response schemas. Each function returns a literal schema, so that the TypeScript type of a response
// follows from its schema.

/** The keys of a table as an enumeration, so that a new row of the table is a value of the schema too. */
export const keysOf = <Key extends string>(table: {
  readonly [Name in Key]: unknown
}): readonly Key[] => Object.keys(table).filter((name): name is Key => Object.hasOwn(table, name))

export const text = (description: string, example: string) =>
  ({ type: 'string', description, example }) as const
export const whole = (description: string, example: number) =>
  ({ type: 'integer', description, example, minimum: 0 }) as const
/** The time of the examples. */
export const EXAMPLE_EPOCH_MS = Date.UTC(2026, 10, 21, 9)
/** The example is `exampleDaysLater` days after the time of the examples, so that an end is after its start. */
export const timestamp = (description: string, exampleDaysLater = 0) =>
  ({
    type: 'string',
    format: 'date-time',
    description: `${description} ISO 8601 UTC.`,
    example: new Date(EXAMPLE_EPOCH_MS + exampleDaysLater * 86_400_000).toISOString(),
  }) as const
export const flag = (description: string, example: boolean) =>
  ({ type: 'boolean', description, example }) as const
const EXAMPLE_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
export const hexHash = (description: string, example = EXAMPLE_HASH) =>
  ({ type: 'string', pattern: SHA256_HEX_PATTERN, description, example }) as const
export const snapshotId = (description: string) =>
  ({ type: 'string', pattern: SNAPSHOT_ID_PATTERN, description, example: 'VS-0001' }) as const
export const list = <const Item extends JsonSchema>(
  description: string,
  items: Item,
  limits?: Pick<JsonSchema, 'minItems' | 'maxItems' | 'uniqueItems'>,
) => ({ type: 'array', description, ...limits, items }) as const
export const textList = (description: string, example: string) =>
  list(description, { type: 'string', example })

interface RecordOptions<Properties> {
  readonly title?: string
  readonly optional?: readonly (keyof Properties)[]
  readonly additionalProperties?: false
}

type RecordSchema<Properties, Options> = Omit<Options, 'optional'> & {
  readonly type: 'object'
  readonly description: string
  readonly required: readonly Exclude<
    keyof Properties & string,
    Options extends { readonly optional: readonly (infer Name)[] } ? Name : never
  >[]
  readonly properties: Properties
}

/** An object. Its properties are required, except the `optional` ones. */
export function record<
  const Properties extends { readonly [name: string]: JsonSchema },
  const Options extends RecordOptions<Properties> = object,
>(
  description: string,
  properties: Properties,
  options?: Options,
): RecordSchema<Properties, Options> {
  const { optional = [], ...rest }: RecordOptions<Properties> = options ?? {}
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  // The type of a filtered list of names cannot be computed from the values.
  return { type: 'object', ...rest, description, required, properties } as unknown as RecordSchema<
    Properties,
    Options
  >
}
