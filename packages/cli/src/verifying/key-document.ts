import { verifyKeyDocument } from '@public-api/client-source/signing-keys'
import type { Expectations } from '@public-api/client-source/verify-response'
import type { VerificationKey } from '@public-api/client-source/verification-key'
import type { Ask } from './requests.ts'

/**
 * Fetches the signing-key document from a target and checks it with its own keys. Rejects with a VerificationError or an
 * UnreachableError.
 */
export async function fetchKeys(
  ask: Ask,
  expectations: Omit<Expectations, 'keys'>,
  target: string,
): Promise<readonly VerificationKey[]> {
  const document = await ask({ method: 'GET', target })
  const { keys } = await verifyKeyDocument({ ...document, ...expectations })
  return keys
}
