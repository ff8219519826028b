import type { Locale } from '@public-api/contract/registry/locales'

/** Path of the index of a language. */
export function searchIndexPath(locale: Locale): string {
  return `/${locale}/search.json`
}
