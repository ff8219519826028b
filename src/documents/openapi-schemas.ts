import type { Endpoint } from '../contract/endpoints.ts'
import { SCHEMA_IDS } from '../contract/envelope.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
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
  issuedAt: '2026-11-21T09:00:00.000Z',
} as const

const IDENTITY_PROPERTIES: { readonly [name: string]: JsonSchema } = {
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
}

const SUCCESS_ENVELOPE: JsonSchema = {
  type: 'object',
  description: 'The envelope of a success.',
  required: ['ok', 'schema', 'requestId', 'issuedAt', 'data'],
  properties: {
    ok: { type: 'boolean', enum: [true], description: 'Always true.', example: true },
    schema: {
      type: 'string',
      enum: [SCHEMA_IDS.response, SCHEMA_IDS.registration],
      description: 'Name of the envelope’s schema.',
      example: SCHEMA_IDS.response,
    },
    ...IDENTITY_PROPERTIES,
    data: { type: 'object', description: 'The resource.' },
  },
}

const ERROR_ENVELOPE: JsonObject = {
  type: 'object',
  description: 'The envelope of an error.',
  required: ['ok', 'schema', 'requestId', 'issuedAt', 'error'],
  properties: {
    ok: { type: 'boolean', enum: [false], description: 'Always false.', example: false },
    schema: {
      type: 'string',
      enum: [SCHEMA_IDS.error],
      description: 'Name of the envelope’s schema.',
      example: SCHEMA_IDS.error,
    },
    ...Object.fromEntries(
      Object.entries(IDENTITY_PROPERTIES).map(([name, schema]) => [name, toJson(schema)]),
    ),
    error: schemaRef('ErrorDetail'),
  },
}

/** A reference to a schema of `components.schemas`. */
export function schemaRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

/** The schema of a success: the envelope with this `data`, or the bare data if there is no envelope. */
export function successSchema(success: NonNullable<Endpoint['success']>): JsonObject {
  if (success.envelope === 'none') return schemaRef(success.data)
  return {
    allOf: [
      schemaRef('SuccessEnvelope'),
      {
        type: 'object',
        properties: {
          schema: { type: 'string', enum: [SCHEMA_IDS[success.envelope]] },
          data: schemaRef(success.data),
        },
      },
    ],
  }
}

/** `components.schemas`: both envelopes, and the bodies that these endpoints take and give, by their names. */
export function schemaComponents(rows: readonly Endpoint[]): JsonObject {
  const schemas: { [name: string]: JsonObject | JsonSchema } = {
    SuccessEnvelope: SUCCESS_ENVELOPE,
    ErrorEnvelope: ERROR_ENVELOPE,
    ErrorDetail: ERROR_SCHEMA,
  }
  for (const { request, success } of rows) {
    if (request !== undefined) schemas[request] = REQUEST_SCHEMAS[request]
    if (success !== undefined) schemas[success.data] = dataSchema(success.data)
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, toJson(schema, name)]),
  )
}

/** The schema literal of `data` with this name, as an ordinary schema. */
export function dataSchema(name: DataSchemaName): JsonSchema {
  return DATA_SCHEMAS[name]
}
