import { verifyKeyDocument } from '../../../client/src/signing-keys.ts'
import type { Expectations } from '../../../client/src/verify-response.ts'
import type { VerificationKey } from '../../../client/src/verification-key.ts'
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
