import { LOCALES, type Locale } from '../contract/locales.ts'
import { escapeHtml } from './html.ts'
import { type Page, pathOfPage, type SiteFacts } from './page.ts'

/** Media type of a sitemap. */
export const SITEMAP_TYPE = 'application/xml; charset=utf-8'

function alternate(language: string, address: string): string {
  return `    <xhtml:link rel="alternate" hreflang="${language}" href="${escapeHtml(address)}"/>\n`
}

/**
 * The sitemap (sitemaps.org protocol 0.9): every listed page in every locale with its alternates. It has no `lastmod`,
 * because a page changes with a deployment as well as with a release.
 */
export function createSitemap(pages: readonly Page[], facts: SiteFacts): string {
  const addressOf = (locale: Locale, { path }: Page): string =>
    facts.origin + pathOfPage(locale, path)
  const entries = pages
    .filter(({ noIndex, isListed }) => noIndex !== true && isListed?.(facts) !== false)
    .flatMap((page) => {
      const alternates = [
        ...LOCALES.map((locale) => alternate(locale, addressOf(locale, page))),
        alternate('x-default', addressOf('en', page)),
      ].join('')
      return LOCALES.map((locale) => {
        const address = escapeHtml(addressOf(locale, page))
        return `  <url>\n    <loc>${address}</loc>\n${alternates}  </url>\n`
      })
    })
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n' +
    `${entries.join('')}</urlset>\n`
  )
}
