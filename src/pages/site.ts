import { HEADERS, NO_INDEX_HEADERS } from '@public-api/contract/http/headers'
import type { Runtime } from '@public-api/contract/registry/endpoints'
import { LOCALES, type Locale } from '@public-api/contract/registry/locales'
import type { ApiRequest, App, Reply } from '../http/api-request.ts'
import { localeOfAcceptLanguage } from '../http/request-locale.ts'
import type { Log } from '../service/logger.ts'
import { createChallengePage } from './delivery/challenge.ts'
import { FEED_FORMATS } from './delivery/feed-formats.ts'
import { FEED_NAMES, feedPath, renderFeed } from './delivery/feeds.ts'
import { LLMS_TXT_PATH } from './delivery/llms-txt-path.ts'
import { CALENDAR_TYPE, calendarPath, renderCalendar } from './delivery/maintenance-calendar.ts'
import { nonCanonicalHost } from './delivery/non-canonical-host.ts'
import { prefersMarkdown } from './delivery/prefers-markdown.ts'
import { securityHeaders } from './delivery/security-headers.ts'
import { iconOf, readFavicon, readSiteAssets } from './delivery/site-assets.ts'
import { createSiteFile, type SiteFile, type SiteFileOptions } from './delivery/site-file.ts'
import { badgePath, renderBadge } from './delivery/status-badge.ts'
import { API_CATALOG_LINK, createWellKnownFiles } from './delivery/well-known-files.ts'
import { sincePage } from './history/since-page.ts'
import { indexPieceOf, renderVersionIndex } from './history/version-index.ts'
import { versionPage } from './history/version-page.ts'
import { renderPage } from './layout.ts'
import { nearestPage, notFoundPage } from './not-found-page.ts'
import { PAGE_GROUPS, PAGES } from './page-table.ts'
import {
  isListed,
  MARKDOWN_TYPE,
  markdownPath,
  type Page,
  type PageContext,
  pathOfPage,
} from './page.ts'
import { referenceIndexPath, renderReferenceIndex } from './reference/reference-index.ts'
import { searchIndexPath } from './search/search-index-path.ts'
import { createSiteData, type SiteDataOptions } from './site-data.ts'
import { TEXTS } from './texts/texts.ts'

/** Pages change with a deployment or a release. */
const PAGE_CACHING = 'public, max-age=60, stale-while-revalidate=300'
/** Browsers request it for responses without an icon, such as JSON. */
const ICON_PATH = '/favicon.ico'
const ICON_CACHING = 'public, max-age=86400'
/** The path of an asset contains its digest. */
const ASSET_CACHING = 'public, max-age=31536000, immutable'
/** A feed changes with a release. Readers poll; a delay of a few minutes is acceptable. */
const FEED_CACHING = 'public, max-age=300'
/** Sites that require this header from what they embed can show the badge. */
const IN_OTHER_SITES = ['Cross-Origin-Resource-Policy', 'cross-origin']
const OPEN_TO_ALL = ['Access-Control-Allow-Origin', '*']
const VERSION_PATH = /^\/([a-zA-Z-]+)\/history\/(since\/)?(VS-\d{4,})(\.md)?$/
const CARD_PATH = /^\/cards\/([\w-]{43})\.png$/
const NO_CACHING = 'no-store'
/** Plain text, because page rendering has failed. */
const FAILURE_TEXT = 'This page cannot be shown at the moment. The API is at /api/v1.\n'

export interface SiteOptions extends Omit<SiteDataOptions, 'assetPath'> {
  readonly runtime: Runtime
  readonly deployment: 'primary' | 'preview'
  readonly log: Log
}

function localeNamed(segment: string | undefined): Locale | undefined {
  return LOCALES.find((locale) => locale === segment)
}

