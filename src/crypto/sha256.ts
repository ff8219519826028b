import { createHash, hash } from 'node:crypto'

/** SHA-256 of bytes or of a text's UTF-8 bytes, as base64url without padding: the digest of a resource and of an ETag. */
export function sha256Base64url(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url')
}

/** SHA-256 of bytes or of a text's UTF-8 bytes, as padded base64: what Content-Digest carries (RFC 9530). */
export function sha256Base64(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64')
}

/** SHA-256 of the parts of a body, as padded base64. */
export function sha256Base64OfParts(parts: readonly (string | Uint8Array)[]): string {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest('base64')
}

/** SHA-256 of a text's UTF-8 bytes, as lower-case hex: the hash of a version entry. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Compares the base64url SHA-256 of a resource's text, or of its UTF-8 bytes, with its digest. Returns a message with both if they differ. */
export function digestFault(text: string | Uint8Array, digest: string): string | undefined {
  const found = sha256Base64url(text)
  return found === digest ? undefined : `found the digest ${found}, expected ${digest}`
}
