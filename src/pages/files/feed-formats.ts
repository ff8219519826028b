import type { Locale } from '@public-api/contract/terms/locales'
import { html } from '../markup/html.ts'
import { xmlDocument, xmlElement } from '../markup/xml.ts'

/** An entry of a feed, in the members of JSON Feed 1.1. Titles and contents are plain text. */
export interface FeedItem {
  /** A permanent URI. */
  readonly id: string
  readonly url: string
  readonly title: string
  /** Each line is a paragraph. */
  readonly content_text: string
  readonly date_published: string
  readonly date_modified: string
}

/** A feed in one language, in any format. */
export interface FeedContent {
  /** A permanent URI. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly locale: Locale
  /** The page for people. */
  readonly home: string
  /** The address of the feed itself. */
  readonly address: string
  readonly author: { readonly name: string; readonly url: string }
  /** The time of a feed without entries. */
  readonly updatedAt: string
  /** Newest first. */
  readonly items: readonly FeedItem[]
}

/** Atom (RFC 4287). Titles have the type `text`, so that readers do not take them for markup. */
function writeAtom(feed: FeedContent): string {
  const text = (name: string, value: string) => xmlElement(name, {}, [value])
  const title = (value: string) => xmlElement('title', { type: 'text' }, [value])
  const instant = (name: string, value: string) => text(name, new Date(value).toISOString())
  const link = (rel: string, href: string) => xmlElement('link', { rel, href })
  const entries = feed.items.map((item) => {
    const paragraphs = item.content_text.split('\n').map((line) => html`<p>${line}</p>`)
    return xmlElement('entry', {}, [
      text('id', item.id),
      title(item.title),
      link('alternate', item.url),
      instant('published', item.date_published),
      instant('updated', item.date_modified),
      xmlElement('content', { type: 'html' }, [html`${paragraphs}`.text]),
    ])
  })
  const namespaces = { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': feed.locale }
  return xmlDocument(
    xmlElement('feed', namespaces, [
      text('id', feed.id),
      title(feed.title),
      xmlElement('subtitle', { type: 'text' }, [feed.description]),
      // Some readers take the first link for the page.
      link('alternate', feed.home),
      link('self', feed.address),
      instant('updated', feed.items[0]?.date_modified ?? feed.updatedAt),
      xmlElement('author', {}, [text('name', feed.author.name), text('uri', feed.author.url)]),
      ...entries,
    ]),
  )
}

/** JSON Feed 1.1. */
function writeJsonFeed(feed: FeedContent): string {
  const { title, description, locale, home, address, author, items } = feed
  const json = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    description,
    language: locale,
    home_page_url: home,
    feed_url: address,
    authors: [author],
    items,
  }
  return `${JSON.stringify(json, null, 2)}\n`
}

/** The formats of a feed, by the ending of its path. */
export const FEED_FORMATS = [
  { format: 'atom', mediaType: 'application/atom+xml' },
  { format: 'json', mediaType: 'application/feed+json' },
] as const

export type FeedFormat = (typeof FEED_FORMATS)[number]['format']

export function writeFeed(feed: FeedContent, format: FeedFormat): string {
  return format === 'atom' ? writeAtom(feed) : writeJsonFeed(feed)
}
