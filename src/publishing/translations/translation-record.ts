import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import { sha256Base64url } from '../../crypto/sha256.ts'
import { findBelow, rewriteBelow } from '../../files/folder-files.ts'
import type { SourcePlace } from '../rules/content-mistake.ts'
import { PublishError } from '../rules/publish-error.ts'

/**
 * The file of a translation folder that records which text each translation belongs to. It belongs in version control. Its
 * dot excludes it from the content.
 */
export const RECORD_FILE = '.translated.json'

/** Two digests for each of 100,000 texts. */
export const MAX_RECORD_BYTES = 16_777_216

/** A text that can be translated, with its place in the content. */
export interface UntranslatedText extends SourcePlace {
  /** As in `status.components[read-api].name`. */
  readonly field: string
  readonly source: string
}

/** A translated text of one locale. */
export interface TranslatedText extends Pick<UntranslatedText, 'field' | 'source'> {
  readonly locale: TranslationLocale
  readonly translation: string
  /** Where it is written in the file. */
  place(): SourcePlace
}

/** Digests of the source and of its translation, by field. */
export type TranslationRecord = ReadonlyMap<string, string>

export const isTranslationLocale = (text: string): text is TranslationLocale =>
  TRANSLATION_LOCALES.some((each) => each === text)

const digestOf = (text: string): string => sha256Base64url(text).slice(0, 16)

const stateOf = ({ source, translation }: Pick<TranslatedText, 'source' | 'translation'>): string =>
  `${digestOf(source)} ${digestOf(translation)}`

/** Whether the source of a text changed after its translation was changed or confirmed. */
export function isOutdated(record: TranslationRecord | undefined, text: TranslatedText): boolean {
  const [source, translation] = record?.get(text.field)?.split(' ') ?? []
  return translation === digestOf(text.translation) && source !== digestOf(text.source)
}

/** An outdated translation in one line. */
export function formatOutdated({ place, locale, field }: TranslatedText): string {
  const { file, line, column } = place()
  return `${file}:${line}:${column}: ${field}: the translation is older than its text, which is shown instead; expected a new translation, or svc translations confirm ${locale} ${field}`
}

function damaged(contentDir: string, name: string, error: unknown): PublishError {
  const advice = 'restore it from version control, or remove it'
  const file = path.join(contentDir, name)
  return new PublishError('CONTENT', `${file} is damaged (${messageOf(error)}); ${advice}`)
}

/** The path of the record of a locale in the content folder. */
export const recordFile = (locale: TranslationLocale): string => `${locale}/${RECORD_FILE}`

/**
 * The text of the record of a locale; empty if nothing was published yet. `replaced` has bytes to use instead of those of a
 * file. Throws a PublishError for a file that cannot be read.
 */
export function readRecordText(
  contentDir: string,
  locale: TranslationLocale,
  replaced?: ReadonlyMap<string, Buffer>,
): string {
  const name = recordFile(locale)
  try {
    const bytes = replaced?.get(name) ?? findBelow(contentDir, name, MAX_RECORD_BYTES)
    return bytes?.toString('utf8') ?? ''
  } catch (error) {
    throw damaged(contentDir, name, error)
  }
}

/** What the newest text of each record parsed to: a command that edits content compiles it before and after. */
const parsed = new Map<
  TranslationLocale,
  { readonly text: string; readonly record: TranslationRecord }
>()

/** The record of a locale with this text. Throws a PublishError for a damaged one. */
export function parseTranslationRecord(
  contentDir: string,
  locale: TranslationLocale,
  text: string,
): TranslationRecord {
  try {
    // A full disk or a power failure leaves an empty file, which says no more than none.
    if (text.trim() === '') return new Map()
    const known = parsed.get(locale)
    if (known?.text === text) return known.record
    const value: unknown = propertyOf(parseJson(text), 'translated')
    if (typeof value !== 'object' || value === null)
      throw new Error(/^<{7}/m.test(text) ? 'a merge conflict' : 'found no translations')
    const record = new Map(Object.entries(value).map(([field, state]) => [field, String(state)]))
    parsed.set(locale, { text, record })
    return record
  } catch (error) {
    throw damaged(contentDir, recordFile(locale), error)
  }
}

/**
 * Records that the current ones of some texts fit their sources. The state of the others of the locale stays, also of those
 * that `isKept` accepts by their field, which are not among the texts.
 */
export function writeTranslationRecord(
  contentDir: string,
  locale: TranslationLocale,
  texts: readonly TranslatedText[],
  isCurrent: (text: TranslatedText) => boolean,
  isKept: (field: string) => boolean = () => false,
): void {
  const before = parseTranslationRecord(contentDir, locale, readRecordText(contentDir, locale))
  const current = texts
    .filter((text) => text.locale === locale)
    .flatMap((text): [string, string][] => {
      const state = isCurrent(text) ? stateOf(text) : before.get(text.field)
      return state === undefined ? [] : [[text.field, state]]
    })
  const kept = [...before].filter(([field]) => isKept(field))
  const states = [...kept, ...current].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify({ translated: Object.fromEntries(states) }, null, 2)
  rewriteBelow(contentDir, recordFile(locale), `${text}\n`)
}
