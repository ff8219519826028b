import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import type { App } from '../../http/api-request.ts'
import {
  FEED_NAMES,
  badgePath,
  calendarPath,
  componentFeed,
  feedPath,
  markdownPath,
  pathOfPage,
  searchIndexPath,
  type FeedName,
} from '../addresses.ts'
import { FEED_FORMATS } from '../files/feed-formats.ts'
import { removedComponents, removedFeeds, renderFeed } from '../files/feeds.ts'
import { CALENDAR_TYPE, renderCalendar } from '../files/maintenance-calendar.ts'
import { renderBadge } from '../files/status-badge.ts'
import { renderStatuspage, STATUSPAGE_PATHS } from '../files/statuspage.ts'
import { plainText } from '../markup/rich-text.ts'
import { type Page, type PageContext, type SiteFacts } from '../page.ts'
import { referenceIndexPath, renderReferenceIndex } from '../reference/reference-index.ts'
import { eventPages } from '../snapshots/event-page.ts'
import { lateFile, PAGE_CACHING, type PageFiles } from './page-files.ts'
import { PAGE_GROUPS, PAGES } from './page-table.ts'

/** Number of incidents and maintenances that the search finds, the newest ones. */
const SEARCHED_EVENTS = 100
function searchedEvents(context: PageContext): SearchedPages {
  const pages = eventPages(context)
  const { newest } = context.texts.search
  return {
    pages: pages.slice(0, SEARCHED_EVENTS),
    ...(pages.length > SEARCHED_EVENTS && { left: plainText(newest, { count: SEARCHED_EVENTS }) }),
  }
}
/** The list of pages for language models (llmstxt.org). */
const LLMS_TXT_PATH = '/llms.txt'
const BADGE_TYPE = 'image/svg+xml; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
/** A feed changes with a release. Readers poll; a delay of a few minutes is acceptable. */
const FEED_CACHING = 'public, max-age=300'
/** Sites that require this header from what they embed can show the badge. */
const IN_OTHER_SITES = ['Cross-Origin-Resource-Policy', 'cross-origin']
const OPEN_TO_ALL = ['Access-Control-Allow-Origin', '*']

type Files = readonly (readonly [path: string, file: App])[]

/** Pages of the search, and what it says of those that it does not have. */
interface SearchedPages {
  readonly pages: readonly Page[]
  readonly left?: string
}

/** The index of the search, rendered in steps. */
function searchFile(
  { dailyFile, contextOf }: PageFiles,
  locale: Locale,
  pagesOf: (context: PageContext) => SearchedPages,
): App {
  return dailyFile({
    contentType: JSON_TYPE,
    contentLanguage: locale,
    cacheControl: PAGE_CACHING,
    async make() {
      const { renderSearchIndex } = await import('../search/search-index.ts')
      const context = contextOf(locale)
      const { pages, left } = pagesOf(context)
      return renderSearchIndex(context, pages, left)
    },
  })
}

/** Makes files of a language, each rendered from the context of its pages. */
function textFiles({ dailyFile, contextOf }: PageFiles, locale: Locale) {
  return (
    contentType: string,
    cacheControl: string,
    render: (context: PageContext) => string,
    headers?: readonly string[],
    status = 200,
  ) => {
    const make = () => render(contextOf(locale))
    const file = { status, contentType, contentLanguage: locale, cacheControl, make }
    return dailyFile(file, headers)
  }
}

function feedFiles(
  files: PageFiles,
  locale: Locale,
  names: readonly FeedName[],
  status: 200 | 410,
): Files {
  const file = textFiles(files, locale)
  return FEED_FORMATS.flatMap(({ format, mediaType }) =>
    names.map((name) => {
      const render = (context: PageContext) => renderFeed(context, format, name)
      const contentType = `${mediaType}; charset=utf-8`
      const feed = file(contentType, FEED_CACHING, render, OPEN_TO_ALL, status)
      return [feedPath(locale, format, name), feed] as const
    }),
  )
}

/** The calendar of all components, or of one. */
function calendarFile(
  files: PageFiles,
  locale: Locale,
  status: 200 | 410,
  component?: string,
): Files[number] {
  const render = (context: PageContext) => renderCalendar(context, component)
  const file = textFiles(files, locale)(CALENDAR_TYPE, FEED_CACHING, render, OPEN_TO_ALL, status)
  return [calendarPath(locale, component), file]
}

/** The feeds and calendars of what a version removed, by path. */
export function removedFiles(files: PageFiles): Files {
  return LOCALES.flatMap((locale) => {
    const context = files.contextOf(locale)
    return [
      ...feedFiles(files, locale, removedFeeds(context), 410),
      ...removedComponents(context).map(({ id }) => calendarFile(files, locale, 410, id)),
    ]
  })
}

/** The files of a language: the listed pages, feeds, calendars, the badge and indexes. */
function filesOfLocale(files: PageFiles, facts: SiteFacts, locale: Locale): Files {
  const { contextOf, pageFiles, sourceOf } = files
  const file = textFiles(files, locale)
  const { components = [] } = contextOf(locale).content.snapshot('status') ?? {}
  const feeds = [...FEED_NAMES, ...components.map(({ id }) => componentFeed(id))]
  const listedPages = () => PAGES.map((page) => sourceOf(locale, page).page)
  const badge = file(BADGE_TYPE, PAGE_CACHING, renderBadge, IN_OTHER_SITES)
  return [
    ...PAGES.flatMap((page): Files => {
      const path = pathOfPage(locale, page.path)
      const { negotiated, twin } = pageFiles(locale, page)
      return [
        [path, negotiated],
        [markdownPath(path), twin],
      ]
    }),
    ...feedFiles(files, locale, feeds, 200),
    ...[undefined, ...components.map(({ id }) => id)].map((id) =>
      calendarFile(files, locale, 200, id),
    ),
    [searchIndexPath(locale), searchFile(files, locale, () => ({ pages: listedPages() }))],
    [searchIndexPath(locale, 'events'), searchFile(files, locale, searchedEvents)],
    [badgePath(locale), badge],
    ...(locale === facts.defaultLocale ? [[badgePath(), badge] as const] : []),
    [referenceIndexPath(locale), file(JSON_TYPE, PAGE_CACHING, renderReferenceIndex)],
  ]
}

/** A document for programs that read a Statuspage. It needs the events of all years, so that it is made when asked for. */
function statuspageFile({ plainFile, contextOf }: PageFiles, facts: SiteFacts, path: string) {
  return lateFile(() => {
    const json = renderStatuspage(contextOf(facts.defaultLocale), path)
    const file = {
      status: json === undefined ? 503 : 200,
      contentType: JSON_TYPE,
      cacheControl: json === undefined ? 'no-store' : 'public, max-age=60',
      make: () => json ?? '{"error":"The status cannot be read at the moment."}',
    }
    return plainFile(file, OPEN_TO_ALL)
  })
}

/** The files that a site opens with, by path. */
export function fixedFiles(files: PageFiles, facts: SiteFacts): Files {
  const { plainFile, contextOf } = files
  const llmsTxt = plainFile({
    contentType: 'text/plain; charset=utf-8',
    cacheControl: PAGE_CACHING,
    async make() {
      const { renderLlmsTxt } = await import('../files/llms-txt.ts')
      return renderLlmsTxt(contextOf(facts.defaultLocale), PAGE_GROUPS)
    },
  })
  return [
    [LLMS_TXT_PATH, llmsTxt],
    ...LOCALES.flatMap((locale) => filesOfLocale(files, facts, locale)),
    ...STATUSPAGE_PATHS.map((path) => [path, statuspageFile(files, facts, path)] as const),
  ]
}
