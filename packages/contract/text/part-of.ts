/** A part of a text, without halves of characters that UTF-16 writes as two units. */
export const partOf = (text: string, start: number, end: number): string =>
  text.slice(start, end).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
