import {
  asParagraph,
  codeBlock,
  codeSpan,
  escapeMarkdown,
  markdownLink,
  shownText,
} from './markdown-text.ts'
import {
  attribute,
  hasClass,
  isElement,
  isInline,
  type PageElement,
  type PageNode,
  textContent,
} from './page-tree.ts'

/** The address that a link of the page has in Markdown; null leaves only its text. */
export type ResolveLink = (href: string) => URL | null

/** Marks of removed and added words, as in `git diff --word-diff`. */
const WORD_MARKS: { readonly [tag: string]: readonly [start: string, end: string] } = {
  del: [String.raw`\[-`, String.raw`-\]`],
  ins: ['{+', '+}'],
}

function isBlock(node: PageNode): boolean {
  if (!isElement(node) || node.tagName === 'br') return false
  return !isInline(node) || node.children.some(isBlock)
}

/** Emphasis begins and ends at letters; elsewhere readers disagree on what its marks mean. */
function strong(text: string): string {
  return /^[\p{L}\p{N}](?:.*[\p{L}\p{N}])?$/u.test(text) ? `**${text}**` : text
}

/** Two pieces of code that touch would be one. */
function joinInline(pieces: readonly string[]): string {
  return pieces.reduce(
    (text, piece) => text + (text.endsWith('`') && piece.startsWith('`') ? ' ' : '') + piece,
    '',
  )
}

function indent(text: string, width: number): string {
  return text.replaceAll(/\n(?=[^\n])/g, `\n${' '.repeat(width)}`)
}

/** The elements below with these names, without those inside of others of them. */
function descendants(element: PageElement, ...names: readonly string[]): readonly PageElement[] {
  return element.children
    .filter(isElement)
    .flatMap((child) => (names.includes(child.tagName) ? [child] : descendants(child, ...names)))
}

interface Block {
  readonly text: string
  /** What the items of a list begin with: `-` or `*`, or what follows their number. */
  readonly marker?: string
}

