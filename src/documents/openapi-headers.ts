import type { JsonObject } from '../contract/canonical-json.ts'
import type { Endpoint } from '../contract/endpoints.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { CACHE_CLASSES, HEADERS, type CacheClass } from '../contract/headers.ts'
import { headersOf, RESPONSE_HEADER_DOCS, type ResponseHeader } from './header-docs.ts'

/** Header fields of one response, by wire name; each refers to `components.headers`. */
export type ResponseHeaders = { readonly [wireName: string]: { readonly $ref: string } }

const ref = (component: string) => ({ $ref: `#/components/headers/${component}` })

// Content-Type is omitted, because OpenAPI 3.0 ignores it here and states it as the media type.
const EVERY_RESPONSE: readonly ResponseHeader[] = ['apiVersion', 'robotsTag']
const WITH_BODY: readonly ResponseHeader[] = ['requestId', 'contentDigest', 'signedAt', 'signature']
const READ: readonly ResponseHeader[] = ['accessControlAllowOrigin', 'accessControlExposeHeaders']
const QUOTA: readonly ResponseHeader[] = ['rateLimitLimit', 'rateLimitRemaining', 'rateLimitReset']
const DEPRECATED: readonly ResponseHeader[] = ['deprecation', 'sunset', 'link']

/** Whether an endpoint sends an ETag and can return 304: every successful GET (spec section 8). */
export function isRevalidated(row: Endpoint): boolean {
  return row.method === 'GET' && row.success !== undefined
}

/** Headers of a success. `links`: whether `Link` lists the documents of this API or leads to the next page. */
export function successHeaders(row: Endpoint, links: boolean): ResponseHeaders {
  return compose(row, row.cacheClass, [
    ...WITH_BODY,
    ...when(isRevalidated(row), 'etag'),
    ...when(row.cacheClass === 'static-snapshot', 'age'),
    ...varying(row),
    ...QUOTA,
    'cdnCacheControl',
    ...when(row.deprecation !== undefined, ...DEPRECATED),
    ...when(links, 'link'),
  ])
}

/** Headers of a 304: nothing that a cache must not merge into a stored response (RFC 9111 4.3.4, decisions 3.3). */
export function notModifiedHeaders(row: Endpoint): ResponseHeaders {
  return compose(row, row.cacheClass, ['etag', 'revalidated', ...varying(row), ...QUOTA])
}

/** Headers of a response with one of these errors, which share a status. */
export function errorHeaders(row: Endpoint, codes: readonly ErrorCode[]): ResponseHeaders {
  const error = codes[0] && ERRORS[codes[0]]
  return compose(row, 'none', [
    ...WITH_BODY,
    ...QUOTA,
    ...when(error?.status === 401, 'wwwAuthenticate'),
    ...when(error?.retryable === true, 'retryAfter'),
  ])
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
  const names = [...EVERY_RESPONSE, ...own, ...when(row.method === 'GET', ...READ)]
  return {
    ...Object.fromEntries(names.map((name) => [HEADERS[name], ref(HEADERS[name])])),
    [HEADERS.cacheControl]: ref(cacheControlComponent(cacheClass)),
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
      const description = `Cache class ${name}. ${meaning}`
      const schema = { type: 'string', enum: [cacheControl], example: cacheControl }
      return [cacheControlComponent(name), { description, required: true, schema }] as const
    }),
  ]
  const wanted = new Set(used.flatMap((headers) => Object.values(headers).map(({ $ref }) => $ref)))
  return Object.fromEntries(all.filter(([component]) => wanted.has(ref(component).$ref)))
}
