import { BASE_PATH } from '../terms/api-version.ts'
import { HEADERS } from '../terms/headers.ts'
import { LIMITS } from '../terms/limits.ts'
import { LOCALES } from '../terms/locales.ts'

/** One entry of the error catalog (spec section 7). */
export interface CatalogError {
  /** HTTP status. */
  readonly status: number
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** Upper bound of the wait, in seconds; a response states the rest of the window. */
  readonly retryAfterSeconds?: number
  /** What the code means, for the policy and the error catalog. */
  readonly meaning: string
  /** What the caller can do about it. Sent in the response; never contains any part of the request. */
  readonly message: string
}

/** The entries of one status. A request that failed for load or an outage may succeed later. */
const atStatus = <Code extends string>(
  status: number,
  entries: { readonly [_ in Code]: Omit<CatalogError, 'status' | 'retryable'> },
) =>
  Object.fromEntries(
    Object.entries<object>(entries).map(([code, entry]) => [
      code,
      { status, retryable: status === 429 || status === 503, ...entry },
    ]),
  ) as { readonly [_ in Code]: CatalogError }

/** The error catalog, keyed by wire code. */
export const ERRORS = {
  ...atStatus(400, {
    INVALID_JSON: {
      meaning: 'The body is not valid JSON.',
      message: 'Send one JSON value in UTF-8. The body could not be parsed.',
    },
    INVALID_INPUT: {
      meaning: 'The body contains an unknown field or has the wrong shape.',
      message: `Send one JSON object with only the documented fields and types. They are listed at \`${BASE_PATH}/openapi.json\`.`,
    },
    INVALID_EMAIL: {
      meaning: 'A valid email address is required.',
      message: `Send a valid email address of at most ${LIMITS.maxEmailLength} characters in the field \`email\`.`,
    },
    FORBIDDEN_FIELD: {
      meaning: 'The body contains a field that is never accepted.',
      message:
        'Remove fields for credentials, identity documents, payment or wallet secrets and device addresses. They are never accepted.',
    },
    INVALID_LOCALE: {
      meaning: 'The `locale` is not supported.',
      message: `Send one of ${LOCALES.map((each) => `\`${each}\``).join(', ')} as \`locale\`, or omit the field.`,
    },
    INVALID_INTERESTS: {
      meaning: `The field \`interests\` must be an array of up to ${LIMITS.maxInterests} known values.`,
      message: `Send up to ${LIMITS.maxInterests} different values listed at \`${BASE_PATH}/early-access\` as \`interests\`, or omit the field.`,
    },
    CONSENT_REQUIRED: {
      meaning: 'Consent is required.',
      message: 'Registration requires consent. Send the field `consent` with the value `true`.',
    },
    INVALID_USE_CASE: {
      meaning: 'The field `useCase` is not a string or is too long.',
      message: `Send \`useCase\` as a string of at most ${LIMITS.maxUseCaseCodePoints} characters, or omit the field.`,
    },
    INVALID_SESSION_ID: {
      meaning: 'Session IDs are not accepted.',
      message: 'Remove the session ID. This service has no sessions.',
    },
    CHALLENGE_REQUIRED: {
      meaning: 'A challenge token is required.',
      message: `Solve the human-verification challenge named at \`${BASE_PATH}/early-access\` and send its token as \`challengeToken\`.`,
    },
  }),
  ...atStatus(401, {
    KEY_REQUIRED: {
      meaning: 'The endpoint requires an API key.',
      message: `Send an API key as \`${HEADERS.authorization}: Bearer\` or as \`${HEADERS.key}\`.`,
    },
    KEY_INVALID: {
      meaning: 'The API key is not valid.',
      message: 'The API key is not accepted. Check it, or send the request without a key.',
    },
    KEY_EXPIRED: {
      meaning: 'The API key has expired.',
      message: 'The API key has expired. Use a newer key, or send the request without a key.',
    },
  }),
  ...atStatus(403, {
    CHALLENGE_FAILED: {
      meaning: 'Human verification failed.',
      message:
        'The challenge was not solved or was already used. Solve a new one and send the request again.',
    },
    REQUEST_REJECTED: {
      meaning: 'The request was rejected. The rule that matched is never revealed.',
      message: `The request was rejected. Compare it with the rules at \`${BASE_PATH}/policy\`, correct it and send it again.`,
    },
    PREVIEW_NOT_ENABLED: {
      meaning: 'The preview namespace is disabled.',
      message: `The preview namespace is not enabled. Use the endpoints listed at \`${BASE_PATH}\`.`,
    },
  }),
  ...atStatus(404, {
    NOT_FOUND: {
      meaning: 'The route does not exist.',
      message: `The path does not exist. The endpoints are listed at \`${BASE_PATH}\`.`,
    },
    VERSION_NOT_FOUND: {
      meaning: 'The version snapshot does not exist.',
      message: `No version has this ID. All versions are listed at \`${BASE_PATH}/versions\`.`,
    },
  }),
  ...atStatus(405, {
    METHOD_NOT_ALLOWED: {
      meaning: 'The route does not support this method. See the `Allow` header.',
      message:
        'The route does not support this method. Use a method that the `Allow` header lists.',
    },
  }),
  ...atStatus(413, {
    PAYLOAD_TOO_LARGE: {
      meaning: 'The body is too large.',
      message: `Send a body of at most ${LIMITS.maxBodyBytes} bytes.`,
    },
  }),
  ...atStatus(415, {
    UNSUPPORTED_MEDIA_TYPE: {
      meaning: 'The `Content-Type` must be `application/json`.',
      message: 'Send the body as `application/json` in UTF-8, without a content coding.',
    },
  }),
  ...atStatus(429, {
    RATE_LIMITED: {
      retryAfterSeconds: LIMITS.registrationPerActor.windowSeconds,
      meaning: 'Too many requests.',
      message: 'Wait for the number of seconds in `Retry-After`, then try again.',
    },
    KEY_RATE_LIMITED: {
      retryAfterSeconds: LIMITS.keyedRequests.windowSeconds,
      meaning: 'The API key exceeded its quota.',
      message:
        'The API key exceeded its quota. Wait for the number of seconds in `Retry-After`, then try again.',
    },
  }),
  ...atStatus(503, {
    SNAPSHOT_UNAVAILABLE: {
      meaning: 'The snapshot is temporarily unavailable.',
      message: 'The snapshot is temporarily unavailable. Try again later.',
    },
    REGISTRATION_UNAVAILABLE: {
      meaning:
        'Registration is temporarily unavailable, or the operator closed the waitlist. The message says which.',
      message: 'Registration is temporarily unavailable. Nothing was stored. Try again later.',
    },
    KEYS_UNAVAILABLE: {
      meaning: 'API keys cannot be issued or checked.',
      message:
        'API keys cannot be issued or checked at the moment. Read without a key, or try again later.',
    },
    SIGNING_UNAVAILABLE: {
      meaning: 'Response signing is not configured, or signing failed.',
      message:
        'Response signing is not configured, or signing failed. Responses cannot be verified until the operator corrects this.',
    },
  }),
  ...atStatus(200, {
    DUPLICATE: {
      meaning:
        'The email address is already on the list. Sent with status 200, so that status codes do not reveal who is on it.',
      message:
        'Nothing to do: the address is already registered, and its first ticket stays valid.',
    },
  }),
}

/** A code of the error catalog. */
export type ErrorCode = keyof typeof ERRORS
