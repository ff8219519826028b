import type { Locale } from '../contract/locales.ts'
import { html, joinHtml, type Html, type HtmlValue } from './html.ts'

/** A text with a form for each plural category that its language has (CLDR; `other` is the one that all have). */
export interface PluralForms {
  readonly one?: string
  readonly other: string
}

/** The values of placeholders, by name. */
export interface RichTextValues {
  readonly [name: string]: HtmlValue
}

const PLACEHOLDER = /\{([a-zA-Z]+)\}/g

/**
 * A text of a locale with its `{places}` filled; the text and every value that is not markup are escaped. Throws a
 * TypeError for a place without a value: a page with a hole is not to be sent.
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

/** The same without markup, for a title or an attribute. */
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

/** A counted text in the form that its language asks for, with `{count}` written as the language writes numbers. */
export function countText(locale: Locale, forms: PluralForms, count: number): Html {
  const category = new Intl.PluralRules(locale).select(count)
  const text = (category === 'one' ? forms.one : undefined) ?? forms.other
  return richText(text, { count: new Intl.NumberFormat(locale).format(count) })
}

/** What stands between two sentences: Chinese sets none, since its full stop brings a gap of its own. */
const BETWEEN_SENTENCES: { readonly [Each in Locale]: string } = { en: ' ', th: ' ', 'zh-CN': '' }

/** What stands between two words of a machine in a row. */
const BETWEEN_CODES: { readonly [Each in Locale]: string } = { en: ', ', th: ', ', 'zh-CN': '、' }

/** Sentences one after another, as the language sets them. Nothing stands for `undefined` and `false`. */
export function sentencesHtml(locale: Locale, sentences: readonly HtmlValue[]): Html {
  const said = sentences.filter((each) => each !== undefined && each !== false)
  return joinHtml(said, BETWEEN_SENTENCES[locale])
}

/** Words of a machine in a row, none of which is the last: codes, header fields, methods. */
export function codesHtml(locale: Locale, codes: readonly HtmlValue[]): Html {
  return joinHtml(codes, BETWEEN_CODES[locale])
}

const TAG = /<[^>]*>/g
const LATIN_THEN_OWN = /[\dA-Za-z]\0[\p{Script=Han}\p{Script=Thai}]/u
const OWN_THEN_LATIN = /[\p{Script=Han}\p{Script=Thai}]\0[\dA-Za-z]/u

/** Whether a space belongs between two pieces: Chinese and Thai words stand off from Latin ones. */
function standOff(before: Html, after: Html): boolean {
  const seam = `${before.text.replaceAll(TAG, '')}\0${after.text.replaceAll(TAG, '')}`
  return LATIN_THEN_OWN.test(seam) || OWN_THEN_LATIN.test(seam)
}

/** Several pieces in a row, as the language says such a row: with commas, its word for "and", or neither. */
export function listHtml(locale: Locale, pieces: readonly HtmlValue[]): Html {
  const places = pieces.map((_, index) => String(index))
  const parts = new Intl.ListFormat(locale, { type: 'conjunction' })
    .formatToParts(places)
    .map(({ type, value }) => html`${type === 'element' ? pieces[Number(value)] : value}`)
  return html`${parts.map((part, index) => {
    const before = parts[index - 1]
    return before !== undefined && standOff(before, part) ? [' ', part] : part
  })}`
}

/** Text that is always English, such as the note of a version; marked on pages in other languages. */
export function inEnglish(locale: Locale, text: string): Html {
  return locale === 'en' ? html`${text}` : html`<span lang="en">${text}</span>`
}

/** Published text in the language of the page. Text without a translation is marked as English. */
export function operatorText(
  { isUntranslated }: { isUntranslated(text: string): boolean },
  text: string,
): Html {
  return isUntranslated(text) ? html`<span lang="en">${text}</span>` : html`${text}`
}
