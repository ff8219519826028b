import { pathOf } from '#contract/http/request-target'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { parseInstant } from '#contract/text/instant'
import { parseBody } from './read-body.ts'
import { parseSigningKeys } from './signing-keys.ts'
import { VerificationError } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'

/**
 * What an UNKNOWN_KEY means for a pin that is out of date: when the pinned key was retired, and which key signs now.
 * Undefined for every other error, and if the service does not say that a pinned key is retired. It is what the key
 * document of the service says, which no pinned key signed.
 *
 * @example
 * ```ts
 * try {
 *   await client.status()
 * } catch (error) {
 *   console.error(String(error), await describeRetiredPin(error))
 * }
 * ```
 */
export async function describeRetiredPin(
  error: unknown,
  nowMs: number = Date.now(),
): Promise<string | undefined> {
  if (!(error instanceof VerificationError) || error.code !== 'UNKNOWN_KEY') return undefined
  const { response } = error
  const isDocument = response !== undefined && pathOf(response.target) === READ_PATHS.signingKey
  if (!isDocument) return undefined
  const keys = await parseSigningKeys(propertyOf(parseBody(response.body), 'data'))
  return retiredPinIn(keys, error, nowMs, 'the service')
}

/** The same by keys that `source` gave, for any response that one of them signed. */
export function retiredPinIn(
  keys: readonly VerificationKey[],
  { code, steps = [] }: VerificationError,
  nowMs: number,
  source: string,
): string | undefined {
  const { expected = [], found = [] } = steps.find(({ outcome }) => outcome === 'failed') ?? {}
  const [signer, ...others] = found
  if (code !== 'UNKNOWN_KEY' || signer === undefined || others.length > 0) return undefined
  for (const { keyId, published } of keys) {
    const retiredMs = parseInstant(published.notAfter ?? '') ?? Infinity
    const isOver = retiredMs < nowMs
    if (!expected.includes(keyId) || !(isOver || published.status === 'retired')) continue
    // In the first day, its last signatures still count.
    const retired = isOver ? `was retired on ${new Date(retiredMs).toISOString()}` : 'is retired'
    return `${source} says that the pinned key ${keyId} ${retired} and the current one is ${signer}: check it against another source, such as \`svc verify --pin-from\``
  }
  return undefined
}
