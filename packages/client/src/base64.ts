import { latin1 } from './latin1.ts'

// Strict on purpose: encodings that only some decoders accept would make verifiers disagree. No white space, no missing
// padding, no characters of the other alphabet, and no trailing bits (RFC 4648 3.5).

const ANY_BYTES = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const URL_ALPHABET = /^[A-Za-z0-9_-]*$/

function bytesOf(base64: string): Uint8Array {
  // atob returns one character per byte.
  return latin1(atob(base64)) as Uint8Array
}

/** Bytes from padded base64; undefined unless the text is their canonical encoding, and for another number of bytes. */
export function decodeCanonicalBase64(text: string, length?: number): Uint8Array | undefined {
  const bytes = ANY_BYTES.test(text) ? bytesOf(text) : undefined
  const isCanonical = bytes !== undefined && encodeBase64(bytes) === text
  return isCanonical && (length ?? bytes.length) === bytes.length ? bytes : undefined
}

/** 32 bytes from base64url without padding; undefined unless the text is their canonical encoding. */
export function decodeBase64urlOf32(text: string): Uint8Array | undefined {
  const padded = `${text.replaceAll('-', '+').replaceAll('_', '/')}=`
  return URL_ALPHABET.test(text) ? decodeCanonicalBase64(padded, 32) : undefined
}

/** Bytes from any padded base64 (RFC 4648 section 4). Throws a DOMException for any other text. */
export function decodeBase64(text: string): Uint8Array {
  return bytesOf(text)
}

/** Padded base64 (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** base64url without padding (RFC 4648 section 5) of the same bytes. */
export function base64urlOf(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** base64url without padding (RFC 4648 section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return base64urlOf(encodeBase64(bytes))
}
