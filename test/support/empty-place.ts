/** Marks of a placeholder without a value: punctuation or brackets around nothing, or what programs write for nothing. */
const EMPTY_PLACE =
  /\(\s*\)|（\s*）|“\s*”|「\s*」|[\p{L}\p{N}]\s+[,.;](?:\s|$)|[,，、]\s*[,.，。、]|(?<![/\w])\{[a-zA-Z]+\}|\b(?:undefined|NaN)\b|\[object /u

/** The part of a rendered text that looks like a placeholder without a value; undefined without one. */
export function emptyPlaceIn(text: string): string | undefined {
  const found = EMPTY_PLACE.exec(text)
  return found === null ? undefined : text.slice(Math.max(0, found.index - 20), found.index + 30)
}
