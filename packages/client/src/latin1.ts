/** One byte a character, as on the wire; undefined for a text that was on no wire. */
export function latin1(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    // Cut to one byte it would be taken for another character, and the text for one that was signed.
    if (code > 255) return undefined
    bytes[index] = code
  }
  return bytes
}
