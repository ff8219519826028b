import { CLIENT_HEADERS } from '../../../src/contract/client-headers.ts'
import { parseInstant } from '../../../src/contract/instant.ts'
import { readHeaders } from './header-fields.ts'
import type { VerificationFault } from './verification-error.ts'
import type { HttpResponse } from './verify-response.ts'

/** The steps of a check, in the order in which the verifier takes them. */
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

/** A 304 has its own proof and no body. Its entity tag is compared with the ones that the request named. */
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

/** The steps that the check of a response with this status takes. */
export function stepsOfStatus(status: number): readonly VerificationStep[] {
  return status === 304 ? STEPS_OF_304 : VERIFICATION_STEPS
}

/** When a response says that it was signed; of a 304, when it was renewed. */
export function signedAtOf({
  status,
  headers,
}: Pick<HttpResponse, 'status' | 'headers'>): string | undefined {
  const fields = readHeaders(headers)
  if (status !== 304) return fields(CLIENT_HEADERS.signedAt)
  return fields(CLIENT_HEADERS.revalidated)?.split('; ')[0]
}

/** The step that refused a response, by the code of the VerificationError. */
export function stepOfFault(
  code: VerificationFault,
  response: Pick<HttpResponse, 'status' | 'headers'>,
): VerificationStep {
  // The form that is wrong is that of the time, unless the time can be read.
  if (code === 'MALFORMED' && parseInstant(signedAtOf(response) ?? '') === undefined) {
    return 'freshness'
  }
  // The signature of a 304 is the one that it has.
  if (code === 'REVALIDATION' && response.status === 304) return 'signature'
  return STEP_OF[code]
}
