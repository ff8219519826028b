import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { HEADERS, JSON_MEDIA_TYPE } from '@public-api/contract/terms/headers'
import { DAY_MS, formatInstant } from '@public-api/contract/text/instant'
import type { App } from '../../http/api-request.ts'
import type { Clock } from '../../service/clock.ts'
import { pathOfPage } from '../addresses.ts'
import { type SiteFacts } from '../page.ts'
import { createSiteFile } from '../serving/site-file.ts'
import { SITEMAP_PATH } from './sitemap.ts'

const TEXT_TYPE = 'text/plain; charset=utf-8'

/** They change with a deployment, and clients request them rarely. */
const CACHING = 'public, max-age=3600'

/** Path of security.txt (RFC 9116 section 3). */
export const SECURITY_TXT_PATH = '/.well-known/security.txt'

/** RFC 9116 2.5.5 recommends less than a year. A shorter time reveals a forgotten copy sooner. */
const SECURITY_TXT_DAYS = 180

/** Path of the catalog (RFC 9727 section 2). */
const API_CATALOG_PATH = '/.well-known/api-catalog'

/** A linkset (RFC 9264 4.2) with the profile of API catalogs (RFC 9727 section 4). */
const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** The Link header of the catalog itself and of the home pages (RFC 9727 section 3). */
export const API_CATALOG_LINK = [HEADERS.link, `<${API_CATALOG_PATH}>; rel="api-catalog"`]

/** robots.txt: allows crawlers and names the sitemap. A staging deployment disallows crawlers. */
function robots(isPreview: boolean, origin: string): string {
  return isPreview
    ? 'User-agent: *\nDisallow: /\n'
    : `User-agent: *\nAllow: /\n\nSitemap: ${origin}${SITEMAP_PATH}\n`
}

/**
 * The text of security.txt (RFC 9116), which changes once a day. URLs in `Canonical` and `Policy` must begin with https://,
 * so a deployment without https has neither. `contact` is a URI (https:, mailto: or tel:).
 */
function securityTxt(
  { origin, languages, defaultLocale }: SiteFacts,
  contact: string,
  nowMs: number,
): string {
  const expires = formatInstant((Math.floor(nowMs / DAY_MS) + SECURITY_TXT_DAYS) * DAY_MS)
  const preferred = languages.map((locale) => locale.split('-')[0])
  const addresses = [
    `Canonical: ${origin}${SECURITY_TXT_PATH}`,
    `Policy: ${origin}${pathOfPage(defaultLocale, 'privacy')}#report`,
  ]
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.replace('.000Z', 'Z')}`,
    `Preferred-Languages: ${preferred.join(', ')}`,
    ...(origin.startsWith('https://') ? addresses : []),
    '',
  ].join('\n')
}

/**
 * The API catalog (RFC 9727): the API with its descriptions for programs and for people (relations of RFC 8631). URLs
 * are absolute, as in the RFC's examples, so that the catalog can be read anywhere.
 */
function apiCatalog({ origin, languages }: SiteFacts): string {
  const api = origin + BASE_PATH
  const json = (path: string) => ({ href: origin + path, type: JSON_MEDIA_TYPE })
  const linkset = [
    { anchor: origin + API_CATALOG_PATH, item: [json(BASE_PATH)] },
    {
      anchor: api,
      'service-desc': [json(READ_PATHS.openapi)],
      'service-doc': languages.map((locale) => ({
        href: origin + pathOfPage(locale, 'reference'),
        type: 'text/html',
        hreflang: [locale],
      })),
      'service-meta': [json(READ_PATHS.policy)],
      status: [json(READ_PATHS.status)],
    },
  ]
  return `${JSON.stringify({ linkset }, null, 2)}\n`
}

/**
 * Well-known files by path (RFC 8615): robots.txt (RFC 9309), security.txt (RFC 9116) if a contact is known,
 * and the API catalog (RFC 9727). `headers` are those of every response outside the API.
 */
export function createWellKnownFiles(
  { facts, clock }: { readonly facts: SiteFacts; readonly clock: Clock },
  deployment: 'primary' | 'preview',
  headers: readonly string[],
): ReadonlyMap<string, App> {
  const { origin, contact } = facts
  const isPreview = deployment === 'preview'
  const file = (contentType: string, make: () => string, extra: readonly string[] = []): App =>
    createSiteFile({ contentType, make, cacheControl: CACHING, headers: [...extra, ...headers] })
  const files = new Map([
    ['/robots.txt', file(TEXT_TYPE, () => robots(isPreview, origin))],
    [API_CATALOG_PATH, file(API_CATALOG_TYPE, () => apiCatalog(facts), API_CATALOG_LINK)],
  ])
  if (contact !== undefined) {
    const make = (): string => securityTxt(facts, contact, clock.nowMs())
    // Created for each request, because it depends on the day.
    files.set(SECURITY_TXT_PATH, (request) => file(TEXT_TYPE, make)(request))
  }
  return files
}
