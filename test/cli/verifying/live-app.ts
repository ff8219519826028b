import type { AppDependencies } from '../../../src/app.ts'
import { testSigning } from '../../support/running-app.ts'

/**
 * An app for commands in another process: it uses the system clock, and its key is valid at
 * any. Nothing that such a test asserts depends on which time that is.
 */
export function liveDependencies(): Pick<AppDependencies, 'clock' | 'signing'> {
  const { signer, keys } = testSigning()
  return {
    clock: { nowMs: () => Date.now() },
    signing: { signer, keys: keys.map((key) => ({ ...key, notBefore: null })) },
  }
}
