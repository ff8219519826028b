/**
 * What a check of an answer can find wrong, by the code of the error that says so. For lists of them: an error's own
 * message tells the case, so that a client in a browser need not carry the table.
 */
export const VERIFICATION_FAULTS = {
  KEY_MALFORMED: 'the key is no usable Ed25519 public key',
  UNKNOWN_KEY: 'no trusted key signed it',
  PINNED_KEY_ABSENT: 'none of the keys is pinned',
  UNSIGNED: 'it is not signed',
  DIGEST: 'Content-Digest is not that of the body',
  SIGNATURE: 'the signature fits no key',
  KEY_PERIOD: 'the key was not in use then',
  MALFORMED: 'a signed part has a wrong form',
  FUTURE: 'it was signed later than now',
  STALE: 'the signature is too old',
  REVALIDATION_MISSING: 'the signature is too old and not renewed by a 304',
  REVALIDATION: 'the signature of the 304 fits no key',
  REVALIDATION_STALE: 'the signature of the 304 is too old',
  ETAG: 'the ETag is that of other data',
  REQUEST_ID: 'X-Request-Id is not that of the body',
} as const

/** The step of the check that refused an answer. */
export type VerificationFault = keyof typeof VERIFICATION_FAULTS

/** An answer, or a key, that must not be trusted; `code` tells which step of the check refused it. */
export class VerificationError extends Error {
  declare readonly code: VerificationFault

  /** `detail` says what was expected and found; it never quotes a body. */
  constructor(code: VerificationFault, detail: string) {
    super(`${code}: ${detail}`)
    this.name = 'VerificationError'
    this.code = code
  }
}
