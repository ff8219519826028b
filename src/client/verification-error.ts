/** What a check of an answer can find wrong, by the code of the error that says so. */
export const VERIFICATION_FAULTS = {
  KEY_MALFORMED: 'the key is no usable Ed25519 public key',
  UNKNOWN_KEY: 'it was signed by a key that is not trusted, or there is no key to check it with',
  PINNED_KEY_ABSENT: 'none of the keys at hand is pinned',
  UNSIGNED: 'it has no signature',
  DIGEST: 'Content-Digest is not that of the body',
  SIGNATURE: 'the signature does not fit method, target, status, time and digest',
  KEY_PERIOD: 'the key was not in use when it signed this',
  MALFORMED: 'a signed part has not the form it must have',
  FUTURE: 'it was signed later than now',
  STALE: 'the signature is too old',
  REVALIDATION_MISSING: 'the signature is too old, and no 304 proves the body to be current',
  REVALIDATION: 'the signature of the 304 does not fit',
  REVALIDATION_STALE: 'the signature of the 304 is too old as well',
  ETAG: 'the ETag is that of other data',
  REQUEST_ID: 'X-Request-Id is not the request id in the body',
} as const

/** The step of the check that refused an answer. */
export type VerificationFault = keyof typeof VERIFICATION_FAULTS

/** An answer, or a key, that must not be trusted; `code` tells which step of the check refused it. */
export class VerificationError extends Error {
  readonly code: VerificationFault

  /** `detail` says what was expected and found; it never quotes a body. */
  constructor(code: VerificationFault, detail?: string) {
    super(`${code}: ${VERIFICATION_FAULTS[code]}${detail === undefined ? '' : ` (${detail})`}`)
    this.name = 'VerificationError'
    this.code = code
  }
}
