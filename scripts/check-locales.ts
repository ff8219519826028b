import { readFileSync } from 'node:fs'
import path from 'node:path'
import { LOCALES } from '@public-api/contract/terms/locales'
import { contractTextsOf } from '../src/pages/texts/contract-texts.ts'
import {
  hasPluralForms,
  pluralCategories,
  translateTree,
  type TextTree,
  type TextTranslations,
} from '../src/pages/texts/translations.ts'
import { OWN_CONTRACT, type ContractTables } from './contract-outline.ts'

const ENGLISH = 'en'

/** Input of the check. */
export interface LocaleFiles {
  /** The texts of the pages in English. */
  readonly english: TextTree
  /** The texts of the contract's tables in English. */
  readonly contract: readonly string[]
  /** The other files, by locale. */
  readonly translations: { readonly [locale: string]: TextTranslations }
}

/** A text to translate. */
interface SourceText {
  readonly english: string
  /** Undefined for a text of the contract. */
  readonly key?: string
}

/** Every text that a locale needs, in the order of its file. */
function textsToTranslate(
  locale: string,
  { english, contract }: Pick<LocaleFiles, 'english' | 'contract'>,
): readonly SourceText[] {
  const texts: SourceText[] = []
  translateTree(english, locale, (text, key) => {
    texts.push({ english: text, key })
    return text
  })
  return [...texts, ...contract.map((text) => ({ english: text }))]
}

/** The key of a text's translation in its file: its own if that is there, else the English. */
function fileKey({ english, key }: SourceText, translations: TextTranslations): string {
  const own = `${key}|${english}`
  return Object.hasOwn(translations, own) ? own : english
}

/** The translations of a locale in the order of the texts, new ones empty, and at the end those of unknown texts. */
export function completedTranslations(locale: string, files: LocaleFiles): TextTranslations {
  const known = files.translations[locale] ?? {}
  const texts = textsToTranslate(locale, files).map((text) => {
    const key = fileKey(text, known)
    return [key, known[key] ?? ''] as const
  })
  return {
    ...Object.fromEntries(texts),
    ...leftovers(
      known,
      texts.map(([key]) => key),
    ),
  }
}

/** TextTranslations that no text uses. */
function leftovers(translations: TextTranslations, used: readonly string[]): TextTranslations {
  const keys = new Set(used)
  return Object.fromEntries(Object.entries(translations).filter(([key]) => !keys.has(key)))
}

/** Placeholders, or code in backticks: each once. */
function marksOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/\{[a-zA-Z]+\}|`[^`]*`/g) ?? [])
}

/** What is wrong with a translation. */
function faultOf({ english, key = '' }: SourceText, text = ''): string | undefined {
  if (text.trim() === '') return 'has no translation'
  const [expected, found] = [marksOf(english), marksOf(text)]
  // A form for one may leave the number out.
  const isOptional = (mark: string): boolean => mark === '{count}' && key.endsWith('.one')
  const lost = [...expected.difference(found)].filter((mark) => !isOptional(mark))
  if (lost.length > 0) return `lacks ${lost.join(', ')}`
  const more = [...found.difference(expected)].filter((mark) => !isOptional(mark))
  return more.length > 0 ? `has ${more.join(', ')}, which its English lacks` : undefined
}

/** Path of a locale's file below the root of the repository. */
export const localeFile = (locale: string): string => `locales/${locale}.json`

/** Missing and wrong translations of a locale, and those of texts that do not exist. */
function translationFaults(locale: string, files: LocaleFiles): readonly string[] {
  const own = files.translations[locale] ?? {}
  const texts = textsToTranslate(locale, files)
  const fault = (key: string, what: string): string =>
    `${localeFile(locale)}: ${JSON.stringify(key)} ${what}`
  const wrong = texts.flatMap((text) => {
    const key = fileKey(text, own)
    const what = faultOf(text, own[key])
    return what === undefined ? [] : [fault(key, what)]
  })
  const unknown = Object.keys(
    leftovers(
      own,
      texts.map((text) => fileKey(text, own)),
    ),
  )
  return [
    ...new Set(wrong),
    ...unknown.map((key) =>
      fault(key, 'is not an English text; rename it to the new text, or remove it'),
    ),
  ]
}

/** Empty texts and missing plural forms of the English file. */
function englishFaults(tree: TextTree, prefix = ''): readonly string[] {
  const missing = hasPluralForms(tree)
    ? pluralCategories(ENGLISH).filter((form) => !Object.hasOwn(tree, form))
    : []
  return [
    ...missing.map((form) => `${localeFile(ENGLISH)}: ${prefix}${form} is missing`),
    ...Object.entries(tree).flatMap(([name, text]) => {
      if (typeof text !== 'string') return englishFaults(text, `${prefix}${name}.`)
      return text.trim() === '' ? [`${localeFile(ENGLISH)}: ${prefix}${name} is empty`] : []
    }),
  ]
}

/** Everything that is wrong with the texts, a line each; an empty list where all is well. */
export function localeFaults(files: LocaleFiles): readonly string[] {
  return [
    ...englishFaults(files.english),
    ...Object.keys(files.translations).flatMap((locale) => translationFaults(locale, files)),
  ]
}

/** Reads the files below the root of a repository. */
export function readLocaleFiles(
  rootDir: string,
  contract: ContractTables = OWN_CONTRACT,
): LocaleFiles {
  const readJson = (file: string): unknown =>
    JSON.parse(readFileSync(path.join(rootDir, file), 'utf8'))
  const others = LOCALES.filter((locale) => locale !== ENGLISH)
  return {
    english: readJson(localeFile(ENGLISH)) as TextTree,
    contract: contractTextsOf(contract),
    translations: Object.fromEntries(
      others.map((locale) => [locale, readJson(localeFile(locale)) as TextTranslations]),
    ),
  }
}
