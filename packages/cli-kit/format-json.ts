/** Characters that a terminal obeys or hides: C0, C1, bidirectional controls and other format characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

function escapeCharacter(character: string): string {
  let escaped = ''
  for (let index = 0; index < character.length; index += 1) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  }
  return escaped
}

/** A line that is safe to print on a terminal: what it would obey or hide is escaped as in JSON. */
export function escapeInvisible(line: string): string {
  return line.replace(INVISIBLE, escapeCharacter)
}

/** A value as JSON in one line, the same for a parser as JSON.stringify writes it, and safe to print on a terminal. */
export function formatJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value))
}
