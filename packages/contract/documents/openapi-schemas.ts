import { ERRORS, type ErrorCode } from '../errors/errors.ts'
import { SCHEMA_IDS } from '../http/envelope.ts'
import type { JsonObject } from '../json/canonical-json.ts'
import { errorsOf, type Endpoint, type Registry } from '../registry/endpoints.ts'
import { DATA_SCHEMAS, ERROR_SCHEMA, REQUEST_SCHEMAS } from '../registry/schemas.ts'
import { EXAMPLE_EPOCH_MS, enumField, bool } from '../schemas/fields.ts'
import { type JsonSchema, mapSubschemas } from '../terms/schema-type.ts'
import { formatInstant } from '../text/instant.ts'

/** The identity of the responses in examples: a version 4 UUID and a time. */
export const EXAMPLE_IDENTITY = {
  requestId: '5f0c2f5e-3b1d-4c6a-9a3e-0d6f2b7c8e91',
  issuedAt: formatInstant(EXAMPLE_EPOCH_MS),
} as const

/** A reference to a component of the document. */
export function ref(kind: 'schemas' | 'responses' | 'headers' | 'examples', name: string) {
  return { $ref: `#/components/${kind}/${name}` } as const
}

/** The name of a component for a schema, an operation or a code: `wallet/security` has `WalletSecurity`. */
export function componentName(name: string): string {
  return name.replaceAll(/(?:^|[/_-])./g, (start) => start.replace(/[/_-]/, '').toUpperCase())
}

/** The schema of the body of a success: `status` has `StatusResponse`, a body without an envelope is the data itself. */
export function successSchemaName({ data, envelope }: NonNullable<Endpoint['success']>): string {
  return `${componentName(data)}${envelope === 'none' ? '' : 'Response'}`
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
  if (codes.length > 2) return `${componentName(operation)}Error${status}`
  return `${codes.map((code) => componentName(code.toLowerCase())).join('Or')}Error`
}

/** The error codes of an endpoint, by status. */
export function codesByStatus(row: Endpoint): ReadonlyMap<number, readonly ErrorCode[]> {
  return Map.groupBy(errorsOf(row), (code) => ERRORS[code].status)
}

/** The envelope as one flat object, because generators lose the type of `data` with `allOf`. */
function envelopeSchema(ok: boolean, schemaId: string, member: JsonObject, description: string) {
  return {
    type: 'object',
    required: ['ok', 'schema', 'requestId', 'issuedAt', ...Object.keys(member)],
    properties: {
      ok: bool(`Always \`${ok}\`.`, ok),
      schema: enumField([schemaId], 'Name of the schema of the envelope.', schemaId),
      requestId: {
        type: 'string',
        format: 'uuid',
        description:
          'Random ID of this response, equal to the header `X-Request-Id`. It carries no identity.',
        example: EXAMPLE_IDENTITY.requestId,
      },
      issuedAt: {
        type: 'string',
        format: 'date-time',
        description: 'When the response was created. ISO 8601 UTC with milliseconds.',
        example: EXAMPLE_IDENTITY.issuedAt,
      },
      ...member,
    },
    description,
  }
}

/** `components.schemas`: every body that these endpoints accept or send, and every named part of one. */
export function schemaComponents(registry: Registry): JsonObject {
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
      const { data, envelope } = success
      const schema = DATA_SCHEMAS[data]
      add(componentName(data), extractSchemas(schema, add))
      if (envelope !== 'none') {
        const member = { data: ref('schemas', componentName(data)) }
        const description = `A success: ${schema.description}`
        const body = envelopeSchema(true, SCHEMA_IDS[envelope], member, description)
        add(successSchemaName(success), body)
      }
    }
    for (const [status, codes] of codesByStatus(row)) {
      const name = errorSchemaName(operation, status, codes)
      const member = { error: ref('schemas', `${name}Detail`) }
      const description = `An error: ${codes.map((code) => `\`${code}\``).join(', ')}.`
      add(name, envelopeSchema(false, SCHEMA_IDS.error, member, description))
      add(`${name}Detail`, errorDetail(status, codes))
    }
  }
  return components
}

/** The `error` member, narrowed to the codes that an endpoint sends with one status. */
function errorDetail(status: number, codes: readonly ErrorCode[]): JsonObject {
  const { properties, ...rest } = ERROR_SCHEMA
  // An enumeration needs no bounds: generators such as orval write code that does not load for both.
  const { minimum: _minimum, ...statusSchema } = properties.status
  const [code] = codes
  const retryable = code !== undefined && ERRORS[code].retryable
  return {
    ...rest,
    properties: {
      ...properties,
      code: { ...properties.code, enum: codes, example: code },
      status: { ...statusSchema, enum: [status], example: status },
      retryable: { ...properties.retryable, example: retryable },
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
    return ref('schemas', part.title)
  }
  const { title: _title, items, properties, additionalProperties, enum: values, ...rest } = schema
  return {
    ...rest,
    ...(values === undefined || schema.type === 'boolean' ? {} : { enum: values }),
    ...mapSubschemas(schema, inner),
  }
}
