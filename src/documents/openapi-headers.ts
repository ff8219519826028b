import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { CACHE_CLASSES, HEADERS, type CacheClass } from '../contract/headers.ts'
import type { Endpoint } from '../contract/endpoints.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import { headersOf, RESPONSE_HEADER_DOCS, type ResponseHeader } from './header-docs.ts'
import { toJson, type JsonObject } from './plain-json.ts'

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
  return compose(
    row,
    row.cacheClass,
    WITH_BODY,
    isRevalidated(row) ? ['etag'] : [],
    row.cacheClass === 'static-snapshot' ? ['age'] : [],
    varying(row),
    QUOTA,
    ['cdnCacheControl'],
    row.deprecation === undefined ? [] : DEPRECATED,
    links ? ['link'] : [],
  )
}

/** Headers of a 304: nothing that a cache must not merge into a stored response (RFC 9111 4.3.4, decisions 3.3). */
export function notModifiedHeaders(row: Endpoint): ResponseHeaders {
  return compose(row, row.cacheClass, ['etag', 'revalidated'], varying(row), QUOTA)
}

/** Headers of a response with one of these errors, which share a status. */
export function errorHeaders(row: Endpoint, codes: readonly ErrorCode[]): ResponseHeaders {
  const statuses = codes.map((code) => ERRORS[code].status)
  return compose(
    row,
    'none',
    WITH_BODY,
    QUOTA,
    statuses.includes(401) ? ['wwwAuthenticate'] : [],
    statuses.some((status) => status === 429 || status === 503) ? ['retryAfter'] : [],
  )
}

/** A cacheable read varies with the API key; a response that is never stored needs no Vary. */
function varying(row: Endpoint): readonly ResponseHeader[] {
  return row.cacheClass === 'none' ? [] : ['vary']
}

function compose(
  row: Endpoint,
  cacheClass: CacheClass,
  ...groups: readonly (readonly ResponseHeader[])[]
): ResponseHeaders {
  const names = [...EVERY_RESPONSE, ...groups.flat(), ...(row.method === 'GET' ? READ : [])]
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
  const all = [
    ...headersOf(RESPONSE_HEADER_DOCS).map(({ name, meaning, schema }) => ({
      component: name,
      header: header(meaning, schema, ALWAYS_SENT.has(name)),
    })),
    ...Object.entries(CACHE_CLASSES).map(([name, { cacheControl, meaning }]) => ({
      component: cacheControlComponent(name),
      header: header(`Cache class ${name}. ${meaning}`, only(cacheControl), true),
    })),
  ]
  const wanted = new Set(used.flatMap((headers) => Object.values(headers).map(({ $ref }) => $ref)))
  return Object.fromEntries(
    all
      .filter(({ component }) => wanted.has(ref(component).$ref))
      .map((each) => [each.component, each.header]),
  )
}

function header(description: string, schema: JsonSchema, required: boolean): JsonObject {
  return { description, ...(required ? { required } : {}), schema: toJson(schema) }
}

/** The schema of a header that has one value and no other. */
function only(value: string): JsonSchema {
  return { type: 'string', enum: [value], example: value }
}
