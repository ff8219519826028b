import type { Runtime } from '@public-api/contract/registry/endpoints'
import { HEADERS, NO_INDEX_HEADERS } from '@public-api/contract/terms/headers'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import type { ApiRequest, App, Reply } from '../../http/api-request.ts'
import { localeOfAcceptLanguage } from '../../http/request-locale.ts'
import type { Log } from '../../service/logger.ts'
import { isComponentFeed, pathOfPage } from '../addresses.ts'
import {
  isSitemapPart,
  renderSitemap,
  renderSitemapIndex,
  SITEMAP_PATH,
  sitemapParts,
} from '../files/sitemap.ts'
import { createWellKnownFiles } from '../files/well-known-files.ts'
import { indexPaths, indexPieceOf, renderVersionIndex } from '../history/version-index.ts'
import { iconOf, readFavicon, readSiteAssets } from '../markup/site-assets.ts'
import { ownTurn } from '../markup/turns.ts'
import { nearestPage, notFoundPage } from '../not-found-page.ts'
import { isListed, type SiteFacts } from '../page.ts'
import { createSiteFacts, type SiteFactsOptions } from '../site-facts.ts'
import { formatMoment } from '../texts/moments.ts'
import { TEXTS } from '../texts/texts.ts'
import { createChallengePage } from './challenge.ts'
import { fixedFiles, removedFiles } from './fixed-files.ts'
import { generatedPage, generatedPaths, isGeneratedPath } from './generated-page.ts'
import { nonCanonicalHost } from './non-canonical-host.ts'
import { createPageFiles, PAGE_CACHING, type PageFiles } from './page-files.ts'
import { PAGES } from './page-table.ts'
import { securityHeaders } from './security-headers.ts'
import { createSiteReplies } from './site-replies.ts'

/** Browsers request it for responses without an icon, such as JSON. */
const ICON_PATH = '/favicon.ico'
const ICON_CACHING = 'public, max-age=86400'
/** The path of an asset contains its digest. */
const ASSET_CACHING = 'public, max-age=31536000, immutable'
/** It changes with a deployment and with what happened, and few read it. */
const SITEMAP_CACHING = 'public, max-age=3600'
/** A path below a locale, which a Markdown twin has with an ending. */
const LOCALE_PATH = /^\/([a-zA-Z-]+)\/(.+?)(\.md)?$/
const CARD_PATH = /^\/cards\/([\w-]{43})\.png$/

