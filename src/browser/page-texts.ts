import { propertyOf } from '../contract/property-of.ts'
import { formatNumber, pageElement } from './page-element.ts'

/** A text with a form for each plural category of its language (CLDR). */
interface PluralForms {
  readonly [category: string]: string
}

/** The values of placeholders, by name. */
export interface TextValues {
  readonly [place: string]: string | number
}

/** The nodes of a text whose placeholders may hold elements. */
export type RichText = readonly (string | Node)[]

/** The texts that the server wrote into the page for its script, with the keys of the locale file. */
export interface PageTexts {
  /** A text with its placeholders filled. Throws an Error for an unknown key or placeholder. */
  text(key: string, values?: TextValues): string
  /** A text whose values are shown as `code`, unless they are nodes. */
  richText(key: string, values: { readonly [place: string]: string | number | Node }): RichText
  /** A counted text in the plural form of the page's language; `{count}` is formatted. */
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

/** The nodes of a text, with an element for each placeholder. */
function fillWithNodes(
  text: string,
  values: { readonly [place: string]: string | number | Node },
): RichText {
  // Every second piece is the name of a placeholder.
  return text.split(PLACEHOLDER).flatMap((piece, index): RichText => {
    if (index % 2 === 0) return piece === '' ? [] : [piece]
    const value = values[piece]
    if (value === undefined) throw new Error(`"${text}" has no value for {${piece}}`)
    return [value instanceof Node ? value : pageElement('code', String(value))]
  })
}

/** A member of a tree of texts by a dotted key, such as `steps.digest`. */
function memberAt(texts: unknown, key: string): unknown {
  return key.split('.').reduce(propertyOf, texts)
}

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
      return fill(text, { count: formatNumber(count), ...values })
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
 * Reads the texts that the server wrote into the page under a name (`scriptTexts` of src/pages/elements.ts), so
 * that scripts contain no text for people. Throws an Error if the page has no texts of that name.
 */
export function readPageTexts(name: string): PageTexts {
  return textsIn(document, name)
}

/**
 * Reads texts from another page of this origin, for long pages that rarely need them. Rejects with fetch's error, or
 * with an Error if that page has no texts of that name.
 */
export async function fetchPageTexts(address: string, name: string): Promise<PageTexts> {
  const response = await fetch(address, { credentials: 'omit' })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return textsIn(page, name)
}
