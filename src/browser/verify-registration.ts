import { createTrustedKeys } from '../../packages/client/src/trusted-keys.ts'
import { VerificationError } from '../../packages/client/src/verification-error.ts'
import type { HttpResponse } from '../../packages/client/src/verify-response.ts'
import { SIGNATURE_MAX_AGE_SECONDS } from '../contract/limits.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { request } from './api-request.ts'

/** The result of checking a response's signature. */
export type Proof = { readonly keyId: string } | { readonly fault: string }

/**
 * Verifies a response with the keys that this service publishes. `fault` is the code of the failed check, or
 * `NO_RESPONSE` if the keys could not be fetched. Never rejects.
 */
export async function verifyRegistration(response: HttpResponse): Promise<Proof> {
  const keys = createTrustedKeys({
    pinnedKeyIds: undefined,
    fetchDocument: () => request(READ_PATHS.signingKey),
    expectations: () => ({ nowMs: Date.now(), maxAgeSeconds: SIGNATURE_MAX_AGE_SECONDS }),
  })
  try {
    const { keyId } = await keys.verify(response)
    return { keyId }
  } catch (error) {
    return { fault: error instanceof VerificationError ? error.code : 'NO_RESPONSE' }
  }
}
