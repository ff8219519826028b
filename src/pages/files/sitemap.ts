import { eventPath, pathOfPage } from '../addresses.ts'
import { escapeHtml } from '../markup/html.ts'
import { alternatesOf, type PageContext, type SiteFacts } from '../page.ts'
import { monthPaths } from '../snapshots/month-page.ts'
import { statusEvents } from '../snapshots/status-events.ts'

/** The index of the sitemap, which robots.txt names. */
export const SITEMAP_PATH = '/sitemap.xml'

const PART_PATH = /^\/sitemap-(?:pages|\d{4}(?:-\d+)?)\.xml$/

/** Paths in one file. With three languages and their alternates a path has almost 2 kB. */
const PATHS_IN_FILE = 100

/** Whether a path has the form of a file that the index of the sitemap names. */
export const isSitemapPart = (path: string): boolean => PART_PATH.test(path)

/** The files of the sitemap, each with the paths of its pages below the locale: the listed pages, and those of each year. */
export function sitemapParts(
  context: PageContext,
  listed: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, readonly string[]>([['/sitemap-pages.xml', listed]])
  const yearOfMonth = (path: string): string => path.slice('status/'.length, 'status/YYYY'.length)
  const ofYears = [
    ...monthPaths(context).map((path) => ({ year: yearOfMonth(path), path })),
    ...statusEvents(context)
      .filter(({ removed }) => removed === undefined)
      .map((event) => ({
        year: new Date(event.startMs).toISOString().slice(0, 4),
        path: eventPath(event),
      })),
  ]
  const byYear = Map.groupBy(ofYears, ({ year }) => year)
  for (const [year, pages] of [...byYear].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
    for (let first = 0; first < pages.length; first += PATHS_IN_FILE) {
      const nth = first === 0 ? '' : `-${first / PATHS_IN_FILE + 1}`
      const paths = pages.slice(first, first + PATHS_IN_FILE).map(({ path }) => path)
      parts.set(`/sitemap-${year}${nth}.xml`, paths)
    }
  }
  return parts
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** The index of the sitemap (sitemaps.org protocol 0.9): one file for each year, or several. */
export function renderSitemapIndex(parts: Iterable<string>, { origin }: SiteFacts): string {
  const entries = Array.from(
    parts,
    (path) => `  <sitemap>\n    <loc>${escapeHtml(origin + path)}</loc>\n  </sitemap>\n`,
  )
  return `${XML}<sitemapindex ${NAMESPACE}>\n${entries.join('')}</sitemapindex>\n`
}

/**
 * A file of the sitemap: the pages of some paths in every offered language with their alternates. It has no `lastmod`,
 * because a page changes with a deployment as well as with a release.
 */
export function renderSitemap(paths: readonly string[], facts: SiteFacts): string {
  const addressOf = (path: string): string => escapeHtml(facts.origin + path)
  const entries = paths.flatMap((path) => {
    const alternates = alternatesOf(facts, path).map(
      ([language, each]) =>
        `    <xhtml:link rel="alternate" hreflang="${language}" href="${addressOf(each)}"/>\n`,
    )
    return facts.languages.map((locale) => {
      const address = addressOf(pathOfPage(locale, path))
      return `  <url>\n    <loc>${address}</loc>\n${alternates.join('')}  </url>\n`
    })
  })
  return `${XML}<urlset ${NAMESPACE} xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${entries.join('')}</urlset>\n`
}
