import { randomBytes } from 'node:crypto'

import { verifyKeyDocument } from '../../client/signing-keys.ts'
import type { Expectations } from '../../client/verify-response.ts'
import type { VerificationKey } from '../../client/verification-key.ts'
import { READ_PATHS } from '../../contract/read-paths.ts'
import type { Ask } from './requests.ts'

/** The target with a random parameter, which passes every cache over; the signature covers it. */
export function freshTarget(target: string): string {
  const mark = target.includes('?') ? '&' : '?'
  return `${target}${mark}fresh=${randomBytes(16).toString('base64url')}`
}

/**
 * Fetches the signing-key document and checks it with its own keys. Rejects with a VerificationError or an
 * UnreachableError.
 */
export async function fetchKeys(
  ask: Ask,
  expectations: Omit<Expectations, 'keys'>,
  isFresh: boolean,
): Promise<readonly VerificationKey[]> {
  const path = READ_PATHS.signingKey
  const document = await ask({ method: 'GET', target: isFresh ? freshTarget(path) : path })
  const { keys } = await verifyKeyDocument({ ...document, ...expectations })
  return keys
}
