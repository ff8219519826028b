import type { Locale } from '@public-api/contract/terms/locales'
import th from '../../../locales/th.json' with { type: 'json' }
import zhCN from '../../../locales/zh-CN.json' with { type: 'json' }
import { withThaiLines } from './thai-lines.ts'

/** Texts by name, as in `locales/en.json`. */
export interface TextTree {
  readonly [name: string]: string | TextTree
}

/** A locale file: translations by their English, or by `key|English` where the text of that key differs. */
export interface TextTranslations {
  readonly [english: string]: string
}

const TRANSLATIONS: { readonly [L in Locale]?: ReadonlyMap<string, string> } = {
  th: new Map(Object.entries(th).map(([english, text]) => [english, withThaiLines(text)])),
  'zh-CN': new Map(Object.entries(zhCN)),
}

/** The translation of an English text, or of the one with a key. Undefined until it is translated, and for English. */
export function translationOf(locale: Locale, english: string, key?: string): string | undefined {
  const own = TRANSLATIONS[locale]
  return own?.get(`${key}|${english}`) || own?.get(english) || undefined
}

const PLURAL_CATEGORIES: ReadonlySet<string> = new Set('zero one two few many other'.split(' '))

/** The plural categories of a locale (CLDR). */
export function pluralCategories(locale: string): readonly string[] {
  return new Intl.PluralRules(locale).resolvedOptions().pluralCategories
}

/** Whether a tree contains the forms of one text: only plural categories, including `other`. */
export function hasPluralForms(tree: TextTree): boolean {
  return 'other' in tree && Object.keys(tree).every((name) => PLURAL_CATEGORIES.has(name))
}

/**
 * English texts with each translated. The forms of a plural are those of the locale, each made from the English form of
 * that name or from `other`. Keys are names with dots between them.
 */
export function translateTree(
  tree: TextTree,
  locale: string,
  translate: (english: string, key: string) => string,
  prefix = '',
): TextTree {
  const { other } = tree
  const texts = hasPluralForms(tree)
    ? pluralCategories(locale).map((form) => [form, tree[form] ?? other ?? ''] as const)
    : Object.entries(tree)
  const translated = texts.map(([name, text]) => {
    const key = `${prefix}${name}`
    return typeof text === 'string'
      ? ([name, translate(text, key)] as const)
      : ([name, translateTree(text, locale, translate, `${key}.`)] as const)
  })
  return Array.isArray(tree)
    ? (translated.map(([, text]) => text) as unknown as TextTree)
    : Object.fromEntries(translated)
}
