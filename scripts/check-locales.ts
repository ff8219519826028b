import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { LOCALES, type Locale } from '@public-api/contract/registry/locales'
import { runScript, ScriptUsageError } from './script-main.ts'

const ENGLISH = 'en'
const TRANSLATED_FILE = 'locales/translated-from.json'
const SAME_FILE = 'locales/same-as-english.json'
const CONTRACT_FILE = 'locales/contract.json'
const LINE_BREAKS_FILE = 'locales/th-line-breaks.json'

const HELP = `Usage: npx node scripts/check-locales.ts [--translated <locale> [<key>...]]

Without an option: lists what is wrong with the texts in locales/, one per line:
  keys, {places} and plural forms that English and another language do not share, texts that are empty,
  texts that are not translated, and texts that were translated from an English that has changed since.
  Texts of the contract's tables are in ${CONTRACT_FILE}, where each locale has a translation of each that marks
  the same code with backticks.

  --translated <locale>   notes in ${TRANSLATED_FILE} that its texts are those of today's English;
                          with keys (such as site or reference.try) only theirs
  --help                  this text

${LINE_BREAKS_FILE} lists Thai words whose line breaks browsers get wrong: + where a browser breaks a word, | between two.
${SAME_FILE} lists keys whose text may be the English one in every language: names and words of machines.

Exit code: 0 all is well, 1 something is wrong, 2 wrong usage.
`

/** A tree of texts, as a locale file has it. */
export interface TextTree {
  readonly [key: string]: string | TextTree
}

/** For each locale: the digest of the English original of each text, by key. */
export interface TranslatedFrom {
  readonly [locale: string]: { readonly [key: string]: string }
}

/** Thai words whose line breaks browsers get wrong (src/pages/texts/thai-lines.ts). */
export interface LineBreaks {
  readonly loanwords: readonly string[]
  readonly neighbors: readonly string[]
  readonly prefixes: readonly {
    readonly word: string
    readonly notAfter: readonly string[]
    readonly notBefore: string
  }[]
}

/** Input of the check. */
export interface LocaleFiles {
  /** Texts by locale; The others are compared with English. */
  readonly texts: { readonly [locale: string]: TextTree }
  readonly translatedFrom: TranslatedFrom
  /** Translations of the texts of the contract's tables: by their English, then by locale. */
  readonly contract: { readonly [english: string]: { readonly [locale: string]: string } }
  /** Keys, or beginnings of keys up to a dot, whose text may be the English one. */
  readonly sameAsEnglish: readonly string[]
  readonly lineBreaks: LineBreaks
}

/** Texts by their keys with dots, in the order of the file. */
type Leaves = ReadonlyMap<string, string>

function leavesOf(tree: TextTree, prefix = ''): Leaves {
  const leaves = new Map<string, string>()
  for (const [name, value] of Object.entries(tree)) {
    const key = `${prefix}${name}`
    if (typeof value === 'string') leaves.set(key, value)
    else for (const [inner, text] of leavesOf(value, `${key}.`)) leaves.set(inner, text)
  }
  return leaves
}

const PLURAL_CATEGORIES: ReadonlySet<string> = new Set([
  'zero',
  'one',
  'two',
  'few',
  'many',
  'other',
])

/** Keys of plural forms: trees with only plural categories, including `other`. */
function pluralKeysOf(tree: TextTree, prefix = ''): readonly string[] {
  return Object.entries(tree).flatMap(([name, value]) => {
    if (typeof value === 'string') return []
    const key = `${prefix}${name}`
    const names = Object.keys(value)
    const isPlural = names.includes('other') && names.every((each) => PLURAL_CATEGORIES.has(each))
    return isPlural ? [key] : pluralKeysOf(value, `${key}.`)
  })
}

function categoriesOf(locale: string): readonly string[] {
  return new Intl.PluralRules(locale).resolvedOptions().pluralCategories
}

/** The plural form of a key, if it is one. */
function formOf(key: string, plurals: ReadonlySet<string>): string | undefined {
  const at = key.lastIndexOf('.')
  return plurals.has(key.slice(0, at)) ? key.slice(at + 1) : undefined
}

function placesOf(text: string): readonly string[] {
  return [...new Set(text.match(/\{[a-zA-Z]+\}/g) ?? [])].toSorted()
}

/** A text without its places and without what no language writes otherwise. */
function wordsOf(text: string): string {
  return text.replaceAll(/\{[a-zA-Z]+\}|[^\p{Letter}]/gu, '')
}

/** Short: it detects changes and is not a defense. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 10)
}

function isWithin(key: string, keys: readonly string[]): boolean {
  return keys.some((each) => key === each || key.startsWith(`${each}.`))
}

/** Says a thing of a key in a locale. */
const fault = (locale: string, key: string, what: string): string =>
  `locales/${locale}.json: ${key} ${what}`

