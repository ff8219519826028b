import { createHash, createPublicKey, verify } from 'node:crypto'
import { mlDsa44Spki } from '../ml-dsa-44-spki.ts'
import type { ImportEd25519, ImportMlDsa44, Sha256, Sha256Bytes } from '../platform-crypto.ts'

// The same OpenSSL as behind Node's WebCrypto, called synchronously. Another thread costs a fifth of a signature
// check and several times a hash, and Node 20 prints a warning about Ed25519 in WebCrypto.

const digest = (content: Uint8Array | string, encoding: 'base64' | 'base64url' | 'hex') =>
  createHash('sha256').update(content).digest(encoding)

/** The hash of a leaf or node of the log's tree. */
export const sha256: Sha256Bytes = (content) => createHash('sha256').update(content).digest()

/** Padded: the form in Content-Digest (RFC 9530). */
export const sha256Base64: Sha256 = (content) => digest(content, 'base64')

/** Without padding: the ID of a key (RFC 7638), the digest of an ETag. */
export const sha256Base64url: Sha256 = (content) => digest(content, 'base64url')

/** Lower case: the hash of a version entry. */
export const sha256Hex: Sha256 = (content) => digest(content, 'hex')

/** OpenSSL 3.5 can: reading the key asks it, because versions of Node with it differ in what they say of themselves. */
export const importMlDsa44: ImportMlDsa44 = (publicKey) => {
  try {
    const der = Buffer.from(mlDsa44Spki(publicKey))
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return (signature, signed) => verify(null, signed, key, signature)
  } catch {
    return undefined
  }
}

/** Throws unless the bytes are a curve point. */
export const importEd25519: ImportEd25519 = (publicKey) => {
  const x = Buffer.from(publicKey).toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return (signature, signed) => verify(null, signed, key, signature)
}
