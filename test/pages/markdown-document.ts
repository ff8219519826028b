import MarkdownIt, { type Token } from 'markdown-it'

/** A reader of CommonMark and tables that takes HTML for HTML. */
const READER = new MarkdownIt({ html: true, linkify: false })

/** What an independent reader finds in a Markdown document. */
export interface MarkdownDocument {
  readonly headings: readonly string[]
  /** All text, without any space. */
  readonly text: string
  readonly links: readonly string[]
  /** Raw HTML, which a document of this service never contains. */
  readonly rawHtml: readonly string[]
  /** The kinds of blocks and marks, in order. */
  readonly kinds: readonly string[]
}

export const withoutSpaces = (text: string): string => text.replaceAll(/[\s\u200b\u2060]+/g, '')

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ content, children, type }) => {
      if (children !== null && type === 'inline') return textOf(children)
      return type === 'image' || /^(?:text|code_inline|fence|html_.*)$/.test(type) ? content : ' '
    })
    .join('')
}

export function readMarkdown(markdown: string): MarkdownDocument {
  const blocks = READER.parse(markdown, {})
  const all = blocks.flatMap((block) => [block, ...(block.children ?? [])])
  return {
    headings: blocks.flatMap(({ type, tag }, index) => {
      const inside = blocks[index + 1]
      if (type !== 'heading_open' || inside === undefined) return []
      return [`${tag} ${withoutSpaces(textOf([inside]))}`]
    }),
    text: withoutSpaces(textOf(blocks)),
    links: all.flatMap((token) => {
      if (token.type === 'link_open') return [String(token.attrGet('href'))]
      return token.type === 'image' ? [String(token.attrGet('src'))] : []
    }),
    rawHtml: all.filter(({ type }) => type.startsWith('html_')).map(({ content }) => content),
    kinds: all.map(({ type }) => type),
  }
}
