import type { PublishedSigningKey } from './signing-key-document.ts'

/**
 * Where a time, in milliseconds since 1970, stands to the dates of a signing key. Verifiers refuse what it signs before
 * them and after them.
 */
export function placeInPeriod(
  { notBefore, notAfter }: Pick<PublishedSigningKey, 'notBefore' | 'notAfter'>,
  atMs: number,
): 'before' | 'within' | 'after' {
  if (notBefore !== null && atMs < Date.parse(notBefore)) return 'before'
  return notAfter !== null && atMs > Date.parse(notAfter) ? 'after' : 'within'
}

/** The key that signs, where a time stands in that place to its dates; undefined otherwise. */
export function currentKeyIf(
  place: ReturnType<typeof placeInPeriod>,
  keys: readonly PublishedSigningKey[],
  atMs: number,
): PublishedSigningKey | undefined {
  return keys.find((key) => key.status === 'current' && placeInPeriod(key, atMs) === place)
}
