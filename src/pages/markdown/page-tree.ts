import { type DefaultTreeAdapterTypes, Parser } from 'parse5'
import type { Html } from '../markup/html.ts'
import { ownTurn, writeInTurns } from '../markup/turns.ts'

export type PageElement = DefaultTreeAdapterTypes.Element
export type PageNode = DefaultTreeAdapterTypes.ChildNode

/** Elements without content for readers: code of the page, controls, and pictures whose facts a text repeats. */
const LEFT_OUT = new Set(
  'template script style svg button input select textarea altcha-widget'.split(' '),
)

/** Elements within a sentence; all others begin and end a word. */
const INLINE = new Set('a b bdi code del em i img ins small span strong time wbr'.split(' '))

const BROWSER_ATTRIBUTES = new Set(['hidden', 'popover', 'data-browser'])

export function isElement(node: PageNode): node is PageElement {
  return 'tagName' in node
}

export function isInline({ tagName }: PageElement): boolean {
  return INLINE.has(tagName)
}

export function attribute({ attrs }: PageElement, name: string): string | undefined {
  return attrs.find((each) => each.name === name)?.value
}

export function hasClass(element: PageElement, name: string): boolean {
  return attribute(element, 'class')?.split(' ').includes(name) === true
}

/** Whether an element has content only in a browser with scripts; `data-browser` marks those that need no style. */
function isForBrowsers(element: PageElement): boolean {
  return (
    LEFT_OUT.has(element.tagName) || element.attrs.some(({ name }) => BROWSER_ATTRIBUTES.has(name))
  )
}

/** The children that have content without a browser. */
export function readableChildren(element: PageElement): readonly PageNode[] {
  return element.childNodes.filter(
    (child) => child.nodeName === '#text' || (isElement(child) && !isForBrowsers(child)),
  )
}

/** The text of an element as it is, with its line breaks. */
export function textContent(element: PageElement): string {
  return readableChildren(element)
    .map((child) => (isElement(child) ? textContent(child) : 'value' in child ? child.value : ''))
    .join('')
}

/** A parser of markup that arrives in pieces. The root is an element without a name of its own. */
function openParser() {
  const parser = Parser.getFragmentParser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>(null, {
    scriptingEnabled: false,
  })
  const write = (piece: string): void => parser.tokenizer.write(piece, false)
  write('<main>')
  return {
    write,
    end(): PageElement {
      parser.tokenizer.write('</main>', true)
      const root = parser.getFragment().childNodes[0]
      if (root === undefined || !isElement(root)) throw new Error('The markup has no element')
      return root
    },
  }
}

/** The tree of markup. */
export function parseMarkup(markup: string): PageElement {
  const parser = openParser()
  parser.write(markup)
  return parser.end()
}

/** Characters that are parsed at once, which takes milliseconds where the parser runs for the first time. */
const PARSED_AT_ONCE = 8192

/** The tree of a page, whose late parts are each made in a turn of the event loop, and parsed in others. */
export async function parseInTurns(markup: Html): Promise<PageElement> {
  const parser = openParser()
  await writeInTurns(markup, async (piece) => {
    for (let start = 0; start < piece.length; start += PARSED_AT_ONCE) {
      await ownTurn()
      parser.write(piece.slice(start, start + PARSED_AT_ONCE))
    }
  })
  return parser.end()
}
