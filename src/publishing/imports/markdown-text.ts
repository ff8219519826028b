import MarkdownIt, { type Token } from 'markdown-it'

/** CommonMark, and tables and struck-through text of GFM, to refuse them. The text of a link is never rewritten. */
const MARKDOWN = new MarkdownIt('commonmark').enable(['table', 'strikethrough'])
MARKDOWN.normalizeLinkText = (url) => url
MARKDOWN.validateLink = () => true

/** The blocks of a text in CommonMark, as the parser lists them. */
export function parseMarkdown(text: string): readonly Token[] {
  return MARKDOWN.parse(text, {})
}

/** Whether a piece of HTML is a whole comment. */
export const isComment = (html: string): boolean => /^\s*(?:<!--[^]*?-->\s*)+$/.test(html)

/** Text of one line without its marks: links by their text, code verbatim. `lost` names a mark that would be lost. */
export function inlineText({ children }: Token): {
  readonly text: string
  readonly lost: string | undefined
} {
  let text = ''
  let lost: string | undefined
  let isAfterComment = false
  for (const { type, content } of children ?? []) {
    // Of two spaces around a comment, one stays.
    if (isAfterComment && text.endsWith(' ') && /^(?:\s|$)/.test(content)) text = text.slice(0, -1)
    isAfterComment = type === 'html_inline' && isComment(content)
    if (type === 'text') text += content.replaceAll(/\s+/g, ' ')
    else if (type === 'code_inline') text += content
    else if (type === 'softbreak' || type === 'hardbreak') text += ' '
    else if (type === 'image') lost ??= 'an image'
    else if (type === 's_open') lost ??= 'struck-through text'
    else if (type === 'html_inline' && !isAfterComment) lost ??= 'an HTML tag'
  }
  if (/^\[[ xX]\]\s/.test(text)) lost ??= 'a checkbox'
  return { text: text.trim(), lost }
}

/** A text in CommonMark as plain text: paragraphs with an empty line between them, and items of lists in lines. */
export function plainMarkdown(markdown: string): string {
  let [text, separator] = ['', '']
  for (const token of parseMarkdown(markdown)) {
    if (token.type === 'list_item_open') separator = `${separator.slice(0, 2) || '\n'}- `
    else if (token.nesting === 1 && token.block && separator === '') separator = '\n\n'
    else if (token.type === 'fence' || token.type === 'code_block') {
      text += `\n\n${token.content.trim()}`
    } else if (token.type === 'inline') {
      text += separator + inlineText(token).text
      separator = ''
    }
  }
  return text.trim()
}
