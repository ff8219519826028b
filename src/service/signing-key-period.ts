import type { PublishedSigningKey } from './signing-key-document.ts'

/**
 * Position of a time, in milliseconds since 1970, relative to a signing key's period. Both ends belong to the period.
 * Verifiers refuse signatures made outside it.
 */
export function periodStateOf(
  { notBefore, notAfter }: Pick<PublishedSigningKey, 'notBefore' | 'notAfter'>,
  atMs: number,
): 'before' | 'within' | 'after' {
  if (notBefore !== null && atMs < Date.parse(notBefore)) return 'before'
  return notAfter !== null && atMs > Date.parse(notAfter) ? 'after' : 'within'
}
