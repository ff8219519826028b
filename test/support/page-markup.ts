import { Parser, StaticConfigLoader, type HtmlElement } from 'html-validate'

/** A page as a parser of HTML sees it. */
export interface PageMarkup {
  /** Elements that a selector of CSS finds, in the order of the page; those in templates are among them. */
  all(selector: string): readonly HtmlElement[]
  /** Every value of `id`. */
  readonly ids: readonly string[]
}

const ENTITIES: { readonly [name: string]: string } = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Text without the entities that `escapeHtml` writes. */
export function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}

/** An attribute's value; undefined for a missing attribute or one without a value. */
export function attributeOf(element: HtmlElement, name: string): string | undefined {
  const value = element.getAttributeValue(name)
  return value === null ? undefined : unescapeHtml(value)
}

/** The text in an element, with every run of space as one. */
export function textIn(element: HtmlElement): string {
  return unescapeHtml(element.textContent).replaceAll(/\s+/g, ' ').trim()
}

const config = await new StaticConfigLoader({ root: true, elements: ['html5'] }).getConfigFor('')

/** The parsed pages by their text: tests read most pages twice or more. */
const parsedPages = new Map<string, WeakRef<PageMarkup>>()

/** Parses a whole page. Throws if the parser fails. */
export function parsePage(text: string): PageMarkup {
  const known = parsedPages.get(text)?.deref()
  if (known !== undefined) return known
  const root = new Parser(config).parseHtml(text)
  const page: PageMarkup = {
    all: (selector) => root.querySelectorAll(selector),
    ids: root.querySelectorAll('[id]').flatMap((element) => attributeOf(element, 'id') ?? []),
  }
  parsedPages.set(text, new WeakRef(page))
  return page
}
