import { HEADERS, NO_INDEX_HEADERS } from '../contract/headers.ts'
import { LOCALES, type Locale } from '../contract/locales.ts'
import type { ApiRequest, App, Reply } from '../http/api-request.ts'
import { localeOfAcceptLanguage } from '../http/request-locale.ts'
import type { Challenge } from '../service/challenge.ts'
import type { Clock } from '../service/clock.ts'
import type { Log } from '../service/log.ts'
import { API_CATALOG_LINK } from './api-catalog.ts'
import { createChallengePage } from './challenge.ts'
import { renderPage } from './layout.ts'
import { nonCanonicalHost } from './non-canonical-host.ts'
import { NOT_FOUND_PAGE } from './not-found-page.ts'
import { PAGES } from './page-table.ts'
import { pathOfPage, type Page } from './page.ts'
import { createWellKnownFiles } from './well-known-files.ts'
import { securityHeaders } from './security-headers.ts'
import { readSiteAssets, type SiteAssets } from './site-assets.ts'
import { createSiteFacts, type SiteFactsOptions } from './site-facts.ts'
import { createSiteFile, type SiteFile } from './site-file.ts'
import { TEXTS } from './texts.ts'

const TEXT_TYPE = 'text/plain; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

/** A page changes with a deployment only; a minute keeps a reader's own copy, and a validator costs little after that. */
const PAGE_CACHING = 'public, max-age=60, stale-while-revalidate=300'
/** Browsers look for it beside answers that name no icon, such as JSON; they need not come back for a day. */
const ICON_PATH = '/favicon.ico'
const ICON_CACHING = 'public, max-age=86400'
/** The address of an asset holds its digest. */
const ASSET_CACHING = 'public, max-age=31536000, immutable'
const NO_CACHING = 'no-store'
/** Plain on purpose: what makes pages is what has just failed. */
const FAILURE_TEXT = 'This page cannot be shown at the moment. The API is at /api/v1.\n'

/** What lies outside the API. */
export interface SiteOptions extends Omit<SiteFactsOptions, 'assetPath'> {
  readonly deployment: 'primary' | 'preview'
  readonly challenge: Challenge
  readonly clock: Clock
  readonly log: Log
}

function localeOfPath(path: string): Locale {
  const segment = path.split('/')[1]
  return LOCALES.find((locale) => locale === segment) ?? 'en'
}

