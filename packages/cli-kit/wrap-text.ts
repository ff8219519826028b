/** The words of a text in lines of limited width; longer words stay whole. Line breaks in the text are spaces. */
export function wrapText(words: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of words.trim().split(/\s+/)) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
