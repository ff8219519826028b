import { HEADERS, NO_INDEX_HEADERS } from '@public-api/contract/terms/headers'
import type { Locale } from '@public-api/contract/terms/locales'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import type { App } from '../../http/api-request.ts'
import { markdownPath, pathOfPage } from '../addresses.ts'
import { API_CATALOG_LINK } from '../files/well-known-files.ts'
import { renderPage } from '../layout.ts'
import {
  MARKDOWN_TYPE,
  type Page,
  type PageBody,
  type PageContext,
  type SiteFacts,
} from '../page.ts'
import { withLineBreaks } from '../texts/line-breaks.ts'
import { TEXTS } from '../texts/texts.ts'
import { PAGE_GROUPS, PAGES } from './page-table.ts'
import { prefersMarkdown } from './prefers-markdown.ts'
import { securityHeaders } from './security-headers.ts'
import { createSiteFile, NO_CACHING, type SiteFileOptions } from './site-file.ts'

/** A file that is opened at its first request: a site has a thousand, which would hold up the take-up of a version. */
export function lateFile(open: () => App): App {
  let file: App | undefined
  return (request) => (file ??= open())(request)
}

interface PageSource {
  readonly context: PageContext
  readonly page: Page
}

/** Pages change with a deployment or a release. */
export const PAGE_CACHING = 'public, max-age=60, stale-while-revalidate=300'

/**
 * Makes the files of a site: pages with their Markdown twins, and others. `robotsTag` are the headers that keep search
 * engines away from a staging deployment.
 */
export function createPageFiles(
  facts: SiteFacts,
  robotsTag: readonly string[],
  isPagePath: (path: string) => boolean,
) {
  const { origin } = facts
  const contextOf = (locale: Locale): PageContext => ({
    locale,
    texts: TEXTS[locale],
    facts,
    content: facts.content(locale),
  })

  /** A page, rendered again on each UTC day, because pages state ages; each minute while an incident on it is open. */
  function timed(page: Pick<Page, 'isOfStatus'>, createFile: () => App): App {
    const isByMinute = page.isOfStatus === true && facts.hasOpenIncident
    let ofTime: { readonly timeMs: number; readonly file: App } | undefined
    return (request) => {
      const timeMs = isByMinute ? facts.nowMs : facts.todayMs
      if (ofTime?.timeMs !== timeMs) ofTime = { timeMs, file: createFile() }
      return ofTime.file(request)
    }
  }

  function plainFile(file: Omit<SiteFileOptions, 'headers'>, headers: readonly string[] = []): App {
    const make = async () => {
      const content = await file.make()
      return typeof content === 'string' ? withoutLineMarks(content) : content
    }
    return lateFile(() => {
      const all = [...headers, ...securityHeaders(), ...robotsTag]
      return createSiteFile({ ...file, make, headers: all })
    })
  }

  /** The same, made again on each UTC day: what it says of the last days would not be true for longer. */
  const dailyFile: typeof plainFile = (...file) => timed({}, () => plainFile(...file))

  const sources = new Map<string, PageSource>()

  /**
   * A page and what it is made from. In a copy, its HTML, its Markdown and its part of the search index are made from one
   * body; a listed page is kept until the index needs it.
   */
  function sourceOf(locale: Locale, page: Page): PageSource {
    if (facts.copy === undefined) return { context: contextOf(locale), page }
    const key = pathOfPage(locale, page.path)
    const known = sources.get(key)
    if (known !== undefined) return known
    const context = contextOf(locale)
    let body: PageBody | undefined
    const made = { context, page: { ...page, body: () => (body ??= page.body(context)) } }
    if (PAGES.includes(page)) sources.set(key, made)
    return made
  }

  /** A page at its path, as HTML or as Markdown, whichever a request prefers; and its Markdown twin at another path. */
  function pageFiles(locale: Locale, page: Page) {
    const isNotFound = page.noIndex === true
    const path = pathOfPage(locale, page.path)
    const twinPath = markdownPath(path)
    const common = {
      status: isNotFound ? (page.isGone === true ? 410 : 404) : 200,
      contentLanguage: locale,
      cacheControl: isNotFound ? NO_CACHING : PAGE_CACHING,
      varies: ['Accept'],
    }
    const notIndexed = page.isDerived === true ? NO_INDEX_HEADERS : robotsTag
    const ifFound = (headers: readonly string[]) => (isNotFound ? [] : headers)
    const shared = facts.copy && sourceOf(locale, page)
    const source = (): PageSource => shared ?? sourceOf(locale, page)
    const html = timed(page, () =>
      createSiteFile({
        ...common,
        contentType: 'text/html; charset=utf-8',
        headers: [
          ...(page.path === '' ? API_CATALOG_LINK : []),
          ...ifFound([HEADERS.link, `<${twinPath}>; rel="alternate"; type="${MARKDOWN_TYPE}"`]),
          ...securityHeaders(page.foreignOrigins?.(facts)),
          ...notIndexed,
        ],
        async make() {
          const made = source()
          return withLineBreaks(await renderPage(made.context, made.page, PAGE_GROUPS), locale)
        },
      }),
    )
    const twin = timed(page, () =>
      createSiteFile({
        ...common,
        contentType: `${MARKDOWN_TYPE}; charset=utf-8`,
        headers: [
          ...ifFound([HEADERS.link, `<${origin}${path}>; rel="canonical"`]),
          ...ifFound(['Content-Location', twinPath]),
          ...securityHeaders(),
          ...notIndexed,
        ],
        async make() {
          const { renderMarkdown } = await import('../markdown/page-markdown.ts')
          const made = source()
          return renderMarkdown(made.context, made.page, isPagePath)
        },
      }),
    )
    const negotiated: App = (request) =>
      prefersMarkdown(request.header('accept')) ? twin(request) : html(request)
    return { negotiated, twin }
  }

  return { contextOf, sourceOf, plainFile, dailyFile, pageFiles }
}

export type PageFiles = ReturnType<typeof createPageFiles>
