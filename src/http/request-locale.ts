import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import type { ApiRequest } from './api-request.ts'

/** A language range with its weight, 1 by default (RFC 9110 12.5.4, RFC 4647 2.1). */
const WEIGHTED_RANGE =
  /^[ \t]*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?[ \t]*$/i

/** The first subtag is enough to distinguish these locales: any Chinese is zh-CN. */
const languageOf = (range: string): string => (range.split('-')[0] ?? '').toLowerCase()

/**
 * The locale that an Accept-Language prefers (RFC 9110 12.5.4): highest weight, then first in the header. `*` matches
 * every locale that no other element names. A weight of 0 excludes. Fallback: the first of `offered`.
 */
export function localeOfAcceptLanguage(header = '', offered: readonly Locale[] = LOCALES): Locale {
  // Malformed elements are ignored.
  const ranges = header.split(',').flatMap((element, place) => {
    const [, range, weight = '1'] = WEIGHTED_RANGE.exec(element) ?? []
    const quality = Number(weight)
    return range === undefined ? [] : [{ language: languageOf(range), quality, place }]
  })
  const matches = offered.flatMap((locale) => {
    const language = languageOf(locale)
    const named = ranges.some((each) => each.language === language) ? language : '*'
    const accepted = ranges.filter((each) => each.language === named && each.quality > 0)
    return accepted.map((each) => ({ ...each, locale }))
  })
  const [best] = matches.toSorted((a, b) => b.quality - a.quality || a.place - b.place)
  return best?.locale ?? offered[0] ?? LOCALES[0]
}

/** The locale of the page in a Referer, if it is a page of this origin. */
function localeOfReferer(referer: string | undefined, ownOrigin: string): Locale | undefined {
  const page = referer === undefined ? null : URL.parse(referer)
  if (page?.origin !== ownOrigin) return undefined
  const segment = page.pathname.split('/')[1]
  return LOCALES.find((locale) => locale === segment)
}

/**
 * The locale of a request that does not state it (contract decisions section 4): from the page of the form, otherwise
 * from Accept-Language, otherwise `en`. `ownOrigin` is serialized, such as `https://example.org`.
 */
export function localeOfRequest(request: Pick<ApiRequest, 'header'>, ownOrigin: string): Locale {
  return (
    localeOfReferer(request.header('referer'), ownOrigin) ??
    localeOfAcceptLanguage(request.header('accept-language'))
  )
}
