/** The bytes of a text with one byte per character, as on the wire; undefined for other texts. */
export function latin1(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    // Truncated to one byte, the character would change, and with it the signed text.
    if (code > 255) return undefined
    bytes[index] = code
  }
  return bytes
}
