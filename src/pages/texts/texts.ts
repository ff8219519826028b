import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import en from '../../../locales/en.json' with { type: 'json' }
import { translateTree, translationOf, type TextTree } from './translations.ts'

/** Every text of the pages, by its key in `locales/en.json`. */
export type Texts = typeof en

function translatedTexts(locale: Locale): Texts {
  const texts = translateTree(
    en as unknown as TextTree,
    locale,
    (english, key) => translationOf(locale, english, key) ?? english,
  )
  return texts as unknown as Texts
}

/** The texts of each locale. A text without a translation is English. */
export const TEXTS = Object.fromEntries(
  LOCALES.map((locale) => [locale, translatedTexts(locale)]),
) as { readonly [L in Locale]: Texts }
