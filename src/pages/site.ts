import { HEADERS, NO_INDEX_HEADERS } from '../contract/headers.ts'
import { LOCALES, type Locale } from '../contract/locales.ts'
import type { ApiRequest, App, Reply } from '../http/api-request.ts'
import { localeOfAcceptLanguage } from '../http/request-locale.ts'
import type { Challenge } from '../service/challenge.ts'
import type { Clock } from '../service/clock.ts'
import type { Log } from '../service/log.ts'
import { API_CATALOG_LINK } from './api-catalog.ts'
import { createChallengePage } from './challenge.ts'
import { FEED_TYPES, feedPath, renderFeed } from './feeds.ts'
import { createIdentityFiles } from './identity-files.ts'
import { renderPage } from './layout.ts'
import { nonCanonicalHost } from './non-canonical-host.ts'
import { NOT_FOUND_PAGE } from './not-found-page.ts'
import { PAGES } from './page-table.ts'
import { type Page, type PageContext, pathOfPage } from './page.ts'
import { securityHeaders } from './security-headers.ts'
import { readFavicon, readSiteAssets } from './site-assets.ts'
import { createSiteFacts, readOrganization, type SiteFactsOptions } from './site-facts.ts'
import { createSiteFile, type SiteFile, type SiteFileOptions } from './site-file.ts'
import { TEXTS } from './texts.ts'
import { versionPage } from './version-page.ts'
import { createWellKnownFiles } from './well-known-files.ts'

const TEXT_TYPE = 'text/plain; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

/** Pages change with a deployment or a release. */
const PAGE_CACHING = 'public, max-age=60, stale-while-revalidate=300'
/** Browsers request it for responses without an icon, such as JSON. */
const ICON_PATH = '/favicon.ico'
const ICON_CACHING = 'public, max-age=86400'
/** The path of an asset contains its digest. */
const ASSET_CACHING = 'public, max-age=31536000, immutable'
/** A feed changes with a release. Readers poll; a delay of a few minutes is acceptable. */
const FEED_CACHING = 'public, max-age=300'
const OPEN_TO_ALL = ['Access-Control-Allow-Origin', '*']
const VERSION_PATH = /^\/([a-zA-Z-]+)\/history\/(VS-\d{4,})$/
const NO_CACHING = 'no-store'
/** Plain text, because page rendering has failed. */
const FAILURE_TEXT = 'This page cannot be shown at the moment. The API is at /api/v1.\n'

/** Dependencies of the site. */
export interface SiteOptions extends Omit<
  SiteFactsOptions,
  'assetPath' | 'logoPath' | 'accentPath'
> {
  readonly deployment: 'primary' | 'preview'
  readonly challenge: Challenge
  readonly clock: Clock
  readonly log: Log
}

function localeOfPath(path: string): Locale {
  const segment = path.split('/')[1]
  return LOCALES.find((locale) => locale === segment) ?? 'en'
}

