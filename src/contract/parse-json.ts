/**
 * The value of a JSON text, or of its UTF-8 bytes; undefined for anything else. It reports nothing more, since the parser's
 * own error quotes the text.
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
