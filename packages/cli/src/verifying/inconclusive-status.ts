/**
 * Whether an unsigned response proves nothing about the service: a proxy's error or rate limit, or the 503 of a
 * service that does not sign.
 */
export function isInconclusive(status: number): boolean {
  return status >= 500 || status === 429
}
