import { propertyOf } from '@public-api/contract/json/property-of'
import { formatNumber, pageElement } from './page-element.ts'

/** The nodes of a text whose placeholders may hold elements. */
export type RichText = readonly (string | Node)[]

/** The values of placeholders, by name. */
interface TextValues<Value = string | number> {
  readonly [place: string]: Value
}

/** The pieces of a text with its placeholders filled. Throws an Error for a placeholder without a value. */
function fill<Value, Shown>(
  text: string,
  values: TextValues<Value>,
  show: (value: Value) => Shown,
): (string | Shown)[] {
  // Every second piece is the name of a placeholder.
  return text.split(/\{([a-zA-Z]+)\}/).flatMap((piece, index): (string | Shown)[] => {
    if (index % 2 === 0) return piece === '' ? [] : [piece]
    const value = values[piece]
    if (value === undefined) throw new Error(`"${text}" has no value for {${piece}}`)
    return [show(value)]
  })
}

/**
 * Reads the texts that the server wrote into a page under a name (`scriptTexts` of src/pages/markup/elements.ts), with the
 * keys of the locale file, so that scripts contain no text for people. Throws an Error if the page has no texts of that
 * name. The functions throw an Error for an unknown key or placeholder.
 */
export function readPageTexts(name: string, page = document) {
  const holder = page.querySelector(`script[data-texts="${name}"]`)
  if (holder === null) throw new Error(`The page has no texts called "${name}"`)
  const tree: unknown = JSON.parse(holder.textContent)

  /** The text at a dotted key, such as `steps.digest`. */
  function textAt(key: string): string {
    const text = key.split('.').reduce(propertyOf, tree)
    if (typeof text === 'string') return text
    throw new Error(`The page has no text ${key} among those called "${name}"`)
  }

  return {
    text: (key: string, values: TextValues = {}): string =>
      fill(textAt(key), values, String).join(''),
    /** A text whose values are shown as `code`, unless they are nodes. */
    richText: (key: string, values: TextValues<string | number | Node>): RichText =>
      fill(textAt(key), values, (value) =>
        // A node has one place in the document, and a text may name a value twice.
        value instanceof Text
          ? value.cloneNode()
          : value instanceof Node
            ? value
            : pageElement('code', String(value)),
      ),
    /** A text with a form for each plural category of its language (CLDR); `{count}` is formatted. */
    count(key: string, count: number): string {
      const category = new Intl.PluralRules(page.documentElement.lang).select(count)
      const forms = key.split('.').reduce(propertyOf, tree)
      const form = propertyOf(forms, category) === undefined ? 'other' : category
      return fill(textAt(`${key}.${form}`), { count: formatNumber(count) }, String).join('')
    },
  }
}

export type PageTexts = ReturnType<typeof readPageTexts>

/** Another page of this origin. Rejects with fetch's error. */
export async function fetchPage(address: string): Promise<Document> {
  const response = await fetch(address, { credentials: 'omit' })
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/**
 * Reads texts from another page of this origin, for long pages that rarely need them. Rejects with fetch's error, or
 * with an Error if that page has no texts of that name.
 */
export async function fetchPageTexts(address: string, name: string): Promise<PageTexts> {
  return readPageTexts(name, await fetchPage(address))
}
