import { withoutLineMarks } from '@public-api/contract/text/line-marks'

/** Characters that have a meaning anywhere in a line (CommonMark 0.31, GitHub Flavored Markdown 0.29). */
const SPECIAL = /[\\`*_[\]<>~|]|&(?=#|[a-zA-Z])|(?<=^|\s)#/g

/** What begins a block of another kind: a list, an underline of a heading, a thematic break. */
const BLOCK_START = /^(?:[-+=]|\d+(?=[.)]))/

/** Spaces that a page collapses. */
const SPACES = /[ \t\n\r\f]+/g

/** Text as a browser shows it: each run of space is one. */
export function shownText(text: string): string {
  return withoutLineMarks(text).replaceAll(SPACES, ' ')
}

/** Text that no reader of Markdown takes for markup, HTML or a link. Line breaks become spaces. */
export function escapeMarkdown(text: string): string {
  return shownText(text).replaceAll(SPECIAL, String.raw`\$&`)
}

/** A line as a block of its own, which begins no other kind of block. */
export function asParagraph(line: string): string {
  return line.replace(BLOCK_START, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}

function longestRun(text: string, character: string): number {
  let longest = 0
  let run = 0
  for (const each of text) {
    run = each === character ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

/** A code span. Empty text has none, and tables need another form of text with both a backslash and a pipe. */
export function codeSpan(text: string): string {
  const shown = shownText(text)
  if (shown.trim() === '') return shown
  if (shown.includes('|') && shown.includes('\\')) return escapeMarkdown(shown)
  const fence = '`'.repeat(longestRun(shown, '`') + 1)
  // A space on each side is removed by readers, so that the code may begin with a backtick or a space.
  const needsSpace = /^[` ]|[` ]$/.test(shown)
  return needsSpace ? `${fence} ${shown} ${fence}` : fence + shown + fence
}

/** A block of code with its line breaks. */
export function codeBlock(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1))
  return `${fence}${language}\n${text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')}\n${fence}`
}

/** Characters of a serialized URL that could end the link or a cell of a table. */
const ENDS_LINK = /[()|\\<>]/g

/** A link to a page or an address; of any other, such as one to a script, only the text is left. */
export function markdownLink(text: string, address: URL | null): string {
  if (address === null || !['http:', 'https:', 'mailto:'].includes(address.protocol)) return text
  const target = address.href
    .replaceAll(ENDS_LINK, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll(/&(?=#|[a-zA-Z])/g, String.raw`\&`)
  return `[${text}](${target})`
}
