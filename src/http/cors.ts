import { CORS, HEADERS } from '../contract/headers.ts'

/** What every response of a read endpoint carries, errors and 304 included (spec section 8, Fetch standard 3.2). */
export const CORS_HEADERS: readonly string[] = [
  HEADERS.accessControlAllowOrigin,
  CORS.allowOrigin,
  HEADERS.accessControlExposeHeaders,
  CORS.exposeHeaders.join(', '),
]

/** What a response to a preflight carries. */
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
