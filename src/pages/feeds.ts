import { Feed } from 'feed'
import type { Locale } from '../contract/locales.ts'
import { labelFor } from './enum-labels.ts'
import { html } from './html.ts'
import { type PageContext, pathOfPage, siteName } from './page.ts'
import { plainText } from './rich-text.ts'

/** The formats of the feed: Atom (RFC 4287) and JSON Feed 1.1. */
export const FEED_TYPES = [
  { format: 'atom', mediaType: 'application/atom+xml' },
  { format: 'json', mediaType: 'application/feed+json' },
] as const

type FeedFormat = (typeof FEED_TYPES)[number]['format']

/** Path of a feed: `/en/feed.atom`. */
export function feedPath(locale: Locale, format: FeedFormat): string {
  return `/${locale}/feed.${format}`
}

const MAX_VERSIONS = 50
const MAX_INCIDENTS = 50

/** A permanent `tag:` URI (RFC 4151). It needs a host without port, and a day on which the host was in use. */
function tagUri(origin: string, instant: string, name: string): string {
  return `tag:${new URL(origin).hostname},${instant.slice(0, 10)}:${name}`
}

/** An item of JSON Feed for each version and each incident, newest first. */
function itemsOf({ locale, texts, facts, content }: PageContext) {
  const { origin } = facts
  const versions = facts
    .newestVersions(MAX_VERSIONS)
    .map(({ snapshotId, createdAt, note, changes }) => {
      const lines = changes.map(
        ({ resource, kind }) => `${labelFor(texts, 'resourceChange', kind)}: ${resource}`,
      )
      return {
        id: tagUri(origin, createdAt, `versions/${snapshotId}`),
        url: origin + pathOfPage(locale, `history/${snapshotId}`),
        title: plainText(texts.feed.version, { version: snapshotId }),
        content_text: [note, ...lines].filter((line) => line !== '').join('\n'),
        date_published: createdAt,
        date_modified: createdAt,
      }
    })
  const incidents = (content.snapshot('status')?.incidents ?? [])
    .slice(0, MAX_INCIDENTS)
    .map(({ id, title, state, startedAt, updates }) => ({
      id: tagUri(origin, startedAt, `incidents/${id}`),
      url: `${origin}${pathOfPage(locale, 'status')}#incident-${id}`,
      title: plainText(texts.feed.incident, {
        title,
        state: labelFor(texts, 'incidentState', state),
      }),
      content_text: updates.map(({ at, text }) => `${at} ${text}`).join('\n'),
      date_published: startedAt,
      date_modified: updates[0]?.at ?? startedAt,
    }))
  return [...versions, ...incidents].toSorted(
    (a, b) => Date.parse(b.date_modified) - Date.parse(a.date_modified),
  )
}

/** The feed of a locale. JSON is own code, because the library writes version 1 of the format. */
export function renderFeed(context: PageContext, format: FeedFormat): string {
  const { locale, texts, facts, content } = context
  const name = siteName(context)
  const title = plainText(texts.feed.title, { name })
  const { description } = texts.feed
  const home = facts.origin + pathOfPage(locale, '')
  const address = facts.origin + feedPath(locale, format)
  const author = content.organization?.url ?? home
  const items = itemsOf(context)
  if (format === 'json') {
    const feed = {
      version: 'https://jsonfeed.org/version/1.1',
      title,
      description,
      language: locale,
      home_page_url: home,
      feed_url: address,
      authors: [{ name, url: author }],
      items,
    }
    return `${JSON.stringify(feed, null, 2)}\n`
  }
  const { createdAt } = facts.head
  const feed = new Feed({
    id: tagUri(facts.origin, facts.version('VS-0001')?.createdAt ?? createdAt, locale),
    title,
    description,
    language: locale,
    link: home,
    feedLinks: { atom: address },
    updated: new Date(items[0]?.date_modified ?? createdAt),
    author: { name, link: author },
    generator: false,
  })
  for (const { id, title: itemTitle, url, ...item } of items) {
    const paragraphs = item.content_text.split('\n').map((line) => html`<p>${line}</p>`)
    feed.addItem({
      id,
      title: itemTitle,
      link: url,
      date: new Date(item.date_modified),
      published: new Date(item.date_published),
      content: html`${paragraphs}`.text,
    })
  }
  return feed.atom1()
}