/** Faults within a file. */
function ownFaults(locale: string, tree: TextTree, plurals: ReadonlySet<string>): string[] {
  const leaves = leavesOf(tree)
  const empty = [...leaves]
    .filter(([, text]) => text.trim() === '')
    .map(([key]) => fault(locale, key, 'is empty'))
  const missing = [...plurals].flatMap((key) =>
    categoriesOf(locale)
      .filter((form) => !leaves.has(`${key}.${form}`))
      .map((form) => fault(locale, key, `lacks the plural form ${form}`)),
  )
  return [...empty, ...missing]
}

/** What a text marks as code with backticks, each once. */
function codeIn(text: string): string {
  return [...new Set(text.match(/`[^`]*`/g) ?? [])].toSorted().join(', ')
}

/** Missing translations of the contract's texts, which are keyed by their English, and those that mark other code. */
function contractFaults({ texts, contract }: LocaleFiles): string[] {
  const locales = Object.keys(texts).filter((locale) => locale !== ENGLISH)
  return Object.entries(contract).flatMap(([english, translations]) =>
    locales.flatMap((locale) => {
      const text = translations[locale]
      const name = `${CONTRACT_FILE}: ${JSON.stringify(english)}`
      if (text === undefined || text.trim() === '' || text === english) {
        return [`${name} has no translation for ${locale}`]
      }
      const [expected, found] = [codeIn(english), codeIn(text)]
      if (found === expected) return []
      return [
        `${name} marks other code in ${locale}: found ${found || 'none'}, expected ${expected || 'none'}`,
      ]
    }),
  )
}

/** Faults of a translation, compared with its English original. */
function translationFaults(locale: string, files: LocaleFiles): string[] {
  const { texts, translatedFrom, sameAsEnglish } = files
  const englishTree = texts[ENGLISH] ?? {}
  const english = leavesOf(englishTree)
  const own = leavesOf(texts[locale] ?? {})
  const plurals = new Set(pluralKeysOf(englishTree))
  const needed = new Set(categoriesOf(locale))
  const digests = translatedFrom[locale] ?? {}

  /** Forms that only English has are not texts of this language. */
  function isForeignForm(key: string): boolean {
    const form = formOf(key, plurals)
    return form !== undefined && !needed.has(form)
  }

  /** A form that English lacks and this language has. */
  function isExtraForm(key: string): boolean {
    const form = formOf(key, plurals)
    return form !== undefined && needed.has(form)
  }

  function faultOf(key: string, source: string): string | undefined {
    const text = own.get(key)
    if (text === undefined) return 'is missing'
    const places = placesOf(source)
    const found = placesOf(text)
    // A form for one may leave the number out.
    const isOne = formOf(key, plurals) === 'one'
    const kept = isOne ? places.filter((each) => each !== '{count}') : places
    const lost = kept.filter((each) => !found.includes(each))
    if (lost.length > 0) return `has no ${lost.join(', ')}`
    const more = found.filter((each) => !places.includes(each) && !(isOne && each === '{count}'))
    if (more.length > 0) return `has ${more.join(', ')}, which English has not`
    if (isWithin(key, sameAsEnglish)) return undefined
    if (text === source && wordsOf(text) !== '') return 'is not translated'
    const digest = digests[key]
    if (digest === undefined) return `is not noted in ${TRANSLATED_FILE}`
    if (digest !== digestOf(source)) return 'is older than its English text'
    return undefined
  }

  const listed = [...english].flatMap(([key, source]) => {
    const what = isForeignForm(key) ? undefined : faultOf(key, source)
    return what === undefined ? [] : [fault(locale, key, what)]
  })
  const extra = [...own.keys()]
    .filter((key) => !english.has(key) && !isExtraForm(key))
    .map((key) => fault(locale, key, 'is not in the English file'))

  return [...listed, ...extra]
}

/** Unknown entries in the list of keys and in the notes. */
function leftoverFaults({ texts, translatedFrom, sameAsEnglish }: LocaleFiles): string[] {
  const keys = [...leavesOf(texts[ENGLISH] ?? {}).keys()]
  const listed = sameAsEnglish
    .filter((each) => !keys.some((key) => isWithin(key, [each])))
    .map((each) => `${SAME_FILE}: ${each} is not a key of the English file`)
  const noted = Object.entries(translatedFrom).flatMap(([locale, digests]) => {
    const own = leavesOf(texts[locale] ?? {})
    return Object.keys(digests)
      .filter((key) => !own.has(key))
      .map((key) => `${TRANSLATED_FILE}: ${key} of ${locale} is not a key of its file`)
  })
  return [...listed, ...noted]
}

const THAI_WORDS = /^[\u0e01-\u0e4e]+(?:[+|][\u0e01-\u0e4e]+)*$/

/** Entries of the line breaks that the pages cannot use: not Thai words, or words that are listed twice. */
function lineBreakFaults({ loanwords, neighbors, prefixes }: LineBreaks): string[] {
  const words = [...loanwords, ...neighbors]
  const parts = prefixes.flatMap(({ word, notAfter }) => [word, ...notAfter])
  const invalid = [
    ...words.filter((each) => !THAI_WORDS.test(each)),
    ...[...loanwords, ...parts].filter((each) => each.includes('|')),
    ...neighbors.filter((each) => !/[+|]/.test(each)),
    ...parts.filter((each) => !THAI_WORDS.test(each) || each.includes('+')),
    ...prefixes
      .map(({ notBefore }) => notBefore)
      .filter((each) => !/^[\u0e01-\u0e4e]*$/.test(each)),
  ].map(
    (each) =>
      `${LINE_BREAKS_FILE}: found ${JSON.stringify(each)}, expected Thai letters with + or | between them`,
  )
  const bare = words.map((each) => each.replaceAll(/[+|]/g, ''))
  const twice = bare
    .filter((each, index) => bare.indexOf(each) !== index)
    .map((each) => `${LINE_BREAKS_FILE}: ${each} is listed twice`)
  return [...new Set([...invalid, ...twice])]
}

/** Everything that is wrong with the texts, a line each; an empty list where all is well. */
export function localeFaults(files: LocaleFiles): readonly string[] {
  const plurals = new Set(pluralKeysOf(files.texts[ENGLISH] ?? {}))
  const locales = Object.keys(files.texts)
  return [
    ...locales.flatMap((locale) => ownFaults(locale, files.texts[locale] ?? {}, plurals)),
    ...locales
      .filter((locale) => locale !== ENGLISH)
      .flatMap((locale) => translationFaults(locale, files)),
    ...leftoverFaults(files),
    ...contractFaults(files),
    ...lineBreakFaults(files.lineBreaks),
  ]
}

/**
 * The notes after marking a locale's texts (those below given keys, if any) as translated from the current English.
 * Texts equal to the English are skipped, unless that is allowed.
 */
export function noteTranslated(
  { texts, translatedFrom, sameAsEnglish }: LocaleFiles,
  locale: string,
  keys: readonly string[] = [],
): TranslatedFrom {
  const own = leavesOf(texts[locale] ?? {})
  const before = translatedFrom[locale] ?? {}
  const noted: { [key: string]: string } = {}
  for (const [key, source] of leavesOf(texts[ENGLISH] ?? {})) {
    const text = own.get(key)
    if (text === undefined || isWithin(key, sameAsEnglish)) continue
    const isMeant = keys.length === 0 || isWithin(key, keys)
    const isTranslated = text !== source || wordsOf(text) === ''
    const now = isTranslated ? digestOf(source) : undefined
    const digest = isMeant ? now : before[key]
    if (digest !== undefined) noted[key] = digest
  }
  return { ...translatedFrom, [locale]: noted }
}

function readJson(rootDir: string, file: string): unknown {
  return JSON.parse(readFileSync(path.join(rootDir, file), 'utf8'))
}

/** Reads the files below the root of a repository. */
export function readLocaleFiles(rootDir: string): LocaleFiles {
  const texts = LOCALES.map((locale) => [locale, readJson(rootDir, `locales/${locale}.json`)])
  return {
    texts: Object.fromEntries(texts) as { readonly [L in Locale]: TextTree },
    contract: readJson(rootDir, CONTRACT_FILE) as LocaleFiles['contract'],
    translatedFrom: readJson(rootDir, TRANSLATED_FILE) as TranslatedFrom,
    sameAsEnglish: readJson(rootDir, SAME_FILE) as readonly string[],
    lineBreaks: readJson(rootDir, LINE_BREAKS_FILE) as LineBreaks,
  }
}

/** Notes that the texts of a locale, or those below some keys, say what today's English says. Throws a ScriptUsageError. */
function noteInFile(rootDir: string, name: string, keys: readonly string[]): void {
  const files = readLocaleFiles(rootDir)
  const locale = LOCALES.find((each) => each === name && each !== ENGLISH)
  if (locale === undefined) {
    const known = LOCALES.filter((each) => each !== ENGLISH).join(' or ')
    throw new ScriptUsageError(`there is no translation ${name}; expected ${known}`)
  }
  const known = [...leavesOf(files.texts[ENGLISH] ?? {}).keys()]
  const unknown = keys.filter((each) => !known.some((key) => isWithin(key, [each])))
  if (unknown.length > 0) throw new ScriptUsageError(`no text has the key ${unknown.join(', ')}`)
  const noted = noteTranslated(files, locale, keys)
  writeFileSync(path.join(rootDir, TRANSLATED_FILE), `${JSON.stringify(noted, null, 2)}\n`)
}

await runScript(import.meta, {
  help: HELP,
  options: { translated: { type: 'string' } },
  takesArguments: true,
  run({ values: { translated }, positionals }) {
    const rootDir = fileURLToPath(new URL('..', import.meta.url))
    if (translated !== undefined) {
      noteInFile(rootDir, translated, positionals)
      return 0
    }
    if (positionals.length > 0) throw new ScriptUsageError('keys go with --translated')
    const faults = localeFaults(readLocaleFiles(rootDir))
    for (const line of faults) process.stderr.write(`${line}\n`)
    return faults.length === 0 ? 0 : 1
  },
})
