import type { JsonValue } from '../json/canonical-json.ts'

/**
 * The part of JSON Schema that OpenAPI 3.0 understands, as the contract's literals use it. One literal serves the
 * TypeScript type (`SchemaType`), the check (`schemaMistakes`) and the OpenAPI document.
 */
export type JsonSchema = {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly title?: string
  readonly description?: string
  readonly example?: JsonValue
  readonly nullable?: true
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly default?: JsonValue
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly items?: JsonSchema
  readonly required?: readonly string[]
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly additionalProperties?: boolean | JsonSchema
}

type ObjectType<S extends JsonSchema> = S extends {
  readonly properties: infer P extends Record<string, JsonSchema>
}
  ? S extends { readonly required: readonly (infer R)[] }
    ? { readonly [K in keyof P & R]: SchemaType<P[K]> } & {
        readonly [K in Exclude<keyof P, R>]?: SchemaType<P[K]>
      }
    : { readonly [K in keyof P]?: SchemaType<P[K]> }
  : S extends { readonly additionalProperties: infer V extends JsonSchema }
    ? { readonly [name: string]: SchemaType<V> }
    : { readonly [name: string]: unknown }

type NonNullType<S extends JsonSchema> = S extends { readonly enum: readonly (infer V)[] }
  ? Exclude<V, null>
  : S extends { readonly type: 'object' }
    ? ObjectType<S>
    : S extends { readonly type: 'array'; readonly items: infer I extends JsonSchema }
      ? readonly SchemaType<I>[]
      : S extends { readonly type: 'string' }
        ? string
        : S extends { readonly type: 'integer' }
          ? number
          : S extends { readonly type: 'boolean' }
            ? boolean
            : unknown

/** The TypeScript type of the JSON values that a schema literal (declared `as const`) accepts. */
export type SchemaType<S extends JsonSchema> = S extends { readonly nullable: true }
  ? NonNullType<S> | null
  : NonNullType<S>

/** The keywords of a schema that contain schemas, with each of these converted. */
export function mapSubschemas<Converted>(
  { items, properties, additionalProperties }: JsonSchema,
  convert: (schema: JsonSchema) => Converted,
) {
  return {
    ...(items && { items: convert(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, convert(each)]),
      ),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean'
          ? additionalProperties
          : convert(additionalProperties),
    }),
  }
}

/**
 * The same schema with every object closed, so that undescribed fields are rejected. Responses stay open in the
 * contract, because new optional fields may ship inside v1 (spec 9.2); content is checked closed.
 */
export function closeSchema(schema: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(schema.properties && { additionalProperties: false }),
    ...mapSubschemas(schema, closeSchema),
  }
}
