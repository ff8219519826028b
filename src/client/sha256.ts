import { digestSha256 } from '#digest'

const encoder = new TextEncoder()

/** SHA-256 of bytes, or of the UTF-8 bytes of a text, by what the platform does best (`imports` in package.json). */
export async function sha256(content: Uint8Array | string): Promise<Uint8Array> {
  return digestSha256(typeof content === 'string' ? encoder.encode(content) : content)
}

/** SHA-256 in lower-case hexadecimal, as the version chain writes it. */
export async function sha256Hex(text: string): Promise<string> {
  const bytes = await sha256(text)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
