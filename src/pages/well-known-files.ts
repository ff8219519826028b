import { HEADERS } from '../contract/headers.ts'
import type { Reply } from '../http/api-request.ts'
import type { Clock } from '../service/clock.ts'
import {
  API_CATALOG_LINK,
  API_CATALOG_PATH,
  API_CATALOG_TYPE,
  createApiCatalog,
} from './api-catalog.ts'
import { type Page, pathOfPage, type SiteFacts } from './page.ts'
import { PRIVACY_PAGE, REPORT_ID } from './privacy-page.ts'
import { createSecurityTxt, dayOf, SECURITY_TXT_PATH } from './security-txt.ts'
import {
  createSiteFile,
  type SiteFile,
  type SiteFileOptions,
  type SiteRequest,
} from './site-file.ts'
import { createSitemap, SITEMAP_TYPE } from './sitemap.ts'

const TEXT_TYPE = 'text/plain; charset=utf-8'

const SITEMAP_PATH = '/sitemap.xml'

/** They change with a deployment, and clients request them rarely. */
const CACHING = 'public, max-age=3600'

/** Options of the files. */
export interface WellKnownFilesOptions {
  readonly deployment: 'primary' | 'preview'
  readonly pages: readonly Page[]
  readonly facts: SiteFacts
  readonly clock: Clock
  /** Headers of every response outside the API: names and values alternate. */
  readonly headers: readonly string[]
}

/** robots.txt: allows crawlers and names the sitemap. A preview deployment disallows crawlers. */
function robots(deployment: WellKnownFilesOptions['deployment'], origin: string): string {
  return deployment === 'preview'
    ? 'User-agent: *\nDisallow: /\n'
    : `User-agent: *\nAllow: /\n\nSitemap: ${origin}${SITEMAP_PATH}\n`
}

/** A file that is rebuilt at the first request of each UTC day. */
function createDailyFile(clock: Clock, make: (nowMs: number) => SiteFile): SiteFile {
  let made: { readonly day: number; readonly file: SiteFile } | undefined
  return (request: SiteRequest): Reply => {
    const nowMs = clock.nowMs()
    const day = dayOf(nowMs)
    if (made?.day !== day) made = { day, file: make(nowMs) }
    return made.file(request)
  }
}

/**
 * Well-known files by path (RFC 8615): robots.txt (RFC 9309), the sitemap, security.txt (RFC 9116) if a contact is known,
 * and the API catalog (RFC 9727).
 */
export function createWellKnownFiles(
  options: WellKnownFilesOptions,
): ReadonlyMap<string, SiteFile> {
  const { deployment, pages, facts, clock, headers } = options
  const { origin, contact } = facts
  const file = (
    made: Pick<SiteFileOptions, 'contentType' | 'make'>,
    extra: readonly string[] = [],
  ) => createSiteFile({ ...made, cacheControl: CACHING, headers: [...extra, ...headers] })

  const files = new Map<string, SiteFile>([
    ['/robots.txt', file({ contentType: TEXT_TYPE, make: () => robots(deployment, origin) })],
    [
      API_CATALOG_PATH,
      file({ contentType: API_CATALOG_TYPE, make: () => createApiCatalog(origin) }, [
        HEADERS.link,
        API_CATALOG_LINK,
      ]),
    ],
  ])
  if (deployment === 'primary') {
    files.set(
      SITEMAP_PATH,
      file({ contentType: SITEMAP_TYPE, make: () => createSitemap(pages, facts) }),
    )
  }
  if (contact !== undefined) {
    const policyPath = `${pathOfPage('en', PRIVACY_PAGE.path)}#${REPORT_ID}`
    files.set(
      SECURITY_TXT_PATH,
      createDailyFile(clock, (nowMs) =>
        file({
          contentType: TEXT_TYPE,
          make: () => createSecurityTxt(origin, contact, policyPath, nowMs),
        }),
      ),
    )
  }
  return files
}