/** A loop, because `/\/+$/` takes quadratic time on 16 kB of slashes. */
function withoutSlashesAtEnd(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/**
 * Handles every request outside `/api`: the pages in each locale, feeds, assets, challenges, well-known files, and an
 * HTML 404 for everything else. A page is rendered at its first request of a UTC day and cached. A site belongs to one release: a new
 * release gets a new site.
 */
export function createSite(options: SiteOptions): App {
  const { deployment, runtime, challenge, clock, log, origin } = options
  const challengePath = challenge.description.path
  const serveChallenge = createChallengePage({ challenge, deployment, log })
  const robotsTag = deployment === 'preview' ? NO_INDEX_HEADERS : []
  const plainHeaders = [...securityHeaders(), ...robotsTag]

  let readAssets: ReturnType<typeof readSiteAssets> | undefined
  const assets = (): ReturnType<typeof readSiteAssets> =>
    (readAssets ??= readSiteAssets(organization))
  const facts = createSiteData({ ...options, assetPath: (file) => assets().pathOf(file) })
  const { organization } = facts.content('en')
  const contextOf = (locale: Locale): PageContext => ({
    locale,
    texts: TEXTS[locale],
    facts,
    content: facts.content(locale),
  })

  const isNonCanonicalHost = runtime === 'local' ? nonCanonicalHost(origin) : () => false

  /** A page, rendered again on each UTC day, because pages state ages. */
  function daily(createFile: () => SiteFile): SiteFile {
    let ofDay: { readonly dayMs: number; readonly file: SiteFile } | undefined
    return (request) => {
      const dayMs = facts.todayMs
      if (ofDay?.dayMs !== dayMs) ofDay = { dayMs, file: createFile() }
      return ofDay.file(request)
    }
  }

  /** A page at its path, as HTML or as Markdown, whichever a request prefers; and its Markdown twin at another path. */
  function pageFiles(locale: Locale, page: Page) {
    const isNotFound = page.noIndex === true
    const path = pathOfPage(locale, page.path)
    const twinPath = markdownPath(path)
    const common = {
      status: isNotFound ? 404 : 200,
      contentLanguage: locale,
      cacheControl: isNotFound ? NO_CACHING : PAGE_CACHING,
      varies: ['Accept'],
    }
    const notIndexed = page.isDerived === true ? NO_INDEX_HEADERS : robotsTag
    const ifFound = (headers: readonly string[]) => (isNotFound ? [] : headers)
    const html = daily(() =>
      createSiteFile({
        ...common,
        contentType: 'text/html; charset=utf-8',
        headers: [
          ...(page.path === '' ? API_CATALOG_LINK : []),
          ...ifFound([HEADERS.link, `<${twinPath}>; rel="alternate"; type="${MARKDOWN_TYPE}"`]),
          ...securityHeaders(page.foreignOrigins?.(facts)),
          ...notIndexed,
        ],
        make: () => renderPage(contextOf(locale), page, PAGE_GROUPS),
      }),
    )
    const twin = lateFile(async () => {
      const { renderMarkdown } = await import('./markdown/page-markdown.ts')
      return daily(() =>
        createSiteFile({
          ...common,
          contentType: `${MARKDOWN_TYPE}; charset=utf-8`,
          headers: [
            ...ifFound([HEADERS.link, `<${origin}${path}>; rel="canonical"`]),
            ...ifFound(['Content-Location', twinPath]),
            ...securityHeaders(),
            ...notIndexed,
          ],
          make: () => renderMarkdown(contextOf(locale), page, isPagePath),
        }),
      )
    })
    const negotiated: App = (request) =>
      prefersMarkdown(request.header('accept')) ? twin(request) : html(request)
    return { negotiated, twin }
  }

  function plainFile(file: Omit<SiteFileOptions, 'headers'>, headers: readonly string[] = []) {
    return createSiteFile({ ...file, headers: [...headers, ...plainHeaders] })
  }

  /** A file that is opened at its first request: what only it needs does not delay the start. */
  function lateFile(open: () => Promise<SiteFile>): App {
    let opening: Promise<SiteFile> | undefined
    return async (request) => {
      opening ??= open()
      try {
        return (await opening)(request)
      } catch (error) {
        opening = undefined
        return failed(request, error)
      }
    }
  }

  /** The index of the search, rendered in steps. */
  function searchFile(locale: Locale): App {
    return lateFile(async () => {
      const { renderSearchIndex } = await import('./search/search-index.ts')
      const json = await renderSearchIndex(contextOf(locale), PAGES)
      return plainFile({
        contentType: 'application/json; charset=utf-8',
        contentLanguage: locale,
        cacheControl: PAGE_CACHING,
        make: () => json,
      })
    })
  }

  /** A defect: logged, and tried again with the next request. */
  function failed(request: ApiRequest, error: unknown): Reply {
    log.error({ err: error }, 'Page rendering failed')
    const type = [HEADERS.contentType, 'text/plain; charset=utf-8']
    const failure = reply(500, [...type, HEADERS.cacheControl, NO_CACHING], FAILURE_TEXT)
    return request.method === 'HEAD' ? { ...failure, body: undefined } : failure
  }

  function badgeFile(locale: Locale): SiteFile {
    const badge = {
      contentType: 'image/svg+xml; charset=utf-8',
      contentLanguage: locale,
      cacheControl: PAGE_CACHING,
      make: () => renderBadge(contextOf(locale)),
    }
    return plainFile(badge, IN_OTHER_SITES)
  }

  const files = new Map<string, App>(
    createWellKnownFiles({ pages: PAGES, facts, clock }, deployment, plainHeaders),
  )
  if (organization === undefined) {
    files.set(
      ICON_PATH,
      plainFile({ contentType: 'image/x-icon', cacheControl: ICON_CACHING, make: readFavicon }),
    )
  }
  files.set(
    LLMS_TXT_PATH,
    lateFile(async () => {
      const { renderLlmsTxt } = await import('./delivery/llms-txt.ts')
      return plainFile({
        contentType: 'text/plain; charset=utf-8',
        cacheControl: PAGE_CACHING,
        make: () => renderLlmsTxt(contextOf(facts.defaultLocale), PAGE_GROUPS),
      })
    }),
  )
  const pagePaths = new Set(['/'])
  for (const locale of LOCALES) {
    for (const page of PAGES) {
      const path = pathOfPage(locale, page.path)
      const { negotiated, twin } = pageFiles(locale, page)
      files.set(path, negotiated)
      files.set(markdownPath(path), twin)
      pagePaths.add(path)
    }
    const contentLanguage = locale
    for (const { format, mediaType } of FEED_FORMATS) {
      for (const name of FEED_NAMES) {
        const feed = {
          contentType: `${mediaType}; charset=utf-8`,
          contentLanguage,
          cacheControl: FEED_CACHING,
          make: () => renderFeed(contextOf(locale), format, name),
        }
        files.set(feedPath(locale, format, name), plainFile(feed, OPEN_TO_ALL))
      }
    }
    const calendar = {
      contentType: CALENDAR_TYPE,
      contentLanguage,
      cacheControl: FEED_CACHING,
      make: () => renderCalendar(contextOf(locale)),
    }
    files.set(calendarPath(locale), plainFile(calendar, OPEN_TO_ALL))
    files.set(searchIndexPath(locale), searchFile(locale))
    files.set(badgePath(locale), badgeFile(locale))
    const index = {
      contentType: 'application/json; charset=utf-8',
      contentLanguage,
      cacheControl: PAGE_CACHING,
      make: () => renderReferenceIndex(contextOf(locale)),
    }
    files.set(referenceIndexPath(locale), plainFile(index))
  }
  files.set(badgePath(), badgeFile(facts.defaultLocale))

  function assetFile(path: string): SiteFile | undefined {
    const asset = path.startsWith('/assets/') ? assets().at(path) : undefined
    if (asset === undefined) return undefined
    const { contentType, content } = asset
    const file = plainFile({ contentType, cacheControl: ASSET_CACHING, make: () => content })
    files.set(path, file)
    return file
  }

  function indexFile(path: string): SiteFile | undefined {
    const piece = indexPieceOf(facts, path)
    if (piece === undefined) return undefined
    const file = plainFile({
      contentType: 'application/json; charset=utf-8',
      cacheControl: PAGE_CACHING,
      make: () => renderVersionIndex(facts, piece),
    })
    files.set(path, file)
    return file
  }

  /** A social card, read for each request, so that cards take no memory. */
  function cardFile(path: string): SiteFile | undefined {
    const [, name] = CARD_PATH.exec(path) ?? []
    const png = name === undefined ? undefined : options.releases.readCard(name)
    return (
      png && plainFile({ contentType: 'image/png', cacheControl: ASSET_CACHING, make: () => png })
    )
  }

  /** The page of a version or of what changed since, rendered for each request, so that a long history takes no memory. */
  function versionFile(path: string): App | undefined {
    const [, segment, since, snapshotId = '', ending] = VERSION_PATH.exec(path) ?? []
    const locale = localeNamed(segment)
    const entry = locale && facts.version(snapshotId)
    if (!locale || !entry) return undefined
    const { negotiated, twin } = pageFiles(locale, since ? sincePage(entry) : versionPage(entry))
    return ending === undefined ? negotiated : twin
  }

  /** The 404 pages by language and the page that they suggest. */
  const notFoundFiles = new Map<string, App>()
  const listedPages = PAGES.filter((page) => isListed(page, facts))

  function notFoundFile(path: string): App {
    const [, first = '', ...rest] = path.split('/')
    const named = localeNamed(first)
    const locale = named ?? facts.defaultLocale
    const below = (named === undefined ? [first, ...rest] : rest).join('/')
    const near = nearestPage(below, listedPages, TEXTS[locale])
    const page = notFoundPage(near)
    // The path of the first page is empty.
    const key = pathOfPage(locale, (near ?? page).path)
    const file = notFoundFiles.get(key) ?? pageFiles(locale, page).negotiated
    notFoundFiles.set(key, file)
    return file
  }

  const isPagePath = (path: string): boolean =>
    (path !== '/' && pagePaths.has(path)) || VERSION_PATH.test(path)

  function reply(status: number, headers: readonly string[], body?: string): Reply {
    const length = String(Buffer.byteLength(body ?? ''))
    return { status, headers: [HEADERS.contentLength, length, ...headers, ...plainHeaders], body }
  }

  function redirect(
    status: 302 | 307 | 308,
    target: string,
    headers: readonly string[] = [],
  ): Reply {
    // A 307 must not be cached.
    const caching = status === 307 ? NO_CACHING : 'public, max-age=60'
    return reply(status, ['Location', target, HEADERS.cacheControl, caching, ...headers])
  }

  function redirectOf(path: string): SiteFile | undefined {
    if (path === '/') {
      return ({ header }) => {
        const locale = localeOfAcceptLanguage(header('accept-language'), facts.languages)
        return redirect(302, pathOfPage(locale, ''), [HEADERS.vary, HEADERS.acceptLanguage])
      }
    }
    if (path === ICON_PATH) {
      return () => redirect(302, assets().pathOf(iconOf(organization).file))
    }
    // Requested by a page that was cached before a deployment, or that another node rendered during a deployment.
    const successor = path.startsWith('/assets/') ? assets().successorOf(path) : undefined
    if (successor !== undefined) return () => redirect(307, successor)
    const shorter = withoutSlashesAtEnd(path)
    return shorter !== path && files.has(shorter) ? () => redirect(308, shorter) : undefined
  }

  function handle(request: ApiRequest): Reply | Promise<Reply> {
    const { method, path, target, header } = request
    if (path === challengePath && serveChallenge !== undefined) return serveChallenge(request)
    const file =
      files.get(path) ??
      assetFile(path) ??
      versionFile(path) ??
      indexFile(path) ??
      cardFile(path) ??
      redirectOf(path)
    if (file === undefined) return notFoundFile(path)(request)
    if (method !== 'GET' && method !== 'HEAD') {
      return reply(405, [HEADERS.allow, 'GET, HEAD', HEADERS.cacheControl, NO_CACHING])
    }
    if (pagePaths.has(path) && isNonCanonicalHost(header('host'))) {
      return redirect(307, origin + target)
    }
    return file(request)
  }

  return (request) => {
    try {
      return handle(request)
    } catch (error) {
      return failed(request, error)
    }
  }
}
