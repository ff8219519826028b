import { ERRORS, type ErrorCode } from '../errors/errors.ts'
import { createErrorBody, SCHEMA_IDS } from '../http/envelope.ts'
import type { JsonObject, JsonValue } from '../json/canonical-json.ts'
import { errorsOf, LINKS, type Endpoint } from '../registry/endpoints.ts'
import { DATA_SCHEMAS } from '../registry/schemas.ts'
import { CACHE_CLASSES, HEADERS, JSON_MEDIA_TYPE, type CacheClass } from '../terms/headers.ts'
import { createExample } from './examples.ts'
import { headersOf, RESPONSE_HEADER_DOCS, type ResponseHeader } from './header-docs.ts'
import {
  codesByStatus,
  errorSchemaName,
  EXAMPLE_IDENTITY,
  ref,
  successSchemaName,
} from './openapi-schemas.ts'

/** The example of a success. Without `data` it is composed from the schema. */
export interface SuccessExample {
  readonly data?: JsonValue
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
  const responses = isRevalidated(row) ? [notModifiedResponse(row)] : []
  const byStatus = codesByStatus(row)
  if (success !== undefined) {
    const otherCodes = byStatus.get(success.status) ?? []
    responses.push(successResponse(operation, row, success, otherCodes, example))
  }
  for (const [status, codes] of byStatus) {
    if (status !== success?.status) responses.push(errorResponse(operation, row, status, codes))
  }
  return responses.toSorted((a, b) => a.status - b.status)
}

