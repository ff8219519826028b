import type { Locale } from '@public-api/contract/registry/locales'
import { labelFor } from '../texts/enum-labels.ts'
import { type FeedContent, type FeedFormat, type FeedItem, writeFeed } from '../feed-formats.ts'
import { type PageContext, pathOfPage, siteName } from '../page.ts'
import { plainText } from '../markup/rich-text.ts'

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

/** An item for each version and each incident, newest first. */
function itemsOf({ locale, texts, facts, content }: PageContext): readonly FeedItem[] {
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

/** The feed of a locale. */
export function renderFeed(context: PageContext, format: FeedFormat): string {
  const { locale, texts, facts, content } = context
  const name = siteName(context)
  const home = facts.origin + pathOfPage(locale, '')
  const { createdAt } = facts.head
  const feed: FeedContent = {
    id: tagUri(facts.origin, facts.version('VS-0001')?.createdAt ?? createdAt, locale),
    title: plainText(texts.feed.title, { name }),
    description: texts.feed.description,
    locale,
    home,
    address: facts.origin + feedPath(locale, format),
    author: { name, url: content.organization?.url ?? home },
    updatedAt: createdAt,
    items: itemsOf(context),
  }
  return writeFeed(feed, format)
}
