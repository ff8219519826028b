import type { Locale } from '@public-api/contract/registry/locales'
import en from '../../../locales/en.json' with { type: 'json' }
import th from '../../../locales/th.json' with { type: 'json' }
import zhCN from '../../../locales/zh-CN.json' with { type: 'json' }
import { withThaiLines } from './thai-lines.ts'

/** Every text of the pages, by its key in the locale files. The other languages are compared with English. */
export type Texts = typeof en

/** The texts of each locale: a missing key does not compile. Every Thai text gets its line breaks. */
export const TEXTS: { readonly [L in Locale]: Texts } = {
  en,
  th: JSON.parse(JSON.stringify(th), (_key, value: unknown) =>
    typeof value === 'string' ? withThaiLines(value) : value,
  ) as typeof th,
  'zh-CN': zhCN,
}
