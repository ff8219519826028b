import type { Endpoint } from '@public-api/contract/registry/endpoints'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'

/** The feeds by the beginning of their names: everything, incidents and maintenances only, releases of the API only. */
export const FEED_NAMES = ['feed', 'status', 'changelog'] as const

/** A feed of one component has only the incidents and maintenances that name it. */
type ComponentFeedName = `status/components/${string}`

export type FeedName = (typeof FEED_NAMES)[number] | ComponentFeedName

/** The feed of a component. */
export function componentFeed(id: string): ComponentFeedName {
  return `status/components/${id}`
}

/** Whether a path has the form of a feed or the calendar of a component. */
export const isComponentFeed = (path: string): boolean =>
  /^\/[^/]+\/status\/components\/[^/]+\.(?:atom|json|ics)$/.test(path)

/** Path of a feed: `/en/feed.atom`. */
export function feedPath(locale: Locale, format: 'atom' | 'json', name: FeedName = 'feed'): string {
  return `/${locale}/${name}.${format}`
}

/** Path of the calendar, `/en/maintenance.ics`, or of that of a component. */
export function calendarPath(locale: Locale, component?: string): string {
  const name = component === undefined ? 'maintenance' : componentFeed(component)
  return `/${locale}/${name}.ics`
}

/** Path of the badge of a locale. `/badge.svg` is the English one. */
export function badgePath(locale?: Locale): string {
  return locale === undefined ? '/badge.svg' : `/${locale}/badge.svg`
}

/** Path of the page of an incident or of a maintenance, below the locale. */
export function eventPath({
  kind,
  id,
}: {
  kind: 'incidents' | 'maintenances'
  id: string
}): string {
  return `status/${kind}/${id}`
}

/** Path of the exact bytes of a resource. */
export const archivePath = (name: string, digest: string): string =>
  `/archive/resources/${name}/${digest}.json`

/** Path of a page in a locale: `/en`, `/th/reference`. */
export function pathOfPage(locale: Locale, path: string): string {
  return path === '' ? `/${locale}` : `/${locale}/${path}`
}

/** Path of the Markdown twin of a page: `/en/status.md`, and `/en/index.md` for the locale home. */
export function markdownPath(pagePath: string): string {
  return LOCALES.some((locale) => pagePath === `/${locale}`)
    ? `${pagePath}/index.md`
    : `${pagePath}.md`
}

/** Path of an index that the search of a language reads: that of its pages, or that of the newest incidents and maintenances. */
export function searchIndexPath(locale: Locale, of: 'pages' | 'events' = 'pages'): string {
  return `/${locale}/${of === 'pages' ? 'search' : 'search-events'}.json`
}

/** Path below the locale of the reference page of a group of endpoints. */
export function groupPath(tag: string): string {
  return `reference/${tag}`
}

/** Where the reference documents an endpoint. */
export function endpointPath(locale: Locale, name: string, { tag }: Pick<Endpoint, 'tag'>): string {
  return `${pathOfPage(locale, groupPath(tag))}#${name}`
}
