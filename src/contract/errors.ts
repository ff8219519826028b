import { BASE_PATH } from './api-version.ts'
import { HEADERS } from './headers.ts'
import { LIMITS } from './limits.ts'
import { LOCALES } from './locales.ts'

/** One entry of the error catalog (spec section 7). */
export interface CatalogError {
  readonly status: number
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** Upper bound of the wait, in seconds; an answer states what is left of the window. */
  readonly retryAfterSeconds?: number
  /** What the code means, for the policy and the error catalog. */
  readonly meaning: string
  /** What the caller can do about it; sent in the answer, and never holds any part of the request. */
  readonly message: string
}

/** The error catalog, keyed by wire code. */
export const ERRORS = {
  INVALID_JSON: {
    status: 400,
    retryable: false,
    meaning: 'The body is not valid JSON.',
    message: 'Send one JSON text in UTF-8; this body could not be read as JSON.',
  },
  INVALID_INPUT: {
    status: 400,
    retryable: false,
    meaning: 'The body holds an unknown field or has the wrong shape.',
    message: 'Send one JSON object with only the documented fields, each of its documented type.',
  },
  INVALID_EMAIL: {
    status: 400,
    retryable: false,
    meaning: 'A valid e-mail address is required.',
    message: `Send a valid e-mail address of at most ${LIMITS.maxEmailLength} characters in the field email.`,
  },
  FORBIDDEN_FIELD: {
    status: 400,
    retryable: false,
    meaning: 'The body holds a field that is never accepted.',
    message:
      'Remove every field for a credential, an identity document, a payment or wallet secret or a device address; none is ever accepted here.',
  },
  INVALID_LOCALE: {
    status: 400,
    retryable: false,
    meaning: 'The locale is not supported.',
    message: `Send one of ${LOCALES.join(', ')} as locale, or leave it out.`,
  },
  INVALID_INTERESTS: {
    status: 400,
    retryable: false,
    meaning: 'The interests are no array, too many, or not all known areas.',
    message: `Send at most ${LIMITS.maxInterests} different known areas as interests, or leave the field out.`,
  },
  CONSENT_REQUIRED: {
    status: 400,
    retryable: false,
    meaning: 'Consent is required.',
    message: 'Registration needs consent: send the field consent with the value true.',
  },
  INVALID_USE_CASE: {
    status: 400,
    retryable: false,
    meaning: 'The use case is no text or is too long.',
    message: `Send useCase as text of at most ${LIMITS.maxUseCaseCodePoints} characters, or leave it out.`,
  },
  INVALID_SESSION_ID: {
    status: 400,
    retryable: false,
    meaning: 'A session id is unacceptable.',
    message: 'Leave the session id out; this service has no sessions.',
  },
  CHALLENGE_REQUIRED: {
    status: 400,
    retryable: false,
    meaning: 'A challenge token is required.',
    message: 'Solve the human-verification challenge and send its token as challengeToken.',
  },
  KEY_REQUIRED: {
    status: 401,
    retryable: false,
    meaning: 'The endpoint needs an API key.',
    message: `Send an API key as ${HEADERS.authorization}: Bearer or as ${HEADERS.key}.`,
  },
  KEY_INVALID: {
    status: 401,
    retryable: false,
    meaning: 'The API key is not valid.',
    message: 'This API key is not accepted; check it, or send the request without a key.',
  },
  KEY_EXPIRED: {
    status: 401,
    retryable: false,
    meaning: 'The API key has expired; a new one is needed.',
    message: 'This API key has expired; use a newer one, or send the request without a key.',
  },
  CHALLENGE_FAILED: {
    status: 403,
    retryable: false,
    meaning: 'The human verification failed.',
    message:
      'The challenge was not passed or was used before; solve a new one and send the request again.',
  },
  REQUEST_REJECTED: {
    status: 403,
    retryable: false,
    meaning: 'The request was rejected; which rule matched is never revealed.',
    message: 'This request is not accepted.',
  },
  PREVIEW_NOT_ENABLED: {
    status: 403,
    retryable: false,
    meaning: 'The preview namespace is disabled.',
    message: `Nothing is served under preview yet; use the endpoints listed at ${BASE_PATH}.`,
  },
  NOT_FOUND: {
    status: 404,
    retryable: false,
    meaning: 'There is no such route.',
    message: `There is nothing at this path; the endpoints are listed at ${BASE_PATH}.`,
  },
  VERSION_NOT_FOUND: {
    status: 404,
    retryable: false,
    meaning: 'There is no such version snapshot.',
    message: `There is no version with this id; the known ones are listed at ${BASE_PATH}/versions.`,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    retryable: false,
    meaning: 'The route exists but not with this method; see the Allow header.',
    message: 'This route does not accept the method; use one that the Allow header lists.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retryable: false,
    meaning: 'The body is too large.',
    message: `Send a body of at most ${LIMITS.maxBodyBytes} bytes.`,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    meaning: 'The Content-Type must be application/json.',
    message: 'Send the body as application/json in UTF-8, without a content coding.',
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    retryAfterSeconds: LIMITS.registrationPerActor.windowSeconds,
    meaning: 'There were too many requests.',
    message: 'Too many requests; wait for the seconds in Retry-After and try again.',
  },
  KEY_RATE_LIMITED: {
    status: 429,
    retryable: true,
    retryAfterSeconds: LIMITS.keyedRequests.windowSeconds,
    meaning: 'The API key has used up its quota.',
    message:
      'This API key has used up its quota; wait for the seconds in Retry-After and try again.',
  },
  SNAPSHOT_UNAVAILABLE: {
    status: 503,
    retryable: true,
    meaning: 'The snapshot is temporarily unavailable.',
    message: 'This snapshot cannot be served at the moment; try again later.',
  },
  REGISTRATION_UNAVAILABLE: {
    status: 503,
    retryable: true,
    meaning: 'Registration is temporarily unavailable.',
    message: 'Registration is not available at the moment and nothing was stored; try again later.',
  },
  KEYS_UNAVAILABLE: {
    status: 503,
    retryable: true,
    meaning: 'Issuing or checking API keys is unavailable.',
    message:
      'API keys cannot be issued or checked at the moment; read without a key, or try again later.',
  },
  SIGNING_UNAVAILABLE: {
    status: 503,
    retryable: true,
    meaning: 'Response signing is not configured.',
    message: 'Responses are not signed at the moment; try again later.',
  },
  DUPLICATE: {
    status: 200,
    retryable: false,
    meaning:
      'The address is on the list already; answered with 200 so that the status tells nothing.',
    message: 'This address is on the waitlist already; nothing was changed.',
  },
} as const satisfies { readonly [code: string]: CatalogError }

/** A code of the error catalog. */
export type ErrorCode = keyof typeof ERRORS

/** The catalog entry of a code. */
export function errorOf(code: ErrorCode): CatalogError {
  return ERRORS[code]
}
