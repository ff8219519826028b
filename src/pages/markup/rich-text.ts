import type { Locale } from '@public-api/contract/terms/locales'
import { html, type Html, type HtmlValue, joinHtml } from './html.ts'

/** A text with a form for each plural category of its language (CLDR; every language has `other`). */
export interface PluralForms {
  readonly one?: string
  readonly other: string
}

export interface RichTextValues {
  readonly [name: string]: HtmlValue
}

const PLACEHOLDER = /\{([a-zA-Z]+)\}/g

/**
 * A text of a locale with its `{placeholders}` filled. The text and every value that is not markup are escaped. Throws
 * a TypeError for a placeholder without a value, because an incomplete page must not be sent.
 */
export function richText(text: string, values: RichTextValues = {}): Html {
  const pieces: HtmlValue[] = []
  let from = 0
  for (const { 0: place, 1: name = '', index } of text.matchAll(PLACEHOLDER)) {
    if (!Object.hasOwn(values, name)) throw new TypeError(`"${text}" has no value for {${name}}`)
    pieces.push(text.slice(from, index), values[name])
    from = index + place.length
  }
  return html`${pieces}${text.slice(from)}`
}

/** A filled text without markup, for titles and attributes. */
export function plainText(
  text: string,
  values: { readonly [name: string]: string | number },
): string {
  return text.replaceAll(PLACEHOLDER, (_place, name: string) => {
    const value = values[name]
    if (value === undefined) throw new TypeError(`"${text}" has no value for {${name}}`)
    return String(value)
  })
}

/**
 * A value of each language, made when it is first used: making a format of Intl takes far longer than formatting with it.
 */
export function ofLocale<Value>(make: (locale: Locale) => Value): (locale: Locale) => Value {
  const made = new Map<Locale, Value>()
  return (locale) => {
    const value = made.get(locale) ?? make(locale)
    made.set(locale, value)
    return value
  }
}

const pluralRules = ofLocale((locale) => new Intl.PluralRules(locale))
const listFormat = ofLocale((locale) => new Intl.ListFormat(locale, { type: 'conjunction' }))
const numberFormat = ofLocale((locale) => new Intl.NumberFormat(locale))

/** A counted text in the plural form of its language, with `{count}` formatted and other placeholders filled. */
export function countText(
  locale: Locale,
  forms: PluralForms,
  count: number,
  values: RichTextValues = {},
): Html {
  const category = pluralRules(locale).select(count)
  const text = (category === 'one' ? forms.one : undefined) ?? forms.other
  return richText(text, { ...values, count: numberFormat(locale).format(count) })
}

/** Separator between sentences. Empty in Chinese, whose full stop includes a space. */
const BETWEEN_SENTENCES: { readonly [Each in Locale]: string } = { en: ' ', th: ' ', 'zh-CN': '' }

const BETWEEN_CODES: { readonly [Each in Locale]: string } = { en: ', ', th: ', ', 'zh-CN': '、' }

/** Joins sentences with the language's separator. `undefined` and `false` are left out. */
export function sentencesHtml(locale: Locale, sentences: readonly HtmlValue[]): Html {
  const present = sentences.filter((each) => each !== undefined && each !== false)
  return joinHtml(present, BETWEEN_SENTENCES[locale])
}

/** Joins code words without a conjunction: codes, header fields, methods. */
export function codesHtml(locale: Locale, codes: readonly HtmlValue[]): Html {
  return joinHtml(codes, BETWEEN_CODES[locale])
}

const TAG = /<[^>]*>/g
const LATIN_THEN_OWN = /[\dA-Za-z]\0[\p{Script=Han}\p{Script=Thai}]/u
const OWN_THEN_LATIN = /[\p{Script=Han}\p{Script=Thai}]\0[\dA-Za-z]/u

/** Whether a space belongs between two pieces: Chinese and Thai words are separated from Latin ones. */
function standOff(before: Html, after: Html): boolean {
  const seam = `${before.text.replaceAll(TAG, '')}\0${after.text.replaceAll(TAG, '')}`
  return LATIN_THEN_OWN.test(seam) || OWN_THEN_LATIN.test(seam)
}

/** Joins pieces as a list in the language, with its separators and its word for "and". */
export function listHtml(locale: Locale, pieces: readonly HtmlValue[]): Html {
  const places = pieces.map((_, index) => String(index))
  const parts = listFormat(locale)
    .formatToParts(places)
    .map(({ type, value }) => html`${type === 'element' ? pieces[Number(value)] : value}`)
  return html`${parts.map((part, index) => {
    const before = parts[index - 1]
    return before !== undefined && standOff(before, part) ? [' ', part] : part
  })}`
}

/** Text that is always English, such as the note of a version; marked as English on other pages. */
export function inEnglish(locale: Locale, text: string): Html {
  return locale === 'en' ? html`${text}` : html`<span lang="en">${text}</span>`
}

/** A letter that is written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u

/**
 * Published text in the language of the page. Text without a translation is marked as English, and one with letters that
 * are written from right to left takes its own direction.
 */
export function operatorText(
  { isUntranslated }: { isUntranslated(text: string): boolean },
  text: string,
): Html {
  if (RIGHT_TO_LEFT.test(text)) return html`<bdi dir="auto">${text}</bdi>`
  return isUntranslated(text) ? html`<span lang="en">${text}</span>` : html`${text}`
}

/** An address of the web in a text, without the punctuation of its sentence. */
const WEB_ADDRESS = /https?:\/\/[^\s<>"\u0080-\uffff]*[\w/=#&%~+-]/g

/** Published text like `operatorText`, in which the addresses of the web are links. Search engines follow none of them. */
export function linkedText(content: { isUntranslated(text: string): boolean }, text: string): Html {
  const pieces: HtmlValue[] = []
  let from = 0
  for (const { 0: address, index } of text.matchAll(WEB_ADDRESS)) {
    pieces.push(text.slice(from, index))
    pieces.push(html`<a href="${address}" rel="nofollow noopener">${address}</a>`)
    from = index + address.length
  }
  const linked = html`${pieces}${text.slice(from)}`
  return content.isUntranslated(text) ? html`<span lang="en">${linked}</span>` : linked
}
