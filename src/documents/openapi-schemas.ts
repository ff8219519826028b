import { errorsOf, type Endpoint } from '../contract/endpoints.ts'
import { SCHEMA_IDS } from '../contract/envelope.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { EXAMPLE_EPOCH_MS } from '../contract/fields.ts'
import { type JsonSchema, mapSubschemas } from '../contract/schema-type.ts'
import {
  DATA_SCHEMAS,
  ERROR_SCHEMA,
  REQUEST_SCHEMAS,
  type DataSchemaName,
} from '../contract/schemas.ts'
import { toJson, type JsonObject } from './plain-json.ts'

/** The identity of the responses in examples: a version 4 UUID and a time. */
export const EXAMPLE_IDENTITY = {
  requestId: '5f0c2f5e-3b1d-4c6a-9a3e-0d6f2b7c8e91',
  issuedAt: new Date(EXAMPLE_EPOCH_MS).toISOString(),
} as const

const IDENTITY_PROPERTIES = {
  requestId: {
    type: 'string',
    format: 'uuid',
    description:
      'Random ID of this response, equal to the header X-Request-Id. It carries no identity.',
    example: EXAMPLE_IDENTITY.requestId,
  },
  issuedAt: {
    type: 'string',
    format: 'date-time',
    description: 'When the response was created. ISO 8601 UTC with milliseconds.',
    example: EXAMPLE_IDENTITY.issuedAt,
  },
} as const

/** Schemas by their name in `components.schemas`. */
export interface SchemaComponents {
  readonly [name: string]: JsonObject
}

/** A reference to a schema of `components.schemas`. */
export function schemaRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

/** The schema of the body of a success: `Status` has `StatusResponse`, a body without an envelope is the data itself. */
export function successSchemaName({ data, envelope }: NonNullable<Endpoint['success']>): string {
  return envelope === 'none' ? data : `${data}Response`
}

/**
 * The schema of an error body with one of these codes. Endpoints with the same codes share it: `KeyRateLimitedError`,
 * `KeyInvalidOrKeyExpiredError`. A body with more than two codes is named after its operation.
 */
export function errorSchemaName(
  operation: string,
  status: number,
  codes: readonly ErrorCode[],
): string {
  return codes.length > 2
    ? `${capitalize(operation)}Error${status}`
    : `${codes.map(pascalCase).join('Or')}Error`
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function pascalCase(code: string): string {
  return code
    .split('_')
    .map((word) => capitalize(word.toLowerCase()))
    .join('')
}

/** The error codes of an endpoint, by status. */
export function codesByStatus(row: Endpoint): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of errorsOf(row)) {
    const { status } = ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return byStatus
}

/** The envelope as one flat object, because generators lose the type of `data` with `allOf`. */
function envelopeSchema(
  isOk: boolean,
  schemaId: string,
  member: { readonly [name: string]: JsonObject },
): JsonObject {
  const names = Object.keys(member)
  return {
    type: 'object',
    required: ['ok', 'schema', 'requestId', 'issuedAt', ...names],
    properties: {
      ok: { type: 'boolean', description: `Always ${isOk}.`, example: isOk },
      schema: {
        type: 'string',
        enum: [schemaId],
        description: 'Name of the envelope’s schema.',
        example: schemaId,
      },
      requestId: toJson(IDENTITY_PROPERTIES.requestId),
      issuedAt: toJson(IDENTITY_PROPERTIES.issuedAt),
      ...member,
    },
  }
}

/** `components.schemas`: every body that these endpoints accept or send, and every named part of one. */
export function schemaComponents(registry: {
  readonly [name: string]: Endpoint
}): SchemaComponents {
  const components: { [name: string]: JsonObject } = {}
  const add = (name: string, schema: JsonObject): void => {
    const known = components[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas have the name ${name}`)
    }
    components[name] = schema
  }
  for (const [operation, row] of Object.entries(registry)) {
    const { request, success } = row
    if (request !== undefined) add(request, extractSchemas(REQUEST_SCHEMAS[request], add))
    if (success !== undefined) {
      const schema = dataSchema(success.data)
      add(success.data, extractSchemas(schema, add))
      if (success.envelope !== 'none') {
        add(successSchemaName(success), {
          ...envelopeSchema(true, SCHEMA_IDS[success.envelope], { data: schemaRef(success.data) }),
          description: `A success: ${schema.description}`,
        })
      }
    }
    for (const [status, codes] of codesByStatus(row)) {
      const name = errorSchemaName(operation, status, codes)
      add(name, {
        ...envelopeSchema(false, SCHEMA_IDS.error, { error: schemaRef(`${name}Detail`) }),
        description: `An error: ${codes.join(', ')}.`,
      })
      add(`${name}Detail`, errorDetail(status, codes))
    }
  }
  return components
}

/** The `error` member, narrowed to the codes that an endpoint sends with one status. */
function errorDetail(status: number, codes: readonly ErrorCode[]): JsonObject {
  const { properties, ...rest } = ERROR_SCHEMA
  const [code] = codes
  return {
    ...(toJson(rest) as JsonObject),
    properties: {
      ...(toJson(properties) as JsonObject),
      code: { ...properties.code, enum: [...codes], example: code },
      status: { ...properties.status, enum: [status], example: status },
      retryable: {
        ...properties.retryable,
        example: code !== undefined && ERRORS[code].retryable,
      },
    },
  }
}

const COMPONENT_TITLE = /^[A-Z][A-Za-z0-9]*$/

/**
 * The schema with each titled object inside it moved to a component, so that generators name its type. A boolean keeps no
 * enumeration, since openapi-python-client supports only strings and integers there.
 */
function extractSchemas(
  schema: JsonSchema,
  add: (name: string, schema: JsonObject) => void,
): JsonObject {
  const inner = (part: JsonSchema): JsonObject => {
    const extracted = extractSchemas(part, add)
    if (part.type !== 'object' || part.title === undefined || !COMPONENT_TITLE.test(part.title)) {
      return extracted
    }
    add(part.title, extracted)
    return schemaRef(part.title)
  }
  const { title: _title, items, properties, additionalProperties, enum: values, ...rest } = schema
  return {
    ...(toJson(rest) as JsonObject),
    ...(values === undefined || schema.type === 'boolean' ? {} : { enum: toJson(values) }),
    ...mapSubschemas(schema, inner),
  }
}

/** The schema of `data` with this name, typed as JsonSchema. */
export function dataSchema(name: DataSchemaName): JsonSchema {
  return DATA_SCHEMAS[name]
}
