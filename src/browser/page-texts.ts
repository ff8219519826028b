/** A text with a form for each plural category that its language has (CLDR). */
interface PluralForms {
  readonly [category: string]: string
}

/** The values of placeholders, by name. */
export interface TextValues {
  readonly [place: string]: string | number
}

/** A text whose places may hold elements: what to put into an element, one after another. */
export type RichText = readonly (string | Node)[]

/** Texts that the server wrote into the page for its script, by the keys they have in the locale file. */
export interface PageTexts {
  /** A text with its `{places}` filled. Throws an Error for a key or a place that is not there. */
  text(key: string, values?: TextValues): string
  /** A text whose values are shown as `code`, unless they are nodes. */
  richText(key: string, values: { readonly [place: string]: string | number | Node }): RichText
  /** A counted text in the form that the page's language asks for; `{count}` is written as the language does. */
  count(key: string, count: number, values?: TextValues): string
}

const PLACEHOLDER = /\{([a-zA-Z]+)\}/g

function fill(text: string, values: TextValues): string {
  return text.replaceAll(PLACEHOLDER, (_place, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`"${text}" has no value for {${name}}`)
    return String(value)
  })
}

/** What a machine says, as an element. */
export function codeElement(text: string): HTMLElement {
  const element = document.createElement('code')
  element.textContent = text
  return element
}

/** The pieces of a text, with an element for each place. */
function fillWithNodes(
  text: string,
  values: { readonly [place: string]: string | number | Node },
): RichText {
  // Every second piece is the name of a place.
  return text.split(PLACEHOLDER).flatMap((piece, index): RichText => {
    if (index % 2 === 0) return piece === '' ? [] : [piece]
    const value = values[piece]
    if (value === undefined) throw new Error(`"${text}" has no value for {${piece}}`)
    return [value instanceof Node ? value : codeElement(String(value))]
  })
}

/** A member of a tree of texts by a key with dots, such as `steps.digest`. */
function memberAt(texts: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>(
      (branch, name) =>
        typeof branch === 'object' && branch !== null && Object.hasOwn(branch, name)
          ? (branch as { readonly [name: string]: unknown })[name]
          : undefined,
      texts,
    )
}

/** Texts by a tree of them, for a language. */
function textsFrom(name: string, tree: unknown, language: string): PageTexts {
  const missing = (key: string): Error =>
    new Error(`The page has no text ${key} among those called "${name}"`)
  function textAt(key: string): string {
    const text = memberAt(tree, key)
    if (typeof text !== 'string') throw missing(key)
    return text
  }
  return {
    text: (key, values = {}) => fill(textAt(key), values),
    richText: (key, values) => fillWithNodes(textAt(key), values),
    count(key, count, values = {}) {
      const forms = memberAt(tree, key)
      if (typeof forms !== 'object' || forms === null) throw missing(key)
      const category = new Intl.PluralRules(language).select(count)
      const { other, ...rest } = forms as PluralForms
      const text = rest[category] ?? other
      if (text === undefined) throw missing(key)
      return fill(text, { count: new Intl.NumberFormat(language).format(count), ...values })
    },
  }
}

function textsIn(page: Document, name: string): PageTexts {
  const holder = page.querySelector<HTMLTemplateElement>(`template[data-texts="${name}"]`)
  const json = holder?.content.textContent
  if (json === undefined || json === null) throw new Error(`The page has no texts called "${name}"`)
  return textsFrom(name, JSON.parse(json), page.documentElement.lang)
}

/**
 * Reads the texts that the server wrote into the page under a name (`scriptTexts` of src/pages/script-texts.ts), so that
 * a script holds no word for people itself. Throws an Error where the page has none of that name.
 */
export function readPageTexts(name: string): PageTexts {
  return textsIn(document, name)
}

/**
 * The same from another page of this origin, for texts that are seldom needed on a page that is long already. Rejects
 * with what fetch throws, and with an Error where that page has none of that name.
 */
export async function fetchPageTexts(address: string, name: string): Promise<PageTexts> {
  const response = await fetch(address, { credentials: 'omit' })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return textsIn(page, name)
}
