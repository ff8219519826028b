import { CORS, HEADERS } from '../contract/headers.ts'

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
