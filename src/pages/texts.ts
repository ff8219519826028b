import en from '../../locales/en.json' with { type: 'json' }
import th from '../../locales/th.json' with { type: 'json' }
import zhCN from '../../locales/zh-CN.json' with { type: 'json' }
import type { Locale } from '../contract/locales.ts'

/** Every text of the pages, by the key it has in the locale files. English is the one that the others are held against. */
export type Texts = typeof en

/** The texts of each locale: a key that a language lacks does not compile. */
export const TEXTS: { readonly [L in Locale]: Texts } = { en, th, 'zh-CN': zhCN }
