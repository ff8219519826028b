import { ERRORS, type CatalogError, type ErrorCode } from '../errors/errors.ts'

/** Names of the wire schemas in `schema` members (spec 2.1 to 2.3 and 7). */
export const SCHEMA_IDS = {
  response: 'svc.public.api.response.v1',
  registration: 'svc.public.early-access.registration.v1',
  policy: 'svc.public.api.policy.v1',
  error: 'svc.public.api.error.v1',
} as const

/** The identity of one response. */
export interface ResponseIdentity {
  /** Random UUID v4, equal to X-Request-Id. Carries no identity. */
  readonly requestId: string
  /** ISO 8601 UTC with milliseconds. */
  readonly issuedAt: string
}

/** The body of a success up to the JSON text of `data`; `}` follows it. Fields in the promised order (spec 2.1). */
export function formatSuccessStart(
  schemaId: string,
  { requestId, issuedAt }: ResponseIdentity,
): string {
  // Schema ids, UUIDs and ISO timestamps contain no character that JSON would escape.
  return `{"ok":true,"schema":"${schemaId}","requestId":"${requestId}","issuedAt":"${issuedAt}","data":`
}

/**
 * The body of a success. `dataJson` is the JSON text of `data`, used unchanged: snapshots are stored, hashed and served
 * as the same text, so it is never parsed and formatted again.
 */
export function formatSuccess(
  schemaId: string,
  identity: ResponseIdentity,
  dataJson: string,
): string {
  return `${formatSuccessStart(schemaId, identity)}${dataJson}}`
}

/** The `error` member of an error envelope. `retryAfterSeconds` equals the Retry-After header. */
export interface ErrorBody extends Omit<CatalogError, 'meaning'> {
  /** A code of the error catalog. */
  readonly code: ErrorCode
}

/**
 * The `error` member for a catalog code, with the remaining seconds of the wait. If they are unknown, it states the upper
 * bound of the catalog: every 429 states a wait (spec section 7). The message is that of the catalog unless one is given.
 */
export function createErrorBody(
  code: ErrorCode,
  retryAfterSeconds = ERRORS[code].retryAfterSeconds,
  message: string = ERRORS[code].message,
): ErrorBody {
  const { status, retryable } = ERRORS[code]
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return { code, status, message, retryable, ...wait }
}

/** The body of an error (spec section 7), fields in the promised order. */
export function formatError(identity: ResponseIdentity, error: ErrorBody): string {
  const { requestId, issuedAt } = identity
  return JSON.stringify({ ok: false, schema: SCHEMA_IDS.error, requestId, issuedAt, error })
}
