import type { AppDependencies } from '../../../src/app.ts'
import { testSigning } from '../../support/running-app.ts'

/**
 * Parts of an app that a command in a process of its own can ask: it tells the machine's time, and its key is good at
 * any. Nothing that such a test asserts depends on which time that is.
 */
export function liveParts(): Pick<AppDependencies, 'clock' | 'signing'> {
  const { signer, keys } = testSigning()
  return {
    clock: { nowMs: () => Date.now() },
    signing: { signer, keys: keys.map((key) => ({ ...key, notBefore: null })) },
  }
}
