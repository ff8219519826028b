/** Word joiner: no line break here. */
export const JOINED = '\u2060'
/** Zero-width space: a line may break here. */
export const SEAM = '\u200b'

/** A text without the marks of line breaking, which only the visible text of a page has: programs and searches compare it. */
export const withoutLineMarks = (text: string): string => text.replaceAll(/[\u2060\u200b]/g, '')
