import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'
import { selectorTest } from './selector.ts'

/** A page as a parser of HTML sees it. */
export interface PageMarkup {
  /** Elements that a selector of CSS finds, in the order of the page; those in templates are among them. */
  all(selector: string): readonly PageElement[]
  /** Every value of `id`. */
  readonly ids: readonly string[]
}

/** An element of a page: a node of parse5 with some members of the DOM. */
export class PageElement implements DefaultTreeAdapterTypes.Element {
  readonly nodeName: string
  readonly tagName: string
  readonly namespaceURI: DefaultTreeAdapterTypes.Element['namespaceURI']
  readonly attrs: DefaultTreeAdapterTypes.Element['attrs']
  parentNode: DefaultTreeAdapterTypes.ParentNode | null = null
  childNodes: DefaultTreeAdapterTypes.ChildNode[] = []

  constructor(
    tagName: string,
    namespaceURI: PageElement['namespaceURI'],
    attrs: PageElement['attrs'],
  ) {
    this.nodeName = tagName
    this.tagName = tagName
    this.namespaceURI = namespaceURI
    this.attrs = attrs
  }

  get parentElement(): PageElement | null {
    return this.parentNode instanceof PageElement ? this.parentNode : null
  }

  get textContent(): string {
    return textOf(this)
  }

  /** An attribute's value; undefined for a missing attribute. */
  attribute(name: string): string | undefined {
    return this.attrs.find((each) => each.name === name)?.value
  }

  hasAttribute(name: string): boolean {
    return this.attribute(name) !== undefined
  }

  querySelectorAll(selector: string): readonly PageElement[] {
    return elementsIn(this).filter(selectorTest(selector))
  }

  querySelector(selector: string): PageElement | null {
    return this.querySelectorAll(selector)[0] ?? null
  }
}

function textOf(node: DefaultTreeAdapterTypes.ParentNode): string {
  return node.childNodes
    .map((child) => {
      if (defaultTreeAdapter.isTextNode(child)) return child.value
      return child instanceof PageElement ? textOf(child) : ''
    })
    .join('')
}

/** The elements in a node, in their order. */
function elementsIn(
  node: DefaultTreeAdapterTypes.ParentNode,
  found: PageElement[] = [],
): readonly PageElement[] {
  for (const child of node.childNodes) {
    if (!(child instanceof PageElement)) continue
    found.push(child)
    elementsIn(child, found)
  }
  return found
}

const treeAdapter: typeof defaultTreeAdapter = {
  ...defaultTreeAdapter,
  createElement: (tagName, namespaceURI, attrs) => new PageElement(tagName, namespaceURI, attrs),
  // The content of a template is in the template, as in its text.
  getTemplateContent: (template) => template as unknown as DefaultTreeAdapterTypes.DocumentFragment,
  setTemplateContent() {},
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
export function attributeOf(element: PageElement, name: string): string | undefined {
  const value = element.attribute(name)
  return value === '' ? undefined : value
}

/** The text in an element, with every run of space as one. */
export function textIn(element: PageElement): string {
  return element.textContent.replaceAll(/\s+/g, ' ').trim()
}

/** The parsed pages by their text: tests read most pages twice or more. */
const parsedPages = new Map<string, WeakRef<PageMarkup>>()

/** Parses a whole page. Throws at an error of the syntax. */
export function parsePage(text: string): PageMarkup {
  const known = parsedPages.get(text)?.deref()
  if (known !== undefined) return known
  const elements = elementsIn(
    parse(text, {
      treeAdapter,
      // What a browser without scripts shows is parsed as elements.
      scriptingEnabled: false,
      onParseError({ code, startLine }) {
        throw new Error(`line ${startLine}: ${code}`)
      },
    }),
  )
  const page: PageMarkup = {
    all: (selector) => elements.filter(selectorTest(selector)),
    ids: elements.flatMap((element) => attributeOf(element, 'id') ?? []),
  }
  parsedPages.set(text, new WeakRef(page))
  return page
}
