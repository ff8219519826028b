import { partOf } from '@public-api/contract/text/part-of'
import { pathOfPage } from '../addresses.ts'
import { shownText } from '../markdown/markdown-text.ts'
import {
  attribute,
  contentTree,
  hasClass,
  isElement,
  isInline,
  type PageElement,
} from '../markdown/page-tree.ts'
import { plainText } from '../markup/rich-text.ts'
import { ownTurn } from '../markup/turns.ts'
import { isListed, type Page, type PageContext } from '../page.ts'

/** A place on a page: the id of its heading, the heading, and the text below it. */
type SearchEntry = readonly [id: string, heading: string, text: string]

/** What the search script reads. The first entry of a page has no id: it has the text before the first place. */
export interface SearchIndex {
  readonly pages: readonly SearchedPage[]
  /** What the search says below its results, if it does not find everything. */
  readonly note?: string
}

interface SearchedPage {
  readonly path: string
  readonly title: string
  readonly entries: readonly SearchEntry[]
}

const HEADING = /^h[2-4]$/
/** Rows of tables have ids of their own; the heading above them names them. */
const ROW = 'tr'

/** Whether it is a duration that goes on, or a sentence that says how long ago something was. */
const isAge = ({ attributes, children }: PageElement): boolean =>
  /\sdata-elapsed\b/.test(attributes) ||
  children.some((child) => isElement(child) && /\sdata-ago\b/.test(child.attributes))

const spaceBeside = (element: PageElement): string => (isInline(element) ? '' : ' ')

/** The places of a page in order. Examples of requests and responses are left out. */
function entriesOf(root: PageElement): readonly SearchEntry[] {
  let last = { id: '', heading: '', text: '' }
  const entries = [last]
  const begin = (id: string, heading: string): void => {
    last = { id, heading, text: '' }
    entries.push(last)
  }

  function visit(element: PageElement, nearestId: string): void {
    const { tagName } = element
    const id = attribute(element, 'id') ?? nearestId
    if (tagName === 'pre' || tagName === 'h1' || hasClass(element, 'samples')) return
    // The script of a page keeps it current; no script does that for the index.
    if (isAge(element)) return
    if (HEADING.test(tagName) && id !== '') {
      begin(id, textOf(element))
      return
    }
    if (tagName === ROW && attribute(element, 'id') !== undefined) {
      begin(id, last.heading)
    }
    const space = spaceBeside(element)
    last.text += space
    for (const child of element.children) {
      if (isElement(child)) visit(child, id)
      else last.text += child
    }
    last.text += space
  }

  visit(root, '')
  return entries.map(({ id, heading, text }) => [id, heading, shownText(text).trim()])
}

function textOf(element: PageElement): string {
  const text = element.children.map((child) =>
    isElement(child) ? `${textOf(child)}${spaceBeside(child)}` : child,
  )
  return shownText(text.join('')).trim()
}

/** A visitor's browser loads all of it. */
const MAX_BYTES = 200_000
/** Characters of the text of each place, if those of all places together are too many. */
const CUTS = [Infinity, 2000, 1000, 500, 200, 50] as const

/**
 * The index of a language as JSON, with every listed page of these and each of its headings. If it would be too large, the
 * texts of places are cut to the same length, and the index says so, as it says what is not among these pages (`left`).
 * Between parts of pages other requests are handled, because rendering all of them takes a while.
 */
export async function renderSearchIndex(
  context: PageContext,
  pages: readonly Page[],
  left?: string,
): Promise<string> {
  const { locale, texts, facts } = context
  const found: SearchedPage[] = []
  for (const page of pages.filter((each) => isListed(each, facts))) {
    await ownTurn()
    const root = await contentTree(page.body(context))
    const path = pathOfPage(locale, page.path)
    found.push({ path, title: page.title(texts), entries: entriesOf(root) })
  }
  let json = ''
  for (const characters of CUTS) {
    await ownTurn()
    const cut = found.map(({ entries, ...page }) => ({
      ...page,
      entries: entries.map(([id, heading, text]) => [id, heading, partOf(text, 0, characters)]),
    }))
    const isCut = Number.isFinite(characters)
    const notes = [isCut ? plainText(texts.search.cut, { count: characters }) : undefined, left]
    const note = notes.filter((each) => each !== undefined).join(' ')
    json = JSON.stringify({ pages: cut, ...(note !== '' && { note }) })
    if (Buffer.byteLength(json) <= MAX_BYTES) break
  }
  return json
}
