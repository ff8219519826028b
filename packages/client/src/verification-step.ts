import { CLIENT_HEADERS } from '#contract/http/client-headers'
import { parseInstant } from '#contract/text/instant'
import { readHeaders } from './header-fields.ts'
import type { VerificationFault } from './verification-error.ts'
import type { HttpResponse } from './verify-response.ts'

/** The steps of a verification, in order. */
export const VERIFICATION_STEPS = [
  'keys',
  'proof',
  'digest',
  'signature',
  'key',
  'freshness',
  'body',
  'etag',
  'requestId',
] as const

export type VerificationStep = (typeof VERIFICATION_STEPS)[number]

/** A 304 has its own proof and no body. Its entity tag is compared with those of the request. */
const STEPS_OF_304: readonly VerificationStep[] = [
  'keys',
  'proof',
  'signature',
  'key',
  'freshness',
  'etag',
]

const STEP_OF: { readonly [Code in VerificationFault]: VerificationStep } = {
  KEY_MALFORMED: 'keys',
  UNSIGNED: 'proof',
  DIGEST: 'digest',
  SIGNATURE: 'signature',
  UNKNOWN_KEY: 'key',
  KEY_PERIOD: 'key',
  MALFORMED: 'body',
  FUTURE: 'freshness',
  STALE: 'freshness',
  REVALIDATION: 'freshness',
  ETAG: 'etag',
  REQUEST_ID: 'requestId',
}

/** The steps for a response with this status. */
export function stepsOfStatus(status: number): readonly VerificationStep[] {
  return status === 304 ? STEPS_OF_304 : VERIFICATION_STEPS
}

/** When a response was signed, as it states; for a 304, when it was renewed. */
export function signedAtOf({
  status,
  headers,
}: Pick<HttpResponse, 'status' | 'headers'>): string | undefined {
  const fields = readHeaders(headers)
  if (status !== 304) return fields(CLIENT_HEADERS.signedAt)
  return fields(CLIENT_HEADERS.revalidated)?.split('; ')[0]
}

/** The step that a VerificationError belongs to. */
export function stepOfFault(
  code: VerificationFault,
  response: Pick<HttpResponse, 'status' | 'headers'>,
): VerificationStep {
  // If the time is readable, something else is malformed.
  if (code === 'MALFORMED' && parseInstant(signedAtOf(response) ?? '') === undefined) {
    return 'freshness'
  }
  if (code === 'REVALIDATION' && response.status === 304) return 'signature'
  return STEP_OF[code]
}