/** Writes what is within a line. */
function createLineWriter(resolveLink: ResolveLink) {
  function inline(node: PageNode): string {
    if (!isElement(node)) return escapeMarkdown(node)
    const { tagName } = node
    if (tagName === 'br') return ' '
    if (tagName === 'code') return codeSpan(textContent(node))
    if (tagName === 'img') return image(node)
    const inside = joinInline(node.children.map(inline))
    const text = inside.trim()
    if (text === '') return inside
    if (tagName === 'strong' || tagName === 'b') return inside.replace(text, () => strong(text))
    if (tagName === 'a') {
      const href = attribute(node, 'href')
      const address = href === undefined ? null : resolveLink(href)
      return inside.replace(text, () => markdownLink(text, address))
    }
    const [start, end] = WORD_MARKS[tagName] ?? ['', '']
    return inside.replace(text, () => start + text + end)
  }

  function image(element: PageElement): string {
    const alt = escapeMarkdown(attribute(element, 'alt') ?? '').trim()
    const address = resolveLink(attribute(element, 'src') ?? '')
    return alt === '' ? '' : `!${markdownLink(alt, address)}`.replace(/^!(?!\[)/, '')
  }

  const lineOf = (nodes: readonly PageNode[]): string =>
    shownText(joinInline(nodes.map(inline))).trim()

  /** All text of an element in one line. */
  function flat(element: PageElement): string {
    const pieces = element.children.map((child) =>
      isElement(child) && isBlock(child) ? ` ${flat(child)} ` : inline(child),
    )
    return shownText(joinInline(pieces)).trim()
  }

  return { lineOf, flat }
}

function listItem(marker: string, blocks: readonly Block[]): string {
  const text = blocks
    .map((block, index) => (index === 0 ? '' : block.marker ? '\n' : '\n\n') + block.text)
    .join('')
  return `${marker} ${indent(text, marker.length + 1)}`
}

/** A list. Two lists that follow each other have different markers, so that they remain two. */
function list(
  items: readonly (readonly Block[])[],
  [marker, other]: readonly [string, string],
  previous: Block | undefined,
  isNumbered = false,
): readonly Block[] {
  const shown = items.filter((blocks) => blocks.length > 0)
  if (shown.length === 0) return []
  const used = previous?.marker === marker ? other : marker
  const lines = shown.map((item, index) => listItem((isNumbered ? index + 1 : '') + used, item))
  return [{ text: lines.join('\n'), marker: used }]
}

/**
 * Markdown of the readable parts of a page: CommonMark with the tables of GitHub. It contains no HTML: published text
 * is escaped, whatever it is.
 */
export function writeMarkdown(root: PageElement, resolveLink: ResolveLink): string {
  const { lineOf, flat } = createLineWriter(resolveLink)

  function heading(element: PageElement): readonly Block[] {
    const text = flat(element)
    const marks = '#'.repeat(Number(element.tagName.slice(1)))
    return text === '' ? [] : [{ text: `${marks} ${text}` }]
  }

  function definitions(element: PageElement): readonly (readonly Block[])[] {
    const items: Block[][] = []
    const described = new Set<Block[]>()
    for (const part of descendants(element, 'dt', 'dd')) {
      if (part.tagName === 'dt') {
        items.push([{ text: asParagraph(flat(part)) }])
        continue
      }
      const item = items.at(-1)
      const [first, ...more] = blocksOf(part)
      if (item === undefined || first === undefined) continue
      const [term] = item
      const isLine = item.length === 1 && !first.marker && !first.text.includes('\n')
      const mark = described.has(item) ? ', ' : ': '
      if (term === undefined || !isLine) item.push(first, ...more)
      else item.splice(0, 1, { text: term.text + mark + first.text }, ...more)
      described.add(item)
    }
    return items
  }

  function table(element: PageElement): readonly Block[] {
    const [caption] = descendants(element, 'caption')
    const rows = descendants(element, 'tr').map((row) =>
      descendants(row, 'th', 'td').map((cell) => cellText(cell)),
    )
    const [head = [], ...body] = rows
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
    const text = [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
    return [...(caption ? blocksOf(caption) : []), ...(rows.length === 0 ? [] : [{ text }])]
  }

  /** Cells end at a pipe, in code too. */
  function cellText(cell: PageElement): string {
    return flat(cell).replaceAll(/(?<!\\)\|/g, String.raw`\|`)
  }

  function blockOf(element: PageElement, previous: Block | undefined): readonly Block[] {
    const { tagName } = element
    const items = () => element.children.filter(isElement).map((item) => blocksOf(item))
    if (/^h[1-6]$/.test(tagName)) return heading(element)
    if (tagName === 'ul') return list(items(), ['-', '*'], previous)
    if (tagName === 'ol') return list(items(), ['.', ')'], previous, true)
    if (tagName === 'dl') return list(definitions(element), ['-', '*'], previous)
    if (tagName === 'blockquote') {
      return blocksOf(element).map(({ text }) => ({ text: text.replaceAll(/^/gm, '> ') }))
    }
    if (tagName === 'pre') {
      const text = textContent(element)
      const language = hasClass(element, 'json') ? 'json' : ''
      return text.trim() === '' ? [] : [{ text: codeBlock(text, language) }]
    }
    return tagName === 'table' ? table(element) : blocksOf(element)
  }

  /** The blocks of an element; text between blocks is a paragraph. */
  function blocksOf(element: PageElement): readonly Block[] {
    const blocks: Block[] = []
    let run: PageNode[] = []
    const endRun = () => {
      const line = lineOf(run)
      run = []
      if (line !== '') blocks.push({ text: asParagraph(line) })
    }
    for (const child of element.children) {
      if (!isElement(child) || !isBlock(child)) {
        run.push(child)
        continue
      }
      endRun()
      blocks.push(...blockOf(child, blocks.at(-1)))
    }
    endRun()
    return blocks
  }

  const blocks = blocksOf(root)
  return `${blocks.map(({ text }) => text).join('\n\n')}\n`
}