/** `components.examples`: the response of every error that one of these endpoints may return, by code. */
export function errorExamples(rows: readonly Endpoint[]): JsonObject {
  const codes = new Set(rows.flatMap(errorsOf))
  return Object.fromEntries(
    [...codes].map((code) => {
      const { meaning, retryAfterSeconds } = ERRORS[code]
      // Part of a known wait has passed.
      const error = { ...createErrorBody(code, retryAfterSeconds && 42) }
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
  const { data = createExample(dataSchema), summary } = example
  const value =
    envelope === 'none'
      ? data
      : { ok: true, schema: SCHEMA_IDS[envelope], ...EXAMPLE_IDENTITY, data }
  const headers = compose(row, row.cacheClass, [
    ...WITH_BODY,
    ...when(isRevalidated(row), 'etag'),
    ...when(row.cacheClass === 'static-snapshot', 'age'),
    ...varying(row),
    ...QUOTA,
    'cdnCacheControl',
    ...when(row.deprecation !== undefined, 'deprecation', 'sunset', 'link'),
    // The index links to the documents of this API, a list with pages to its next page.
    ...when(row.path === LINKS.index || row.query !== undefined, 'link'),
  ])
  const description = [dataSchema.description, ...otherCodes.map(meaningOf)].join(' ')
  const schema = ref('schemas', successSchemaName(success))
  let body: JsonObject
  if (otherCodes.length > 0) {
    const error = ref('schemas', errorSchemaName(operation, status, otherCodes))
    // The name of the envelope's schema distinguishes the success from the error.
    const discriminator = envelope !== 'none' && {
      propertyName: 'schema',
      mapping: { [SCHEMA_IDS[envelope]]: schema.$ref, [SCHEMA_IDS.error]: error.$ref },
    }
    body = {
      schema: { oneOf: [schema, error], ...(discriminator && { discriminator }) },
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

/** Its headers are those that a cache may merge into a stored response (RFC 9111 4.3.4, decisions 3.3). */
function notModifiedResponse(row: Endpoint): OpenApiResponse {
  const headers = compose(row, row.cacheClass, ['etag', 'revalidated', ...varying(row), ...QUOTA])
  const description =
    'The client has the current data: an entity tag in `If-None-Match` matches. No body.'
  const component = `304.${row.cacheClass}`
  return { status: 304, headers, codes: [], response: { description, headers }, component }
}

function errorResponse(
  operation: string,
  row: Endpoint,
  status: number,
  codes: readonly ErrorCode[],
): OpenApiResponse {
  const headers = compose(row, 'none', [
    ...WITH_BODY,
    ...QUOTA,
    ...when(status === 401, 'wwwAuthenticate'),
    ...when(status === 429 || status === 503, 'retryAfter'),
  ])
  const name = errorSchemaName(operation, status, codes)
  const body = { schema: ref('schemas', name), examples: errorExampleRefs(codes) }
  const description = codes.map(meaningOf).join(' ')
  const response = { description, headers, content: { [JSON_MEDIA_TYPE]: body } }
  const component = `${name}.${row.method === 'GET' ? 'read' : 'write'}`
  return { status, headers, codes, component, response }
}

function meaningOf(code: ErrorCode): string {
  return `\`${code}\`: ${ERRORS[code].meaning}`
}

function errorExampleRefs(codes: readonly ErrorCode[]): JsonObject {
  return Object.fromEntries(codes.map((code) => [code, ref('examples', code)]))
}

/** Header fields of one response, by wire name; each refers to `components.headers`. */
type ResponseHeaders = { readonly [wireName: string]: { readonly $ref: string } }

const WITH_BODY: readonly ResponseHeader[] = [
  'requestId',
  'contentDigest',
  'signedAt',
  'signature',
  'signatureInput',
  'messageSignature',
  'unencodedDigest',
]
const QUOTA: readonly ResponseHeader[] = ['rateLimitLimit', 'rateLimitRemaining', 'rateLimitReset']

/** Whether an endpoint sends an ETag and can return 304: every successful GET (spec section 8). */
export function isRevalidated(row: Endpoint): boolean {
  return row.method === 'GET' && row.success !== undefined
}

function when(isSent: boolean, ...headers: readonly ResponseHeader[]): readonly ResponseHeader[] {
  return isSent ? headers : []
}

/** A cacheable read varies with the API key; a response that is never stored needs no Vary. */
function varying(row: Endpoint): readonly ResponseHeader[] {
  return when(row.cacheClass !== 'none', 'vary')
}

function compose(
  row: Endpoint,
  cacheClass: CacheClass,
  own: readonly ResponseHeader[],
): ResponseHeaders {
  // Content-Type is omitted, because OpenAPI 3.0 ignores it here and states it as the media type.
  const names: readonly ResponseHeader[] = [
    'apiVersion',
    'robotsTag',
    ...own,
    ...when(row.method === 'GET', 'accessControlAllowOrigin', 'accessControlExposeHeaders'),
  ]
  return {
    ...Object.fromEntries(names.map((name) => [HEADERS[name], ref('headers', HEADERS[name])])),
    [HEADERS.cacheControl]: ref('headers', cacheControlComponent(cacheClass)),
  }
}

function cacheControlComponent(cacheClass: string): string {
  return `${HEADERS.cacheControl}.${cacheClass}`
}

/** Headers that a response always has if it lists them. Others depend on the request or the deployment. */
export const ALWAYS_SENT: ReadonlySet<string> = new Set([
  HEADERS.requestId,
  HEADERS.apiVersion,
  HEADERS.etag,
  HEADERS.vary,
  HEADERS.accessControlAllowOrigin,
  HEADERS.accessControlExposeHeaders,
  HEADERS.wwwAuthenticate,
  HEADERS.deprecation,
  HEADERS.sunset,
])

/** `components.headers`: every header that one of these responses refers to. */
export function headerComponents(used: readonly ResponseHeaders[]): JsonObject {
  const all: readonly (readonly [component: string, header: JsonObject])[] = [
    ...headersOf(RESPONSE_HEADER_DOCS).map(({ name, meaning, schema }) => {
      const required = ALWAYS_SENT.has(name) ? { required: true } : {}
      return [name, { description: meaning, ...required, schema }] as const
    }),
    ...Object.entries(CACHE_CLASSES).map(([name, { cacheControl, meaning }]) => {
      const description = `Cache class \`${name}\`. ${meaning}`
      // A response to a request with a nonce is not stored, whatever its class.
      const values = [...new Set([cacheControl, CACHE_CLASSES.none.cacheControl])]
      const schema = { type: 'string', enum: values, example: cacheControl }
      return [cacheControlComponent(name), { description, required: true, schema }] as const
    }),
  ]
  const wanted = new Set(used.flatMap((headers) => Object.values(headers).map(({ $ref }) => $ref)))
  return Object.fromEntries(all.filter(([component]) => wanted.has(ref('headers', component).$ref)))
}
