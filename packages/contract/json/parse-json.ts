/**
 * The value of a JSON text, or of its UTF-8 bytes; undefined if it is not JSON. The parser's error is dropped, because
 * it quotes the text.
 */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(
      typeof text === 'string' ? text : new TextDecoder('utf-8', { fatal: true }).decode(text),
    )
  } catch {
    return undefined
  }
}