/** A loop, because `/\/+$/` takes quadratic time on 16 kB of slashes. */
function withoutSlashesAtEnd(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/**
 * Handles every request outside `/api`: the pages in each locale, feeds, assets, challenges, well-known files, and an
 * HTML 404 for everything else. A page is rendered at its first request and cached. A site belongs to one release: a new
 * release gets a new site.
 */
export function createSite(options: SiteOptions): App {
  const { deployment, runtime, challenge, clock, log, origin } = options
  const challengePath = challenge.description.path
  const serveChallenge = createChallengePage({ challenge, deployment, log })
  const robotsTag = deployment === 'preview' ? NO_INDEX_HEADERS : []
  const plainHeaders = [...securityHeaders(), ...robotsTag]

  let readAssets: ReturnType<typeof readSiteAssets> | undefined
  const assets = () => (readAssets ??= readSiteAssets())
  const identity = createIdentityFiles(readOrganization(options.releases))
  const facts = createSiteFacts({
    ...options,
    logoPath: identity.logo?.path,
    accentPath: identity.accent?.path,
    assetPath: (file) => assets().pathOf(file),
  })
  const contextOf = (locale: Locale): PageContext => ({
    locale,
    texts: TEXTS[locale],
    facts,
    content: facts.content(locale),
  })

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
      make: () => renderPage(contextOf(locale), page, PAGES),
    })
  }

  for (const locale of LOCALES) {
    for (const page of PAGES) {
      const path = pathOfPage(locale, page.path)
      files.set(path, pageFile(locale, page))
      pagePaths.add(path)
    }
    notFound.set(locale, pageFile(locale, NOT_FOUND_PAGE, { status: 404 }))
    for (const { format, mediaType } of FEED_TYPES) {
      const file = createSiteFile({
        contentType: `${mediaType}; charset=utf-8`,
        contentLanguage: locale,
        cacheControl: FEED_CACHING,
        headers: [...securityHeaders(), ...robotsTag, ...OPEN_TO_ALL],
        make: () => renderFeed(contextOf(locale), format),
      })
      files.set(feedPath(locale, format), file)
    }
  }
  /** A file for every locale. */
  function plainFile(contentType: string, cacheControl: string, make: SiteFileOptions['make']) {
    return createSiteFile({ contentType, cacheControl, headers: plainHeaders, make })
  }

  for (const file of [identity.accent, identity.logo]) {
    if (file === undefined) continue
    files.set(
      file.path,
      plainFile(file.contentType, ASSET_CACHING, () => file.content),
    )
  }
  files.set(ICON_PATH, plainFile('image/x-icon', ICON_CACHING, readFavicon))

  /** The page of a version, rendered for each request, so that a long history takes no memory. */
  function versionFile(path: string): SiteFile | undefined {
    const [, locale, snapshotId = ''] = VERSION_PATH.exec(path) ?? []
    const known = LOCALES.find((each) => each === locale)
    const entry = known === undefined ? undefined : facts.version(snapshotId)
    return known === undefined || entry === undefined
      ? undefined
      : pageFile(known, versionPage(entry))
  }
  const wellKnownFiles = createWellKnownFiles({
    deployment,
    pages: PAGES,
    facts,
    clock,
    headers: plainHeaders,
  })
  for (const [path, file] of wellKnownFiles) files.set(path, file)

  function assetFile(path: string): SiteFile | undefined {
    const asset = assets().at(path)
    if (asset === undefined) return undefined
    const file = plainFile(asset.contentType, ASSET_CACHING, () => asset.text)
    files.set(path, file)
    return file
  }

  function bodiless(status: number, headers: readonly string[]): Reply {
    const all = [HEADERS.contentLength, '0', ...headers, ...plainHeaders]
    return { status, headers: all, body: undefined }
  }

  function redirect(
    status: 302 | 307 | 308,
    target: string,
    headers: readonly string[] = [],
  ): Reply {
    // A 307 must not be cached.
    const caching = status === 307 ? NO_CACHING : 'public, max-age=60'
    return bodiless(status, ['Location', target, HEADERS.cacheControl, caching, ...headers])
  }

  /** The redirect of a path, if it has one. */
  function redirectOf({ path, header }: ApiRequest): Reply | undefined {
    if (path === '/') {
      const locale = localeOfAcceptLanguage(header(HEADERS.acceptLanguage.toLowerCase()))
      return redirect(302, pathOfPage(locale, ''), [HEADERS.vary, HEADERS.acceptLanguage])
    }
    if (path.startsWith('/assets/')) {
      // Requested by a page that was cached before a deployment, or that another node rendered during a deployment.
      const successor = assets().successorOf(path)
      if (successor !== undefined) return redirect(307, successor)
    }
    const shorter = withoutSlashesAtEnd(path)
    return shorter !== path && files.has(shorter) ? redirect(308, shorter) : undefined
  }

  function handle(request: ApiRequest): Reply | Promise<Reply> {
    const { method, path, target } = request
    if (path === challengePath && serveChallenge !== undefined) return serveChallenge(request)
    const file =
      files.get(path) ??
      (path.startsWith('/assets/') ? assetFile(path) : undefined) ??
      versionFile(path)
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && pagePaths.has(path) && isNonCanonicalHost(request.header('host'))) {
      return redirect(307, origin + target)
    }
    if (file !== undefined && isRead) return file(request)
    const redirected = redirectOf(request)
    if ((file ?? redirected) !== undefined && !isRead) {
      return bodiless(405, [HEADERS.allow, 'GET, HEAD', HEADERS.cacheControl, NO_CACHING])
    }
    if (redirected !== undefined) return redirected
    const missing = notFound.get(localeOfPath(path))
    return missing?.(request) ?? bodiless(404, [HEADERS.cacheControl, NO_CACHING])
  }

  return (request) => {
    try {
      return handle(request)
    } catch (error) {
      // A defect: logged, and tried again with the next request.
      log.error({ err: error }, 'Page rendering failed')
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
