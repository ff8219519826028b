import type { JsonValue } from '../contract/canonical-json.ts'
import { errorsOf, type Endpoint } from '../contract/endpoints.ts'
import { createErrorBody, SCHEMA_IDS } from '../contract/envelope.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { JSON_MEDIA_TYPE } from '../contract/headers.ts'
import { LINKS } from '../contract/links.ts'
import { createExample } from './examples.ts'
import {
  errorHeaders,
  isRevalidated,
  notModifiedHeaders,
  successHeaders,
  type ResponseHeaders,
} from './openapi-headers.ts'
import {
  codesByStatus,
  dataSchema,
  errorSchemaName,
  EXAMPLE_IDENTITY,
  schemaRef,
  successSchemaName,
} from './openapi-schemas.ts'
import type { JsonObject } from './plain-json.ts'

/** The example of a success. Without `data` it is composed from the schema. */
export interface SuccessExample {
  readonly data?: JsonValue
  /** ISO 8601 UTC. */
  readonly issuedAt?: string
  /** Source of the data, if readers should know. */
  readonly summary?: string
}

/** One response of an endpoint. */
export interface OpenApiResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  /** The error codes that it may have. */
  readonly codes: readonly ErrorCode[]
  /** The Response Object. */
  readonly response: JsonObject
  /** Its name in `components.responses`, if endpoints may share it. */
  readonly component?: string
}

type Succeeding = Endpoint & { readonly success: NonNullable<Endpoint['success']> }

/** The wait in examples of errors with a known wait. */
const EXAMPLE_WAIT_SECONDS = 42

/**
 * Every response of an endpoint, by ascending status: its success, the 304 of a read that can be revalidated, and its
 * errors grouped by status. An error with the status of the success (DUPLICATE) is an alternative body of that
 * response.
 */
export function createResponses(
  operation: string,
  row: Endpoint,
  example: SuccessExample = {},
): OpenApiResponse[] {
  const byStatus = new Map(codesByStatus(row))
  const responses: OpenApiResponse[] = []
  if (row.success !== undefined) {
    const { status } = row.success
    const succeeding = { ...row, success: row.success }
    responses.push(successResponse(operation, succeeding, byStatus.get(status) ?? [], example))
    byStatus.delete(status)
  }
  if (isRevalidated(row)) responses.push(notModifiedResponse(row))
  for (const [status, codes] of byStatus)
    responses.push(errorResponse(operation, row, status, codes))
  return responses.toSorted((a, b) => a.status - b.status)
}

/** `components.examples`: the response of every error that one of these endpoints may return, by code. */
export function errorExamples(rows: readonly Endpoint[]): JsonObject {
  const codes = new Set(rows.flatMap(errorsOf))
  return Object.fromEntries(
    [...codes].map((code) => {
      const { meaning, retryAfterSeconds } = ERRORS[code]
      const wait = retryAfterSeconds === undefined ? undefined : EXAMPLE_WAIT_SECONDS
      const value = {
        ok: false,
        schema: SCHEMA_IDS.error,
        ...EXAMPLE_IDENTITY,
        error: { ...createErrorBody(code, wait) },
      }
      return [code, { summary: meaning, value }]
    }),
  )
}

function successResponse(
  operation: string,
  row: Succeeding,
  otherCodes: readonly ErrorCode[],
  example: SuccessExample,
): OpenApiResponse {
  const { success } = row
  const { data = createExample(dataSchema(success.data)), issuedAt, summary } = example
  const identity = { ...EXAMPLE_IDENTITY, ...(issuedAt === undefined ? {} : { issuedAt }) }
  const value =
    success.envelope === 'none'
      ? data
      : { ok: true, schema: SCHEMA_IDS[success.envelope], ...identity, data }
  const headers = successHeaders(row, row.path === LINKS.index || row.query !== undefined)
  const schema = schemaRef(successSchemaName(success))
  return {
    status: success.status,
    headers,
    codes: otherCodes,
    response: {
      description: [dataSchema(success.data).description, ...otherCodes.map(meaningOf)].join(' '),
      headers,
      content: {
        [JSON_MEDIA_TYPE]:
          otherCodes.length === 0
            ? {
                schema,
                ...(summary === undefined
                  ? { example: value }
                  : { examples: { current: { summary, value } } }),
              }
            : {
                schema: alternatives(
                  success,
                  schema,
                  schemaRef(errorSchemaName(operation, success.status, otherCodes)),
                ),
                examples: {
                  success: { summary: summary ?? row.summary, value },
                  ...errorExampleRefs(otherCodes),
                },
              },
      },
    },
  }
}

/** A success or an error with the same status, distinguished by the name of the envelope's schema. */
function alternatives(
  { envelope }: Succeeding['success'],
  success: { readonly $ref: string },
  error: { readonly $ref: string },
): JsonObject {
  if (envelope === 'none') return { oneOf: [success, error] }
  const mapping = { [SCHEMA_IDS[envelope]]: success.$ref, [SCHEMA_IDS.error]: error.$ref }
  return { oneOf: [success, error], discriminator: { propertyName: 'schema', mapping } }
}

function notModifiedResponse(row: Endpoint): OpenApiResponse {
  const headers = notModifiedHeaders(row)
  const description =
    'The client has the current data: an entity tag in If-None-Match matches. No body.'
  const component = `304.${row.cacheClass}`
  return { status: 304, headers, codes: [], response: { description, headers }, component }
}

function errorResponse(
  operation: string,
  row: Endpoint,
  status: number,
  codes: readonly ErrorCode[],
): OpenApiResponse {
  const headers = errorHeaders(row, codes)
  const kind = row.method === 'GET' ? 'read' : 'write'
  const schema = errorSchemaName(operation, status, codes)
  return {
    status,
    headers,
    codes,
    component: `${schema}.${kind}`,
    response: {
      description: codes.map(meaningOf).join(' '),
      headers,
      content: {
        [JSON_MEDIA_TYPE]: {
          schema: schemaRef(schema),
          examples: errorExampleRefs(codes),
        },
      },
    },
  }
}

function meaningOf(code: ErrorCode): string {
  return `\`${code}\`: ${ERRORS[code].meaning}`
}

function errorExampleRefs(codes: readonly ErrorCode[]): JsonObject {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
}
