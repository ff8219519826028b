import { BASE_PATH } from '../contract/api-version.ts'
import { JSON_MEDIA_TYPE } from '../contract/headers.ts'
import { LOCALES } from '../contract/locales.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { pathOfPage } from './page.ts'

/** Path below the locale of the page that describes the API to people. */
const REFERENCE_PATH = 'reference'

/** Where it stands (RFC 9727 section 2). */
export const API_CATALOG_PATH = '/.well-known/api-catalog'

/** A linkset (RFC 9264 4.2) with the profile that says it is an API catalog (RFC 9727 section 4). */
export const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** Value of a Link field that leads to the catalog, for the catalog itself and for the home pages (RFC 9727 section 3). */
export const API_CATALOG_LINK = `<${API_CATALOG_PATH}>; rel="api-catalog"`

/**
 * The API catalog (RFC 9727): that there is one API, and where it is described to machines and to people (relations of
 * RFC 8631). Addresses are whole ones, as the RFC's examples have them, so that the text can be read anywhere.
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
