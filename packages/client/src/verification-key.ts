import { parseInstant } from '#contract/text/instant'
import { importEd25519, sha256Base64url } from '#crypto'
import { decodeBase64urlOf32, decodeCanonicalBase64 } from './base64.ts'
import { isCanonicalPoint, isCanonicalSignature } from './ed25519.ts'
import { latin1 } from './latin1.ts'
import { VerificationError } from './verification-error.ts'

/** A key in the form of the signing-key document; only `jwk.x` and the two dates are used. */
export interface PublishedKey {
  /** `current`, `next` or `retired`; undefined where a saved key does not say it. */
  readonly status?: string
  /** The public key as JWK (RFC 8037). */
  readonly jwk: {
    /** Key type: OKP. */
    readonly kty: string
    /** Curve: Ed25519. */
    readonly crv: string
    /** The 32 bytes of the public key, in base64url. */
    readonly x: string
  }
  /** ISO 8601 UTC; earlier signatures are refused. Null or undefined: no limit. */
  readonly notBefore?: string | null
  /** ISO 8601 UTC; later signatures are refused. Null or undefined: no limit. */
  readonly notAfter?: string | null
}

/** An imported and validated key. */
export interface VerificationKey {
  /** RFC 7638 thumbprint, computed from the key itself. */
  readonly keyId: string
  /** The key as the document has it. */
  readonly published: PublishedKey
  /** Whether the signature (padded base64) over the text is valid for this key. The text has one byte per character. */
  isSignatureOf(text: string, signatureBase64: string): Promise<boolean>
  /** Whether the key was in use at a time, in milliseconds since 1970. */
  wasInUse(atMs: number): boolean
}

/** A date of a key in milliseconds. NaN if it is invalid, so that every comparison with it fails. */
function limitOf(date: unknown, none: number): number {
  if (typeof date === 'string') return parseInstant(date) ?? NaN
  return date === undefined || date === null ? none : NaN
}

/**
 * Reads a public key and computes its ID (RFC 7638). Reuse the result, because importing costs as
 * much as a verification. Throws a VerificationError (KEY_MALFORMED) for anything but a canonical Ed25519 key that is not of small
 * order.
 *
 * @example
 * ```ts
 * const { keyId } = await importKey({ jwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } })
 * ```
 */
export async function importKey(published: PublishedKey): Promise<VerificationKey> {
  const { kty, crv, x } = published.jwk
  const isRead = kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string'
  const bytes = isRead ? decodeBase64urlOf32(x) : undefined
  if (bytes === undefined) {
    throw new VerificationError('KEY_MALFORMED', 'expected kty OKP, crv Ed25519, x base64url')
  }
  if (!isCanonicalPoint(bytes)) {
    throw new VerificationError('KEY_MALFORMED', 'of small order or not reduced')
  }
  const isRight = await importEd25519(bytes)
  const keyId = await sha256Base64url(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
  const from = limitOf(published.notBefore, -Infinity)
  const until = limitOf(published.notAfter, Infinity)
  return {
    keyId,
    published,
    async isSignatureOf(text, signatureBase64) {
      const signature = decodeCanonicalBase64(signatureBase64, 64)
      const signed = latin1(text)
      return (
        signature !== undefined &&
        signed !== undefined &&
        isCanonicalSignature(signature) &&
        isRight(signature, signed)
      )
    },
    wasInUse: (atMs) => from <= atMs && atMs <= until,
  }
}
