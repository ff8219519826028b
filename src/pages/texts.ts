import en from '../../locales/en.json' with { type: 'json' }
import th from '../../locales/th.json' with { type: 'json' }
import zhCN from '../../locales/zh-CN.json' with { type: 'json' }
import type { Locale } from '../contract/locales.ts'
import { withThaiLines } from './thai-lines.ts'

/** Every text of the pages, by its key in the locale files. The other languages are compared with English. */
export type Texts = typeof en

function mapTexts<Tree>(tree: Tree, change: (text: string) => string): Tree
function mapTexts(tree: unknown, change: (text: string) => string): unknown {
  if (typeof tree === 'string') return change(tree)
  if (Array.isArray(tree)) return tree.map((each: unknown) => mapTexts(each, change))
  if (typeof tree !== 'object' || tree === null) return tree
  return Object.fromEntries(
    Object.entries(tree).map(([key, each]: [string, unknown]) => [key, mapTexts(each, change)]),
  )
}

/** The texts of each locale: a missing key does not compile. */
export const TEXTS: { readonly [L in Locale]: Texts } = {
  en,
  th: mapTexts(th, withThaiLines),
  'zh-CN': zhCN,
}
