import type { Endpoint } from '../contract/endpoints.ts'
import {
  AUTHENTICATIONS,
  ENDPOINT_STATUSES,
  RUNTIMES,
  STABILITY_LEVELS,
  TAGS,
} from '../contract/endpoint-terms.ts'
import { ERRORS, type CatalogError } from '../contract/errors.ts'
import { CACHE_CLASSES, HEADERS } from '../contract/headers.ts'
import type { Locale } from '../contract/locales.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import { TEXTS } from './texts.ts'

/** A tree of texts, as a locale file has it. */
export interface TextTree {
  readonly [key: string]: string | TextTree
}

/** The tables whose words for people are shown on pages. */
interface WordedTables {
  readonly registry: { readonly [name: string]: Endpoint }
  readonly errors: { readonly [code: string]: CatalogError }
  readonly requestSchemas: { readonly [name: string]: JsonSchema }
}

function mapValues<Value>(
  table: { readonly [key: string]: Value },
  textOf: (value: Value, key: string) => string | TextTree,
): TextTree {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, textOf(value, key)]))
}

/**
 * Every word for people in the contract's tables that a page shows, as the section `contract` of the English locale
 * file, which `npm run generate` writes. Translators find it there; the pages in English read the tables themselves.
 */
export function contractTextsOf({ registry, errors, requestSchemas }: WordedTables): TextTree {
  return {
    endpoints: mapValues(registry, ({ summary, description, parameter }) => ({
      summary,
      description,
      ...(parameter === undefined ? {} : { parameter: parameter.description }),
    })),
    tags: TAGS,
    stability: STABILITY_LEVELS,
    statuses: ENDPOINT_STATUSES,
    runtimes: RUNTIMES,
    authentications: AUTHENTICATIONS,
    cacheClasses: mapValues(CACHE_CLASSES, ({ meaning }) => meaning),
    errors: mapValues(errors, ({ meaning, message }) => ({ meaning, message })),
    requests: mapValues(requestSchemas, ({ description = '', properties = {} }) => ({
      description,
      fields: mapValues(properties, (field) => field.description ?? ''),
    })),
  }
}

function leavesOf(tree: TextTree): readonly string[] {
  return Object.values(tree).flatMap((each) => (typeof each === 'string' ? [each] : leavesOf(each)))
}

/** Translations by the English text, made when a locale is first asked for. */
const translations = new Map<Locale, ReadonlyMap<string, string>>()

function translationsOf(locale: Locale): ReadonlyMap<string, string> {
  const known = translations.get(locale)
  if (known !== undefined) return known
  // Both files have the same keys in the same order, which the check sees to.
  const translated = leavesOf(TEXTS[locale].contract)
  const made = new Map(
    leavesOf(TEXTS.en.contract).map((english, index) => [english, translated[index] ?? english]),
  )
  translations.set(locale, made)
  return made
}

/** What a machine says, among the words of a text: paths, codes, header fields, names of fields, media types. */
const MACHINE_WORD = new RegExp(
  [
    String.raw`/api/[\w/.-]*\w`,
    String.raw`\b[A-Z]+(?:_[A-Z]+)+\b`,
    String.raw`\b[a-z]+[A-Z]\w*`,
    ...[...Object.values(HEADERS), ...Object.keys(ERRORS), 'application/json', 'no-store']
      .filter((word) => /[-/_]/.test(word) || /^[A-Z]{5,}$/.test(word))
      .toSorted((a, b) => b.length - a.length)
      .map((word) => String.raw`(?<![\w-])${word}(?![\w-])`),
  ].join('|'),
  'g',
)

/** A text with the words of machines in it set apart. */
export function withCode(text: string): Html {
  const pieces: HtmlValue[] = []
  let from = 0
  for (const { 0: word, index } of text.matchAll(MACHINE_WORD)) {
    pieces.push(text.slice(from, index), html`<code>${word}</code>`)
    from = index + word.length
  }
  return html`${pieces}${text.slice(from)}`
}

/**
 * A text of the contract's tables in a language. It is looked up by its English, so a text that was changed since it
 * was translated, or one of a row that no locale file knows, stands in English rather than saying something else.
 */
export function contractText(locale: Locale, english: string): Html {
  if (locale === 'en') return withCode(english)
  const translated = translationsOf(locale).get(english)
  if (translated === undefined || translated === english) {
    return html`<span lang="en">${withCode(english)}</span>`
  }
  return withCode(translated)
}
