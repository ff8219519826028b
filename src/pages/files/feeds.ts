import { FEED_NAMES, componentFeed, feedPath, pathOfPage, type FeedName } from '../addresses.ts'
import { link } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { plainText, richText } from '../markup/rich-text.ts'
import { type PageContext, siteName } from '../page.ts'
import { labelFor } from '../texts/enum-labels.ts'
import { type FeedContent, type FeedFormat, type FeedItem, writeFeed } from './feed-formats.ts'
import { revisionsOf, statusItems, tagUri } from './status-items.ts'

const isOfEverything = (name: FeedName): boolean => FEED_NAMES.some((each) => each === name)

/** The published component of a feed; undefined for the feeds of everything. */
function componentOf({ content }: PageContext, name: FeedName) {
  // Each page names feeds, and shows only what it reads.
  if (isOfEverything(name)) return undefined
  const components = content.snapshot('status')?.components ?? []
  return components.find(({ id }) => componentFeed(id) === name)
}

/** The components that a version removed, with that version. */
export function removedComponents({ facts }: PageContext) {
  return [...facts.record.components].flatMap(([id, { removedIn, removedAt }]) =>
    removedIn === undefined || removedAt === undefined ? [] : [{ id, removedIn, removedAt }],
  )
}

/** The feeds of components that a version removed. Their status is 410, and their only entry says so. */
export function removedFeeds(context: PageContext): readonly FeedName[] {
  return removedComponents(context).map(({ id }) => componentFeed(id))
}

/** The removed component of a feed; undefined for the feeds of everything. */
function removedComponentOf(context: PageContext, name: FeedName) {
  // The record of all versions is not read for the links of a page.
  if (isOfEverything(name)) return undefined
  return removedComponents(context).find(({ id }) => componentFeed(id) === name)
}

/** Where to subscribe to what a page shows. */
export function feedLinks({ locale, texts }: PageContext, name: FeedName): Html {
  const atom = link(feedPath(locale, 'atom', name), 'Atom')
  const json = link(feedPath(locale, 'json', name), 'JSON Feed')
  return html`<p class="small">${richText(texts.site.feeds, { atom, json })}</p>`
}

const MAX_VERSIONS = 50

function versionItems({ locale, texts, facts }: PageContext): readonly FeedItem[] {
  const { origin, ownOrigin } = facts
  return facts.newestVersions(MAX_VERSIONS).map(({ snapshotId, createdAt, note, changes }) => {
    const lines = changes.map(
      ({ resource, kind }) => `${labelFor(texts, 'resourceChange', kind)}: ${resource}`,
    )
    return {
      id: tagUri(origin, createdAt, `versions/${snapshotId}`),
      url: ownOrigin + pathOfPage(locale, `history/${snapshotId}`),
      title: plainText(texts.feed.version, { version: snapshotId }),
      content_text: [note, ...lines].filter((line) => line !== '').join('\n'),
      date_published: createdAt,
      date_modified: createdAt,
    }
  })
}

/** Title and description of a feed. */
export function feedTexts(context: PageContext, name: FeedName) {
  const { feed: t } = context.texts
  const site = siteName(context)
  const component = componentOf(context, name)?.name ?? removedComponentOf(context, name)?.id
  if (component !== undefined) {
    return {
      title: plainText(t.statusTitle, { name: `${component} · ${site}` }),
      description: plainText(t.componentDescription, { component }),
    }
  }
  const [title, description] =
    name === 'feed'
      ? [t.title, t.description]
      : name === 'changelog'
        ? [t.changelogTitle, t.changelogDescription]
        : [t.statusTitle, t.statusDescription]
  return { title: plainText(title, { name: site }), description }
}

/** The releases of the changelog with their changes. */
function releaseItems({ locale, texts, facts, content }: PageContext): readonly FeedItem[] {
  const { origin, ownOrigin } = facts
  const releases = content.snapshot('changelog')?.releases ?? []
  return releases.slice(0, MAX_VERSIONS).map(({ version, date, summary, changes }) => {
    const lines = changes.map(
      ({ kind, text }) => `${labelFor(texts, 'changelogKind', kind)}: ${text}`,
    )
    const { firstAt, changedAt } = revisionsOf(facts, 'releases', version)
    return {
      id: tagUri(origin, firstAt, `releases/${version}`),
      url: `${ownOrigin}${pathOfPage(locale, 'changelog')}#v${version}`,
      title: plainText(texts.changelog.release, { version }),
      content_text: [...(summary === undefined ? [] : [summary]), ...lines].join('\n'),
      date_published: new Date(date).toISOString(),
      date_modified: changedAt,
    }
  })
}

/** The last entry of the feed of a removed component. It has the id alone: the name may be the reason of the removal. */
function removedComponentItem(
  { locale, texts, facts }: PageContext,
  { id, removedIn, removedAt }: ReturnType<typeof removedComponents>[number],
): FeedItem {
  return {
    id: tagUri(facts.origin, removedAt, `components/${id}/removed`),
    url: facts.ownOrigin + pathOfPage(locale, 'status'),
    title: plainText(texts.feed.componentRemoved, { component: id }),
    content_text: plainText(texts.feed.componentRemovedText, { version: removedIn }),
    date_published: removedAt,
    date_modified: removedAt,
  }
}

/** The items of a feed, newest first. In the feed of everything, an end is a version of its own. */
function itemsOf(context: PageContext, name: FeedName): readonly FeedItem[] {
  if (name === 'changelog') return releaseItems(context)
  const removed = removedComponentOf(context, name)
  if (removed !== undefined) return [removedComponentItem(context, removed)]
  const items = statusItems(context, componentOf(context, name)?.id)
  const all =
    name === 'feed'
      ? [...versionItems(context), ...items.map(({ item }) => item)]
      : items.flatMap(({ item, end }) => (end === undefined ? [item] : [end, item]))
  const newestFirst = (time: 'date_modified' | 'date_published', a: FeedItem, b: FeedItem) =>
    Date.parse(b[time]) - Date.parse(a[time])
  return all.toSorted(
    (a, b) => newestFirst('date_modified', a, b) || newestFirst('date_published', a, b),
  )
}

/** A feed of a locale. */
export function renderFeed(context: PageContext, format: FeedFormat, name: FeedName): string {
  const { locale, facts, content } = context
  const site = siteName(context)
  const home = facts.ownOrigin + pathOfPage(locale, '')
  // In a copy, a feed of the status changes with that alone.
  const isOfAll = name === 'feed' || name === 'changelog'
  const { createdAt } = facts.copy === undefined || isOfAll ? facts.head : facts.eventsHead
  const begunAt = facts.version('VS-0001')?.createdAt ?? createdAt
  const component = componentOf(context, name)
  const page =
    component === undefined
      ? pathOfPage(locale, name === 'feed' ? '' : name.replace(/\/.*/, ''))
      : `${pathOfPage(locale, 'status')}#component-${component.id}`
  const feed: FeedContent = {
    id: tagUri(facts.origin, begunAt, name === 'feed' ? locale : `${locale}/${name}`),
    ...feedTexts(context, name),
    locale,
    home: facts.ownOrigin + page,
    address: facts.ownOrigin + feedPath(locale, format, name),
    author: { name: site, url: content.organization?.url ?? home },
    updatedAt: createdAt,
    items: itemsOf(context, name),
  }
  return writeFeed(feed, format)
}
