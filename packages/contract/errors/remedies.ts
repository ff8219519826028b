import { BASE_PATH } from '../terms/api-version.ts'
import type { ErrorCode } from './errors.ts'

/**
 * What to do about a code, for places that state its meaning beside it: `message` without what repeats the meaning. A code
 * that is missing has a message that says only what to do.
 */
export const REMEDIES: { readonly [_ in ErrorCode]?: string } = {
  INVALID_JSON: 'Send one JSON value in UTF-8.',
  CONSENT_REQUIRED: 'Send the field `consent` with the value `true`.',
  KEY_INVALID: 'Check the key, or send the request without one.',
  KEY_EXPIRED: 'Use a newer key, or send the request without one.',
  CHALLENGE_FAILED: 'Solve a new challenge and send the request again.',
  REQUEST_REJECTED: `Compare the request with the rules at \`${BASE_PATH}/policy\`, correct it and send it again.`,
  PREVIEW_NOT_ENABLED: `Use the endpoints listed at \`${BASE_PATH}\`.`,
  NOT_FOUND: `The endpoints are listed at \`${BASE_PATH}\`.`,
  VERSION_NOT_FOUND: `All versions are listed at \`${BASE_PATH}/versions\`.`,
  METHOD_NOT_ALLOWED: 'Use a method that the `Allow` header lists.',
  KEY_RATE_LIMITED: 'Wait for the number of seconds in `Retry-After`, then try again.',
  SNAPSHOT_UNAVAILABLE: 'Try again later.',
  REGISTRATION_UNAVAILABLE: 'Nothing was stored. Try again later.',
  KEYS_UNAVAILABLE: 'Read without a key, or try again later.',
  SIGNING_UNAVAILABLE: 'Responses cannot be verified until the operator corrects this.',
}
