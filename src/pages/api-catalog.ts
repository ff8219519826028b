import { BASE_PATH } from '../contract/api-version.ts'
import { JSON_MEDIA_TYPE } from '../contract/headers.ts'
import { LOCALES } from '../contract/locales.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { pathOfPage } from './page.ts'

/** Path, below the locale, of the API reference for people. */
const REFERENCE_PATH = 'reference'

/** Path of the catalog (RFC 9727 section 2). */
export const API_CATALOG_PATH = '/.well-known/api-catalog'

/** A linkset (RFC 9264 4.2) with the profile of API catalogs (RFC 9727 section 4). */
export const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/**
 * Value of a Link field that refers to the catalog, for the catalog itself and for the home pages (RFC 9727 section
 * 3).
 */
export const API_CATALOG_LINK = `<${API_CATALOG_PATH}>; rel="api-catalog"`

/**
 * The API catalog (RFC 9727): the API with its descriptions for programs and for people (relations of RFC 8631). URLs
 * are absolute, as in the RFC's examples, so that the catalog can be read anywhere.
 */
export function createApiCatalog(origin: string): string {
  const api = origin + BASE_PATH
  const json = (path: string) => ({ href: origin + path, type: JSON_MEDIA_TYPE })
  const linkset = [
    { anchor: origin + API_CATALOG_PATH, item: [{ href: api, type: JSON_MEDIA_TYPE }] },
    {
      anchor: api,
      'service-desc': [json(READ_PATHS.openapi)],
      'service-doc': LOCALES.map((locale) => ({
        href: origin + pathOfPage(locale, REFERENCE_PATH),
        type: 'text/html',
        hreflang: [locale],
      })),
      'service-meta': [json(READ_PATHS.policy)],
      status: [json(READ_PATHS.status)],
    },
  ]
  return `${JSON.stringify({ linkset }, null, 2)}\n`
}
