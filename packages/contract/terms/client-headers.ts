/**
 * Names of the header fields that a client reads or sends. Separate from `HEADERS`, which includes them, so that
 * browsers do not load the whole table.
 */
export const CLIENT_HEADERS = {
  authorization: 'Authorization',
  contentDigest: 'Content-Digest',
  etag: 'ETag',
  ifNoneMatch: 'If-None-Match',
  rateLimitLimit: 'X-RateLimit-Limit',
  rateLimitRemaining: 'X-RateLimit-Remaining',
  rateLimitReset: 'X-RateLimit-Reset',
  requestId: 'X-Request-Id',
  retryAfter: 'Retry-After',
  revalidated: 'X-SVC-Revalidated',
  signature: 'X-SVC-Signature',
  signedAt: 'X-SVC-Signed-At',
} as const
