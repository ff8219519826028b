import {
  type Incident,
  type Maintenance,
  type RecordedItem,
  recordKey,
  type RecordedList,
} from '@public-api/contract/history/published-record'
import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import { eventPath, pathOfPage } from '../addresses.ts'
import { plainText } from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'
import { inLanguage, isOpen, type StatusEvent, statusEvents } from '../snapshots/status-events.ts'
import { labelFor } from '../texts/enum-labels.ts'
import type { FeedItem } from './feed-formats.ts'

/** Incidents in a feed beside the open ones, and as many maintenances. */
const MAX_ITEMS = 50

/** An entry, and another one if it has ended: readers show an entry again only if its id is new. */
export interface StatusItem {
  readonly item: FeedItem
  readonly end: FeedItem | undefined
}

/** A permanent `tag:` URI (RFC 4151). It needs a host without port, and a day on which the host was in use. */
export function tagUri(origin: string, instant: string, name: string): string {
  return `tag:${new URL(origin).hostname},${instant.slice(0, 10)}:${name}`
}

/** How an item was published. An id is fixed then, because its own times can be corrected. */
export function revisionsOf(
  facts: PageContext['facts'],
  list: RecordedList,
  id: string,
): RecordedItem {
  const { createdAt } = facts.head
  // Missing if the versions that have it cannot be read.
  return (
    facts.record.items.get(recordKey(list, id)) ?? {
      firstAt: createdAt,
      changedAt: createdAt,
      changes: 0,
    }
  )
}

/** When a version last changed or removed an event. */
export function changedMs({ facts }: PageContext, { kind, id, removed }: StatusEvent): number {
  return Date.parse(removed?.removedAt ?? revisionsOf(facts, kind, id).changedAt)
}

function itemOf(
  { locale, facts }: PageContext,
  kind: StatusEvent['kind'],
  { id, updates }: Incident | Maintenance,
  {
    title,
    lines = [],
    publishedAt,
    endedAt,
  }: {
    readonly title: string
    /** What precedes the updates. */
    readonly lines?: readonly string[]
    readonly publishedAt: string
    readonly endedAt: string | undefined
  },
): StatusItem {
  const { origin, ownOrigin } = facts
  const { firstAt, changedAt } = revisionsOf(facts, kind, id)
  const linesFrom = (ms: number): readonly string[] =>
    updates.filter(({ at }) => Date.parse(at) >= ms).map(({ at, text }) => `${at} ${text}`)
  const item: FeedItem = {
    id: tagUri(origin, firstAt, `${kind}/${id}`),
    url: ownOrigin + pathOfPage(locale, eventPath({ kind, id })),
    title,
    content_text: [...lines, ...linesFrom(-Infinity)].join('\n'),
    date_published: publishedAt,
    date_modified: changedAt,
  }
  if (endedAt === undefined) return { item, end: undefined }
  const text = linesFrom(Date.parse(endedAt)).join('\n')
  return {
    item,
    end: { ...item, date_published: endedAt, id: `${item.id}/end`, content_text: text },
  }
}

function incidentItem(context: PageContext, incident: Incident): StatusItem {
  const { texts } = context
  const { title, state, startedAt, resolvedAt } = incident
  const label = labelFor(texts, 'incidentState', state)
  return itemOf(context, 'incidents', incident, {
    title: plainText(texts.feed.incident, { title, state: label }),
    publishedAt: startedAt,
    endedAt: resolvedAt,
  })
}

function maintenanceItem(context: PageContext, planned: Maintenance): StatusItem {
  const { texts } = context
  const { title, state, startsAt, endsAt, updates } = planned
  const label = labelFor(texts, 'maintenanceState', state)
  // The oldest update with the final state; a report may follow it.
  const ended = updates.findLast((update) => update.state === state)?.at
  return itemOf(context, 'maintenances', planned, {
    title: plainText(texts.feed.maintenance, { title, state: label }),
    lines: [plainText(texts.feed.planned, { start: startsAt, end: endsAt })],
    publishedAt: updates.at(-1)?.at ?? startsAt,
    endedAt: state === 'completed' || state === 'cancelled' ? ended : undefined,
  })
}

/**
 * What a version removed, for those who have read of it. Its texts are not repeated: they may be why it was removed.
 */
function removedItem(
  context: PageContext,
  { kind, id, removed }: StatusEvent,
): FeedItem | undefined {
  if (removed === undefined) return undefined
  const { facts, texts, locale } = context
  const { item, removedIn, removedAt } = removed
  const { firstAt } = revisionsOf(facts, kind, id)
  const versions = {
    version: removedIn,
    before: formatSnapshotId(Number(removedIn.slice('VS-'.length)) - 1),
  }
  return {
    id: `${tagUri(facts.origin, firstAt, `${kind}/${id}`)}/removed`,
    url: facts.ownOrigin + pathOfPage(locale, eventPath({ kind, id })),
    title: plainText(texts.status.removedTitle, { title: item.title }),
    content_text: plainText(texts.status.removedText, versions),
    date_published: removedAt,
    date_modified: removedAt,
  }
}

/**
 * The entries of the incidents and maintenances that are open or changed last, and of those that were removed last; only of
 * those that name a component, if its ID is given.
 */
export function statusItems(context: PageContext, component?: string): readonly StatusItem[] {
  const events = statusEvents(context)
    .filter(({ components }) => component === undefined || components.includes(component))
    .map((event) => ({ event, ms: changedMs(context, event) }))
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ event }) => event)
  const published = events.filter(({ removed }) => removed === undefined)
  const newest = (kind: StatusEvent['kind']) =>
    published
      .filter((each) => each.kind === kind)
      .filter((each, index) => index < MAX_ITEMS || isOpen(each))
      .map((each) => inLanguage(context, each))
  const removed = events.flatMap((each) => removedItem(context, each) ?? [])
  return [
    ...newest('incidents').flatMap(({ incident }) =>
      incident === undefined ? [] : [incidentItem(context, incident)],
    ),
    ...newest('maintenances').flatMap(({ maintenance }) =>
      maintenance === undefined ? [] : [maintenanceItem(context, maintenance)],
    ),
    ...removed.slice(0, MAX_ITEMS).map((item) => ({ item, end: undefined })),
  ]
}
