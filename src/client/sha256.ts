const encoder = new TextEncoder()

/** SHA-256 of bytes, or of the UTF-8 bytes of a text, by WebCrypto. */
export function sha256(content: Uint8Array | string): Promise<Uint8Array> {
  const bytes = typeof content === 'string' ? encoder.encode(content) : content
  return crypto.subtle
    .digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
    .then((digest) => new Uint8Array(digest))
}

/** SHA-256 in lower-case hexadecimal, as the version chain writes it. */
export async function sha256Hex(text: string): Promise<string> {
  const bytes = await sha256(text)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