export interface SiteOptions extends Omit<SiteFactsOptions, 'assetPath'> {
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

/** The 404 pages, one for each language and each page that they suggest. */
function createNotFoundFiles({ pageFiles }: PageFiles, facts: SiteFacts): (path: string) => App {
  const made = new Map<string, ReturnType<typeof pageFiles>>()
  const listedPages = PAGES.filter((page) => isListed(page, facts))
  return (path) => {
    const [, first = '', ...rest] = path.split('/')
    const named = localeNamed(first)
    const locale = named ?? facts.defaultLocale
    const below = (named === undefined ? [first, ...rest] : rest).join('/')
    const near = nearestPage(below, listedPages, TEXTS[locale])
    const page = notFoundPage(near)
    // The path of the first page is empty.
    const key = pathOfPage(locale, (near ?? page).path)
    const found = made.get(key) ?? pageFiles(locale, page)
    made.set(key, found)
    return path.endsWith('.md') ? found.twin : found.negotiated
  }
}

/** The files of generated pages, rendered for each request, so that a long history takes no memory. */
function createGeneratedFiles(
  pageFiles: PageFiles,
  facts: SiteFacts,
): (path: string) => App | undefined {
  let last:
    | { readonly path: string; readonly files: ReturnType<PageFiles['pageFiles']> }
    | undefined
  return (path) => {
    const [, segment, below = '', ending] = LOCALE_PATH.exec(path) ?? []
    const htmlPath = path.slice(0, path.length - (ending?.length ?? 0))
    // A copy has both forms of a page, one after the other, and one is made from the other.
    if (facts.copy === undefined || last?.path !== htmlPath) {
      const locale = isGeneratedPath(below) ? localeNamed(segment) : undefined
      const page = locale && generatedPage(pageFiles.contextOf(locale), below)
      if (!page) return undefined
      last = { path: htmlPath, files: pageFiles.pageFiles(locale, page) }
    }
    const { negotiated, twin } = last.files
    return ending === undefined ? negotiated : twin
  }
}

/** A social card, read for each request, so that cards take no memory. */
function cardFile(
  path: string,
  { plainFile }: PageFiles,
  releases: SiteOptions['releases'],
): App | undefined {
  const [, name] = CARD_PATH.exec(path) ?? []
  const png = name === undefined ? undefined : releases.readCard(name)
  return (
    png && plainFile({ contentType: 'image/png', cacheControl: ASSET_CACHING, make: () => png })
  )
}

/** The sitemap: what visitors search for, which are the listed pages, and those of incidents, maintenances and months. */
function createSitemap({ dailyFile, contextOf }: PageFiles, facts: SiteFacts) {
  type Parts = ReturnType<typeof sitemapParts>
  let ofDay: { readonly timeMs: number; readonly parts: Parts } | undefined
  /** Made again each day: an open incident is on the page of each new month. */
  const parts = (): Parts => {
    const timeMs = facts.todayMs
    if (ofDay?.timeMs !== timeMs) {
      const listed = PAGES.filter((page) => isListed(page, facts)).map(({ path }) => path)
      ofDay = { timeMs, parts: sitemapParts(contextOf(facts.defaultLocale), listed) }
    }
    return ofDay.parts
  }
  const xmlFile = (make: () => string): App =>
    dailyFile({
      contentType: 'application/xml; charset=utf-8',
      cacheControl: SITEMAP_CACHING,
      make,
    })
  return {
    parts,
    index: xmlFile(() => renderSitemapIndex(parts().keys(), facts)),
    /** A part is not kept: few read it, and all of them grow with the years. */
    fileOf(path: string): App | undefined {
      const paths = isSitemapPart(path) ? parts().get(path) : undefined
      return paths && xmlFile(() => renderSitemap(paths, facts))
    },
  }
}

/**
 * Handles every request outside `/api`: the pages in each locale, feeds, assets, challenges, well-known files, and an
 * HTML 404 for everything else. A page is rendered at its first request of a UTC day and cached. A site belongs to one release: a new
 * release gets a new site.
 */
export function createSite(options: SiteOptions) {
  const { deployment, runtime, challenge, clock, log, origin } = options
  const serveChallenge = createChallengePage({ challenge, deployment, log })
  const robotsTag = deployment === 'preview' ? NO_INDEX_HEADERS : []
  const headers = [...securityHeaders(), ...robotsTag]
  const { redirect, notAllowed, failed } = createSiteReplies({ headers, log })

  let readAssets: ReturnType<typeof readSiteAssets> | undefined
  const assets = (): ReturnType<typeof readSiteAssets> =>
    (readAssets ??= readSiteAssets(organization))
  const facts = createSiteFacts({ ...options, assetPath: (file) => assets().pathOf(file) })
  const { organization } = facts.content('en')

  const pagePaths = new Set([
    '/',
    ...LOCALES.flatMap((locale) => PAGES.map((page) => pathOfPage(locale, page.path))),
  ])
  const isPagePath = (path: string): boolean =>
    (path !== '/' && pagePaths.has(path)) || isGeneratedPath(LOCALE_PATH.exec(path)?.[2] ?? '')
  const pageFiles = createPageFiles(facts, robotsTag, isPagePath)
  const { plainFile } = pageFiles

  const files = new Map<string, App>([
    ...createWellKnownFiles({ facts, clock }, deployment, headers),
    ...fixedFiles(pageFiles, facts),
  ])
  let removed: ReadonlyMap<string, App> | undefined
  /** Made when one is requested, because they read the record of all versions. */
  const removedFeeds = (): ReadonlyMap<string, App> =>
    (removed ??= new Map(removedFiles(pageFiles)))
  if (organization === undefined) {
    files.set(
      ICON_PATH,
      plainFile({ contentType: 'image/x-icon', cacheControl: ICON_CACHING, make: readFavicon }),
    )
  }

  /** A file that is made at its first request, and kept. */
  function keptFile(path: string, content: Parameters<typeof plainFile>[0]): App {
    const file = plainFile(content)
    files.set(path, file)
    return file
  }

  const sitemap = deployment === 'preview' ? undefined : createSitemap(pageFiles, facts)
  if (sitemap !== undefined) files.set(SITEMAP_PATH, sitemap.index)

  function assetFile(path: string): App | undefined {
    const asset = path.startsWith('/assets/') ? assets().at(path) : undefined
    if (asset === undefined) return undefined
    const { contentType, content } = asset
    return keptFile(path, { contentType, cacheControl: ASSET_CACHING, make: () => content })
  }

  function indexFile(path: string): App | undefined {
    const piece = indexPieceOf(facts, path)
    if (piece === undefined) return undefined
    return keptFile(path, {
      contentType: 'application/json; charset=utf-8',
      cacheControl: PAGE_CACHING,
      make: () => renderVersionIndex(facts, piece),
    })
  }

  const generatedFile = createGeneratedFiles(pageFiles, facts)
  const notFoundFile = createNotFoundFiles(pageFiles, facts)

  function redirectOf(path: string): App | undefined {
    const page = PAGES.find((each) => path === `/${each.path}`)
    if (page !== undefined) {
      return ({ header }) => {
        const locale = localeOfAcceptLanguage(header('accept-language'), facts.languages)
        const target = pathOfPage(locale, page.path)
        return redirect(302, target, [HEADERS.vary, HEADERS.acceptLanguage])
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

  const isNonCanonicalHost = runtime === 'local' ? nonCanonicalHost(origin) : () => false

  function handle(request: ApiRequest): Reply | Promise<Reply> {
    const { method, path, target, header } = request
    if (path === challenge.description.path && serveChallenge !== undefined) {
      return serveChallenge(request)
    }
    const file =
      files.get(path) ??
      assetFile(path) ??
      generatedFile(path) ??
      indexFile(path) ??
      sitemap?.fileOf(path) ??
      cardFile(path, pageFiles, options.releases) ??
      (isComponentFeed(path) ? removedFeeds().get(path) : undefined) ??
      redirectOf(path)
    if (file === undefined) return notFoundFile(path)(request)
    if (method !== 'GET' && method !== 'HEAD') return notAllowed()
    if (pagePaths.has(path) && isNonCanonicalHost(header('host'))) {
      return redirect(307, origin + target)
    }
    return file(request)
  }

  return {
    async respond(request: ApiRequest): Promise<Reply> {
      try {
        return await handle(request)
      } catch (error) {
        return failed(request, error)
      }
    },
    /** Reads what the first pages would wait for. Rejects as they would. */
    async prepare(): Promise<void> {
      await facts.prepare()
      await ownTurn()
      assets()
      await ownTurn()
      // Loads the data of time formats: a third of the first page, and 6 MB.
      formatMoment(facts.defaultLocale, facts.head.createdAt)
    },
    /** Paths of all files that do not belong to one version or one card, those that others name first. */
    paths: (): readonly string[] => [
      ...assets().paths,
      ...indexPaths(facts),
      ...LOCALES.flatMap((locale) => generatedPaths(pageFiles.contextOf(locale))),
      ...(sitemap?.parts().keys() ?? []),
      ...files.keys(),
    ],
    /** Paths of the pages of removed items, and of the feeds of removed components. Their status is 410. */
    removedPaths: (): readonly string[] => [
      ...LOCALES.flatMap((locale) => generatedPaths(pageFiles.contextOf(locale), true)),
      ...removedFeeds().keys(),
    ],
  }
}

export type Site = ReturnType<typeof createSite>
