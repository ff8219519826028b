import { encodeBase64, encodeBase64url } from './base64.ts'
import { mlDsa44Spki } from './ml-dsa-44-spki.ts'
import type { ImportEd25519, ImportMlDsa44, Sha256, Sha256Bytes } from './platform-crypto.ts'

// WebCrypto does not accept shared memory. All bytes here come from fetch, a text or base64.
type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** The hash of a leaf or node of the log's tree. */
export const sha256: Sha256Bytes = async (content) => {
  const bytes = typeof content === 'string' ? encoder.encode(content) : content
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Bytes))
}

/** Padded: the form in Content-Digest (RFC 9530). */
export const sha256Base64: Sha256 = async (content) => encodeBase64(await sha256(content))

/** Without padding: the ID of a key (RFC 7638), the digest of an ETag. */
export const sha256Base64url: Sha256 = async (content) => encodeBase64url(await sha256(content))

/** Lower case: the hash of a version entry. */
export const sha256Hex: Sha256 = async (content) =>
  Array.from(await sha256(content), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Rejects in browsers without Ed25519. */
export const importEd25519: ImportEd25519 = async (publicKey) => {
  const { subtle } = crypto
  const key = await subtle.importKey('raw', publicKey as Bytes, 'Ed25519', false, ['verify'])
  return (signature, signed) => subtle.verify('Ed25519', key, signature as Bytes, signed as Bytes)
}

/** Chromium from version 156, Bun and Deno can. */
export const importMlDsa44: ImportMlDsa44 = async (publicKey) => {
  const { subtle } = crypto
  const spki = mlDsa44Spki(publicKey) as Bytes
  try {
    const key = await subtle.importKey('spki', spki, 'ML-DSA-44', false, ['verify'])
    return (signature, signed) =>
      subtle.verify('ML-DSA-44', key, signature as Bytes, signed as Bytes)
  } catch {
    return undefined
  }
}
