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
