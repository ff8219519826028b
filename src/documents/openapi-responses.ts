import type { JsonObject, JsonValue } from '../contract/canonical-json.ts'
import { errorsOf, LINKS, type Endpoint } from '../contract/endpoints.ts'
import { createErrorBody, SCHEMA_IDS } from '../contract/envelope.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { JSON_MEDIA_TYPE } from '../contract/headers.ts'
import { DATA_SCHEMAS } from '../contract/schemas.ts'
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
  errorSchemaName,
  EXAMPLE_IDENTITY,
  schemaRef,
  successSchemaName,
} from './openapi-schemas.ts'

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
  const { success } = row
  const byStatus = new Map(codesByStatus(row))
  const otherCodes = byStatus.get(success?.status ?? 0) ?? []
  if (success !== undefined) byStatus.delete(success.status)
  return [
    ...(success === undefined
      ? []
      : [successResponse(operation, row, success, otherCodes, example)]),
    ...(isRevalidated(row) ? [notModifiedResponse(row)] : []),
    ...Array.from(byStatus, ([status, codes]) => errorResponse(operation, row, status, codes)),
  ].toSorted((a, b) => a.status - b.status)
}

/** `components.examples`: the response of every error that one of these endpoints may return, by code. */
export function errorExamples(rows: readonly Endpoint[]): JsonObject {
  const codes = new Set(rows.flatMap(errorsOf))
  return Object.fromEntries(
    [...codes].map((code) => {
      const { meaning, retryAfterSeconds } = ERRORS[code]
      const wait = retryAfterSeconds === undefined ? undefined : EXAMPLE_WAIT_SECONDS
      const error = { ...createErrorBody(code, wait) }
      const value = { ok: false, schema: SCHEMA_IDS.error, ...EXAMPLE_IDENTITY, error }
      return [code, { summary: meaning, value }]
    }),
  )
}

function successResponse(
  operation: string,
  row: Endpoint,
  success: NonNullable<Endpoint['success']>,
  otherCodes: readonly ErrorCode[],
  example: SuccessExample,
): OpenApiResponse {
  const { status, envelope } = success
  const dataSchema = DATA_SCHEMAS[success.data]
  const { data = createExample(dataSchema), issuedAt, summary } = example
  const identity = { ...EXAMPLE_IDENTITY, ...(issuedAt === undefined ? {} : { issuedAt }) }
  const value =
    envelope === 'none' ? data : { ok: true, schema: SCHEMA_IDS[envelope], ...identity, data }
  const headers = successHeaders(row, row.path === LINKS.index || row.query !== undefined)
  const description = [dataSchema.description, ...otherCodes.map(meaningOf)].join(' ')
  const schema = schemaRef(successSchemaName(success))
  let body: JsonObject
  if (otherCodes.length > 0 && envelope !== 'none') {
    // The name of the envelope's schema distinguishes the success from the error.
    const error = schemaRef(errorSchemaName(operation, status, otherCodes))
    const mapping = { [SCHEMA_IDS[envelope]]: schema.$ref, [SCHEMA_IDS.error]: error.$ref }
    body = {
      schema: { oneOf: [schema, error], discriminator: { propertyName: 'schema', mapping } },
      examples: {
        success: { summary: summary ?? row.summary, value },
        ...errorExampleRefs(otherCodes),
      },
    }
  } else if (summary === undefined) body = { schema, example: value }
  else body = { schema, examples: { current: { summary, value } } }
  const response = { description, headers, content: { [JSON_MEDIA_TYPE]: body } }
  return { status, headers, codes: otherCodes, response }
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
  const name = errorSchemaName(operation, status, codes)
  const body = { schema: schemaRef(name), examples: errorExampleRefs(codes) }
  const description = codes.map(meaningOf).join(' ')
  const response = { description, headers, content: { [JSON_MEDIA_TYPE]: body } }
  const component = `${name}.${row.method === 'GET' ? 'read' : 'write'}`
  return { status, headers, codes, component, response }
}

function meaningOf(code: ErrorCode): string {
  return `\`${code}\`: ${ERRORS[code].meaning}`
}

function errorExampleRefs(codes: readonly ErrorCode[]): JsonObject {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
}
