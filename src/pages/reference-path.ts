import type { Endpoint } from '../contract/endpoints.ts'
import type { Locale } from '../contract/locales.ts'
import { pathOfPage } from './page.ts'

/** Path below the locale of the reference page of a group of endpoints. */
export function groupPath(tag: string): string {
  return `reference/${tag}`
}

/** Where the reference documents an endpoint. */
export function endpointPath(locale: Locale, name: string, { tag }: Pick<Endpoint, 'tag'>): string {
  return `${pathOfPage(locale, groupPath(tag))}#${name}`
}
