import { OTHER_TEST_SIGNING_KEY } from '../vectors/signing-key.ts'
import { testSigning } from './running-app.ts'

/** When the key of the tests was retired in a service that signs with another one now. */
export const RETIRED_ON = '2020-01-01T00:00:00.000Z'

/** Signing with another key, whose document lists the key of the tests as retired. */
export function rotatedSigning(
  notAfter: string | null = RETIRED_ON,
): ReturnType<typeof testSigning> {
  const { signer, keys } = testSigning(OTHER_TEST_SIGNING_KEY)
  const current = keys.map((key) => ({ ...key, notBefore: null }))
  const retired = testSigning().keys.map((key) => ({
    ...key,
    status: 'retired' as const,
    notBefore: null,
    notAfter,
  }))
  return { signer, keys: [...current, ...retired] }
}
