import { pageContent } from '../layout.ts'
import type { Html } from '../markup/html.ts'
import { ownTurn, writeInTurns } from '../markup/turns.ts'
import type { PageBody } from '../page.ts'

/** An element of a page with what a reader without a browser has of it. */
export interface PageElement {
  readonly tagName: string
  /** As they are written: names, and values in quotation marks. */
  readonly attributes: string
  readonly children: PageNode[]
}

/** An element or a text. */
export type PageNode = PageElement | string

/** Elements within a sentence; all others begin and end a word. */
const INLINE = new Set('a b bdi code del em i img ins small span strong time wbr'.split(' '))

/** Elements without content for readers: code of the page, controls, and pictures whose facts a text repeats. */
const LEFT_OUT = 'template|script|style|svg|button|select|textarea|altcha-widget'

/** An element that is left out, a tag, or a text. Pages have no comments, and no unescaped `<` elsewhere. */
const TOKEN = new RegExp(
  String.raw`<(?:input|(${LEFT_OUT})\b.*?<\/\1)\b[^>]*>|<(\/?)([a-z][a-z\d-]*)([^>]*)>|[^<]+`,
  'gs',
)

/** An attribute of what only a browser shows; `data-browser` marks the elements that need no style. */
const FOR_BROWSERS = /\s(?:hidden|popover|data-browser)\b(?!-)/

const ENTITIES: { readonly [entity: string]: string } = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}

function unescape(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
}

export function isElement(node: PageNode): node is PageElement {
  return typeof node !== 'string'
}

export function isInline({ tagName }: PageElement): boolean {
  return INLINE.has(tagName)
}

/** The value of an attribute; undefined without one. */
export function attribute({ attributes }: PageElement, name: string): string | undefined {
  const start = attributes.search(new RegExp(String.raw`\s${name}="`))
  if (start === -1) return undefined
  const [, value = ''] = attributes.slice(start).split('"', 2)
  return unescape(value)
}

export function hasClass(element: PageElement, name: string): boolean {
  return attribute(element, 'class')?.split(' ').includes(name) === true
}

/** The text of an element as it is, with its line breaks. */
export function textContent(element: PageElement): string {
  return element.children.map((child) => (isElement(child) ? textContent(child) : child)).join('')
}

/** Builds the tree of markup from its tokens. The root is an element without a name of its own. */
function openTree() {
  const root: PageElement = { tagName: 'main', attributes: '', children: [] }
  const open = [root]
  return {
    root,
    add([text, , end, tagName, attributes = '']: RegExpExecArray): void {
      const parent = open.at(-1) ?? root
      if (tagName === undefined) {
        if (!text.startsWith('<')) parent.children.push(unescape(text))
      } else if (end === '') {
        const element = { tagName, attributes, children: [] }
        const isForBrowsers = FOR_BROWSERS.test(attributes.replaceAll(/"[^"]*"/g, ''))
        if (!isForBrowsers) parent.children.push(element)
        if (!attributes.endsWith('/')) open.push(element)
      } else if (parent.tagName === tagName) open.pop()
      else throw new Error(`The markup has </${tagName}> in <${parent.tagName}>`)
    },
  }
}

/** The tree of markup. */
export function parseMarkup(markup: string): PageElement {
  const tree = openTree()
  for (const token of markup.matchAll(TOKEN)) tree.add(token)
  return tree.root
}

/** Characters that are parsed at once, which takes milliseconds where the parser runs for the first time. */
const PARSED_AT_ONCE = 8192

/** The tree of a page, whose late parts are each made in a turn of the event loop, and parsed in others. */
export async function parseInTurns(markup: Html): Promise<PageElement> {
  let text = ''
  await writeInTurns(markup, (piece) => {
    text += piece
  })
  const tree = openTree()
  let end = 0
  for (const token of text.matchAll(TOKEN)) {
    if (token.index >= end) {
      await ownTurn()
      end = token.index + PARSED_AT_ONCE
    }
    tree.add(token)
  }
  return tree.root
}

const trees = new WeakMap<PageBody, Promise<PageElement>>()

/** The tree of the content of a page. A copy makes the Markdown and a part of the search index from the same one. */
export function contentTree(body: PageBody): Promise<PageElement> {
  const tree = trees.get(body) ?? parseInTurns(pageContent(body))
  trees.set(body, tree)
  return tree
}
