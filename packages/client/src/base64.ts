import { latin1 } from './latin1.ts'

// Strict on purpose: encodings that only some decoders accept would make verifiers disagree. No white space, no missing
// padding, no characters of the other alphabet, and no trailing bits (RFC 4648 3.5). 32 or 64 bytes then have exactly
// one encoding, which a regular expression can recognize.

const BYTES_64 = /^[A-Za-z0-9+/]{85}[AQgw]==$/
const BYTES_32 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/
const ANY_BYTES = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const BYTES_32_URL = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

function bytesOf(base64: string): Uint8Array {
  // atob returns one character per byte.
  return latin1(atob(base64)) as Uint8Array
}

/** 64 bytes from padded base64; undefined unless the text is their canonical encoding. */
export function decodeBase64Of64(text: string): Uint8Array | undefined {
  return BYTES_64.test(text) ? bytesOf(text) : undefined
}

/** 32 bytes from base64url without padding; undefined unless the text is their canonical encoding. */
export function decodeBase64urlOf32(text: string): Uint8Array | undefined {
  return BYTES_32_URL.test(text)
    ? bytesOf(text.replaceAll('-', '+').replaceAll('_', '/'))
    : undefined
}

/** 32 bytes from padded base64; undefined unless the text is their canonical encoding. */
export function decodeBase64Of32(text: string): Uint8Array | undefined {
  return BYTES_32.test(text) ? bytesOf(text) : undefined
}

/** Bytes from padded base64; undefined unless the text is their canonical encoding. */
export function decodeCanonicalBase64(text: string): Uint8Array | undefined {
  const bytes = ANY_BYTES.test(text) ? bytesOf(text) : undefined
  return bytes !== undefined && encodeBase64(bytes) === text ? bytes : undefined
}

/** Bytes from any padded base64 (RFC 4648 section 4). Throws a DOMException for any other text. */
export function decodeBase64(text: string): Uint8Array {
  return bytesOf(text)
}

/** Padded base64 (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** base64url without padding (RFC 4648 section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