/** In a loop: `/\/+$/` begins anew at each slash, and for 16 kB of them that holds up everybody for half a second. */
function withoutSlashesAtEnd(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/**
 * Answers every request outside `/api`: the pages in each locale, their assets, challenges, the files that programs look
 * for, and an HTML 404 for whatever is none of them. A page is rendered when it is first asked for and kept.
 */
export function createSite(options: SiteOptions): App {
  const { deployment, runtime, challenge, clock, log, origin, contact } = options
  const challengePath = challenge.description.path
  const answerChallenge = createChallengePage({ challenge, deployment, log })
  const robotsTag = deployment === 'preview' ? NO_INDEX_HEADERS : []
  const plainHeaders = [...securityHeaders(), ...robotsTag]

  let readAssets: SiteAssets | undefined
  const assets = (): SiteAssets => (readAssets ??= readSiteAssets())
  const facts = createSiteFacts({ ...options, assetPath: (file) => assets().pathOf(file) })

  const isNonCanonicalHost = runtime === 'local' ? nonCanonicalHost(origin) : () => false
  const pagePaths = new Set(['/'])
  const files = new Map<string, SiteFile>()
  const notFound = new Map<Locale, SiteFile>()

  function pageFile(
    locale: Locale,
    page: Page,
    extra: { readonly status?: number } = {},
  ): SiteFile {
    return createSiteFile({
      ...extra,
      contentType: HTML_TYPE,
      contentLanguage: locale,
      cacheControl: page.noIndex === true ? NO_CACHING : PAGE_CACHING,
      headers: [
        ...(page.path === '' ? [HEADERS.link, API_CATALOG_LINK] : []),
        ...securityHeaders(page.foreignOrigins?.(facts)),
        ...robotsTag,
      ],
      make: () => renderPage({ locale, texts: TEXTS[locale], facts }, page, PAGES),
    })
  }

  for (const locale of LOCALES) {
    for (const page of PAGES) {
      const path = pathOfPage(locale, page.path)
      files.set(path, pageFile(locale, page))
      pagePaths.add(path)
    }
    notFound.set(locale, pageFile(locale, NOT_FOUND_PAGE, { status: 404 }))
  }
  const wellKnownFiles = createWellKnownFiles({
    origin,
    deployment,
    pages: PAGES,
    contact,
    clock,
    headers: plainHeaders,
  })
  for (const [path, file] of wellKnownFiles) files.set(path, file)

  function assetFile(path: string): SiteFile | undefined {
    const asset = assets().at(path)
    if (asset === undefined) return undefined
    const { contentType, text } = asset
    const file = createSiteFile({
      contentType,
      cacheControl: ASSET_CACHING,
      headers: plainHeaders,
      make: () => text,
    })
    files.set(path, file)
    return file
  }

  function bodiless(status: number, headers: readonly string[]): Reply {
    const all = [HEADERS.contentLength, '0', ...headers, ...plainHeaders]
    return { status, headers: all, body: undefined }
  }

  function redirect(status: 302 | 308, target: string, headers: readonly string[]): Reply {
    return bodiless(status, [
      'Location',
      target,
      HEADERS.cacheControl,
      'public, max-age=60',
      ...headers,
    ])
  }

  /** A redirect that holds for this request alone. */
  function temporaryRedirect(target: string): Reply {
    return bodiless(307, ['Location', target, HEADERS.cacheControl, NO_CACHING])
  }

  /** Where an address that is no page leads to, if anywhere. */
  function redirectOf({ path, header }: ApiRequest): Reply | undefined {
    if (path === '/') {
      const locale = localeOfAcceptLanguage(header(HEADERS.acceptLanguage.toLowerCase()))
      return redirect(302, pathOfPage(locale, ''), [HEADERS.vary, HEADERS.acceptLanguage])
    }
    if (path.startsWith('/assets/')) {
      // Asked for by a page that a cache kept over a deployment, or that another machine made while one is under way.
      const successor = assets().successorOf(path)
      if (successor !== undefined) return temporaryRedirect(successor)
    }
    const shorter = withoutSlashesAtEnd(path)
    return shorter !== path && files.has(shorter) ? redirect(308, shorter, []) : undefined
  }

  function answer(request: ApiRequest): Reply | Promise<Reply> {
    const { method, path, target } = request
    if (path === challengePath && answerChallenge !== undefined) return answerChallenge(request)
    const file = files.get(path) ?? (path.startsWith('/assets/') ? assetFile(path) : undefined)
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && pagePaths.has(path) && isNonCanonicalHost(request.header('host'))) {
      return temporaryRedirect(origin + target)
    }
    if (file !== undefined && isRead) return file(request)
    const redirected = redirectOf(request)
    if ((file ?? redirected) !== undefined && !isRead) {
      return bodiless(405, [HEADERS.allow, 'GET, HEAD', HEADERS.cacheControl, NO_CACHING])
    }
    if (redirected !== undefined) return redirected
    if (path === ICON_PATH) return bodiless(404, [HEADERS.cacheControl, ICON_CACHING])
    const missing = notFound.get(localeOfPath(path))
    return missing?.(request) ?? bodiless(404, [HEADERS.cacheControl, NO_CACHING])
  }

  return (request) => {
    try {
      return answer(request)
    } catch (error) {
      // A defect of ours, told in the log; the next request tries again.
      log.error({ err: error }, 'A page could not be made')
      const headers = [
        HEADERS.contentType,
        TEXT_TYPE,
        HEADERS.contentLength,
        String(Buffer.byteLength(FAILURE_TEXT)),
        HEADERS.cacheControl,
        NO_CACHING,
        ...plainHeaders,
      ]
      const body = request.method === 'HEAD' ? undefined : FAILURE_TEXT
      return { status: 500, headers, body }
    }
  }
}
