import { Feed } from 'feed'
import type { Locale } from '../contract/locales.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import { labelFor } from './enum-labels.ts'
import { html } from './html.ts'
import { type PageContext, pathOfPage } from './page.ts'
import { plainText } from './rich-text.ts'

/** The formats of the feed: Atom (RFC 4287) and JSON Feed 1.1. */
export const FEED_TYPES = [
  { format: 'atom', mediaType: 'application/atom+xml' },
  { format: 'json', mediaType: 'application/feed+json' },
] as const

export type FeedFormat = (typeof FEED_TYPES)[number]['format']

/** Path of a feed: `/en/feed.atom`. */
export function feedPath(locale: Locale, format: FeedFormat): string {
  return `/${locale}/feed.${format}`
}

/** Number of newest versions and incidents in a feed. */
const MAX_VERSIONS = 50
const MAX_INCIDENTS = 50

interface FeedEntry {
  /** A `tag:` URI (RFC 4151), which is permanent. */
  readonly id: string
  readonly url: string
  readonly title: string
  readonly text: string
  readonly publishedAt: string
  readonly updatedAt: string
}

/** A tag URI needs a host without port, and a day on which the host was in use. */
function tagUri(origin: string, instant: string, name: string): string {
  return `tag:${new URL(origin).hostname},${instant.slice(0, 10)}:${name}`
}

function versionEntry({ locale, texts, facts }: PageContext, entry: VersionEntry): FeedEntry {
  const { snapshotId, createdAt, note, changes } = entry
  const lines = changes.map(
    ({ resource, kind }) => `${texts.labels.resourceChange[kind]}: ${resource}`,
  )
  return {
    id: tagUri(facts.origin, createdAt, `versions/${snapshotId}`),
    url: facts.origin + pathOfPage(locale, `history/${snapshotId}`),
    title: plainText(texts.feed.version, { version: snapshotId }),
    text: [note, ...lines].filter((line) => line !== '').join('\n'),
    publishedAt: createdAt,
    updatedAt: createdAt,
  }
}

function incidentEntries({ locale, texts, facts, content }: PageContext): readonly FeedEntry[] {
  const incidents = content.snapshot('status')?.incidents ?? []
  return incidents.slice(0, MAX_INCIDENTS).map(({ id, title, state, startedAt, updates }) => ({
    id: tagUri(facts.origin, startedAt, `incidents/${id}`),
    url: `${facts.origin}${pathOfPage(locale, 'status')}#incident-${id}`,
    title: plainText(texts.feed.incident, {
      title,
      state: html`${labelFor(texts, 'incidentState', state)}`.text,
    }),
    text: updates.map(({ at, text }) => `${at} ${text}`).join('\n'),
    publishedAt: startedAt,
    updatedAt: updates[0]?.at ?? startedAt,
  }))
}

/** Versions and incidents, newest first. */
function entriesOf(context: PageContext): readonly FeedEntry[] {
  const versions = context.facts
    .newestVersions(MAX_VERSIONS)
    .map((entry) => versionEntry(context, entry))
  return [...versions, ...incidentEntries(context)].toSorted(
    (a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt),
  )
}

function describeFeed({ locale, texts, facts, content }: PageContext) {
  const name = content.organization?.name ?? texts.site.name
  return {
    name,
    title: plainText(texts.feed.title, { name }),
    description: texts.feed.description,
    home: facts.origin + pathOfPage(locale, ''),
    url: (format: FeedFormat): string => facts.origin + feedPath(locale, format),
  }
}

function atomFeed(context: PageContext): string {
  const { facts, locale } = context
  const { name, title, description, home, url } = describeFeed(context)
  const entries = entriesOf(context)
  const feed = new Feed({
    id: tagUri(facts.origin, facts.version('VS-0001')?.createdAt ?? facts.head.createdAt, locale),
    title,
    description,
    language: locale,
    link: home,
    feedLinks: { atom: url('atom') },
    updated: new Date(entries[0]?.updatedAt ?? facts.head.createdAt),
    author: { name, link: context.content.organization?.url ?? home },
    generator: false,
  })
  for (const entry of entries) {
    feed.addItem({
      id: entry.id,
      title: entry.title,
      link: entry.url,
      date: new Date(entry.updatedAt),
      published: new Date(entry.publishedAt),
      content: entry.text
        .split('\n')
        .map((line) => html`<p>${line}</p>`.text)
        .join(''),
    })
  }
  return feed.atom1()
}

/** Own code, because the library writes version 1 of the format. */
function jsonFeed(context: PageContext): string {
  const { name, title, description, home, url } = describeFeed(context)
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    description,
    language: context.locale,
    home_page_url: home,
    feed_url: url('json'),
    authors: [{ name, url: context.content.organization?.url ?? home }],
    items: entriesOf(context).map((entry) => ({
      id: entry.id,
      url: entry.url,
      title: entry.title,
      content_text: entry.text,
      date_published: entry.publishedAt,
      date_modified: entry.updatedAt,
    })),
  }
  return `${JSON.stringify(feed, null, 2)}\n`
}

/** The feed of a locale: one entry for each version, one for each incident. */
export function renderFeed(context: PageContext, format: FeedFormat): string {
  return format === 'atom' ? atomFeed(context) : jsonFeed(context)
}
