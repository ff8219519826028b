import { SCHEMA_IDS } from '@public-api/contract/http/envelope'
import { ENDPOINTS, LINKS, type Endpoint } from '@public-api/contract/registry/endpoints'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import {
  CACHE_CLASSES,
  CORS,
  HEADERS,
  READ_VARY,
  RESPONSE_CONTENT_TYPE,
} from '@public-api/contract/terms/headers'
import type { ServedEndpoint } from './exchange.ts'

/** Headers of every response of a read endpoint, including errors and 304 (spec section 8, Fetch standard 3.2). */
export const CORS_HEADERS: readonly string[] = [
  HEADERS.accessControlAllowOrigin,
  CORS.allowOrigin,
  HEADERS.accessControlExposeHeaders,
  CORS.exposeHeaders.join(', '),
]

/** Headers of a response to a preflight. */
export const PREFLIGHT_HEADERS: readonly string[] = [
  HEADERS.accessControlAllowOrigin,
  CORS.allowOrigin,
  HEADERS.accessControlAllowMethods,
  CORS.allowMethods.join(', '),
  HEADERS.accessControlAllowHeaders,
  CORS.allowHeaders.join(', '),
  HEADERS.accessControlMaxAge,
  String(CORS.maxAgeSeconds),
]

/** Discovery by link relations on the base path: RFC 8631 and RFC 8288. */
const INDEX_LINK = [
  `<${LINKS.openapi}>; rel="service-desc"; type="application/json"`,
  `<${LINKS.docs}>; rel="service-doc"; type="text/html"`,
  `<${LINKS.policy}>; rel="service-meta"; type="application/json"`,
  `<${ENDPOINTS.status.path}>; rel="status"; type="application/json"`,
].join(', ')

/** Headers that announce an endpoint's deprecation (RFC 9745, RFC 8594). */
function deprecationHeaders({ deprecation }: Endpoint): readonly string[] {
  if (deprecation === undefined) return []
  return [
    HEADERS.deprecation,
    `@${Math.floor(Date.parse(deprecation.deprecatedAt) / 1000)}`,
    HEADERS.sunset,
    new Date(deprecation.sunsetAt).toUTCString(),
  ]
}

function linkHeader({ path, deprecation }: Endpoint): readonly string[] {
  const links = [
    ...(path === BASE_PATH ? [INDEX_LINK] : []),
    ...(deprecation === undefined ? [] : [`<${deprecation.successor}>; rel="successor-version"`]),
  ]
  return links.length === 0 ? [] : [HEADERS.link, links.join(', ')]
}

/** The parts of an endpoint's success that are equal for all requests; `common` is in every response. */
export function createHeaderTemplate({ name, row }: ServedEndpoint, common: readonly string[]) {
  if (row.success === undefined) throw new Error(`${name} has no success response`)
  const caching = [HEADERS.cacheControl, CACHE_CLASSES[row.cacheClass].cacheControl]
  const vary = row.cacheClass === 'none' ? [] : [HEADERS.vary, READ_VARY]
  const cors = row.method === 'GET' ? CORS_HEADERS : []
  const shared = [...caching, ...vary, ...cors, ...common]
  const { envelope, status } = row.success
  return {
    success: [
      HEADERS.contentType,
      RESPONSE_CONTENT_TYPE,
      ...shared,
      ...deprecationHeaders(row),
      ...linkHeader(row),
    ],
    notModified: shared,
    /** Undefined for a document without an envelope. */
    schemaId: envelope === 'none' ? undefined : SCHEMA_IDS[envelope],
    status,
  }
}
