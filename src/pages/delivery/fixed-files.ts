import { LOCALES, type Locale } from '@public-api/contract/registry/locales'
import type { App } from '../../http/api-request.ts'
import { PAGE_GROUPS, PAGES } from '../page-table.ts'
import { markdownPath, pathOfPage, searchIndexPath, type SiteData } from '../page.ts'
import { referenceIndexPath, renderReferenceIndex } from '../reference/reference-index.ts'
import { eventPages } from '../snapshots/event-page.ts'
import { FEED_FORMATS } from './feed-formats.ts'
import { componentFeed, FEED_NAMES } from './feed-names.ts'
import { feedPath, renderFeed } from './feeds.ts'
import { CALENDAR_TYPE, calendarPath, renderCalendar } from './maintenance-calendar.ts'
import { PAGE_CACHING, type PageFiles } from './page-files.ts'
import type { SiteFile } from './site-file.ts'
import { badgePath, renderBadge } from './status-badge.ts'
import { renderStatuspage, STATUSPAGE_PATHS } from './statuspage.ts'

/** Number of incidents and maintenances that the search finds, the newest ones. */
const SEARCHED_EVENTS = 100
/** The list of pages for language models (llmstxt.org). */
const LLMS_TXT_PATH = '/llms.txt'
const JSON_TYPE = 'application/json; charset=utf-8'
/** A feed changes with a release. Readers poll; a delay of a few minutes is acceptable. */
const FEED_CACHING = 'public, max-age=300'
/** Sites that require this header from what they embed can show the badge. */
const IN_OTHER_SITES = ['Cross-Origin-Resource-Policy', 'cross-origin']
const OPEN_TO_ALL = ['Access-Control-Allow-Origin', '*']

/** The feeds and the calendar of a locale, by path. */
function subscriptionFiles({ plainFile, contextOf }: PageFiles, locale: Locale) {
  const common = { contentLanguage: locale, cacheControl: FEED_CACHING }
  const { components = [] } = contextOf(locale).content.snapshot('status') ?? {}
  const names = [...FEED_NAMES, ...components.map(({ id }) => componentFeed(id))]
  const feeds = FEED_FORMATS.flatMap(({ format, mediaType }) =>
    names.map((name) => {
      const contentType = `${mediaType}; charset=utf-8`
      const make = (): string => renderFeed(contextOf(locale), format, name)
      const file = plainFile({ ...common, contentType, make }, OPEN_TO_ALL)
      return [feedPath(locale, format, name), file] as const
    }),
  )
  const make = (): string => renderCalendar(contextOf(locale))
  const calendar = plainFile({ ...common, contentType: CALENDAR_TYPE, make }, OPEN_TO_ALL)
  return [...feeds, [calendarPath(locale), calendar] as const]
}

/** The index of the search, rendered in steps. */
function searchFile({ plainFile, lateFile, contextOf }: PageFiles, locale: Locale): App {
  return lateFile(async () => {
    const { renderSearchIndex } = await import('../search/search-index.ts')
    const context = contextOf(locale)
    const events = eventPages(context).slice(0, SEARCHED_EVENTS)
    const json = await renderSearchIndex(context, [...PAGES, ...events])
    return plainFile({
      contentType: JSON_TYPE,
      contentLanguage: locale,
      cacheControl: PAGE_CACHING,
      make: () => json,
    })
  })
}

function badgeFile({ plainFile, contextOf }: PageFiles, locale: Locale): SiteFile {
  const badge = {
    contentType: 'image/svg+xml; charset=utf-8',
    contentLanguage: locale,
    cacheControl: PAGE_CACHING,
    make: () => renderBadge(contextOf(locale)),
  }
  return plainFile(badge, IN_OTHER_SITES)
}

/** A document for programs that read a Statuspage. */
function statuspageFile({ plainFile, contextOf }: PageFiles, facts: SiteData, path: string) {
  const json = renderStatuspage(contextOf(facts.defaultLocale), path)
  const file = {
    status: json === undefined ? 503 : 200,
    contentType: JSON_TYPE,
    cacheControl: json === undefined ? 'no-store' : 'public, max-age=60',
    make: () => json ?? '{"error":"The status cannot be read at the moment."}',
  }
  return plainFile(file, OPEN_TO_ALL)
}

/** The files that a site opens with, by path: the listed pages, feeds, calendars, badges and indexes. */
export function fixedFiles(files: PageFiles, facts: SiteData): readonly (readonly [string, App])[] {
  const { plainFile, lateFile, contextOf, pageFiles } = files
  const llmsTxt = lateFile(async () => {
    const { renderLlmsTxt } = await import('./llms-txt.ts')
    return plainFile({
      contentType: 'text/plain; charset=utf-8',
      cacheControl: PAGE_CACHING,
      make: () => renderLlmsTxt(contextOf(facts.defaultLocale), PAGE_GROUPS),
    })
  })
  const ofLocales = LOCALES.flatMap((locale) => {
    const pages = PAGES.flatMap((page) => {
      const path = pathOfPage(locale, page.path)
      const { negotiated, twin } = pageFiles(locale, page)
      return [[path, negotiated] as const, [markdownPath(path), twin] as const]
    })
    const index = plainFile({
      contentType: JSON_TYPE,
      contentLanguage: locale,
      cacheControl: PAGE_CACHING,
      make: () => renderReferenceIndex(contextOf(locale)),
    })
    return [
      ...pages,
      ...subscriptionFiles(files, locale),
      [searchIndexPath(locale), searchFile(files, locale)] as const,
      [badgePath(locale), badgeFile(files, locale)] as const,
      [referenceIndexPath(locale), index] as const,
    ]
  })
  return [
    [LLMS_TXT_PATH, llmsTxt],
    ...ofLocales,
    [badgePath(), badgeFile(files, facts.defaultLocale)],
    ...STATUSPAGE_PATHS.map((path) => [path, statuspageFile(files, facts, path)] as const),
  ]
}
