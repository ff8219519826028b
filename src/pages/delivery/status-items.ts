import { plainText } from '../markup/rich-text.ts'
import { type PageContext, pathOfPage } from '../page.ts'
import type { Incident, Maintenance, RecordedItem, RecordedList } from '../published-record.ts'
import { eventPath } from '../snapshots/status-events.ts'
import { labelFor } from '../texts/enum-labels.ts'
import type { FeedItem } from './feed-formats.ts'

/** Incidents in a feed, and as many maintenances. */
const MAX_ITEMS = 50

/** An entry, and another one if it has ended: readers show an entry again only if its id is new. */
export interface StatusItem {
  readonly item: FeedItem
  readonly end: FeedItem | undefined
}

const linesOf = (updates: readonly { readonly at: string; readonly text: string }[]) =>
  updates.map(({ at, text }) => `${at} ${text}`)

/** A permanent `tag:` URI (RFC 4151). It needs a host without port, and a day on which the host was in use. */
export function tagUri(origin: string, instant: string, name: string): string {
  return `tag:${new URL(origin).hostname},${instant.slice(0, 10)}:${name}`
}

/** How an item was published. An id is fixed then, because its own times can be corrected. */
export function revisionsOf(
  facts: PageContext['facts'],
  list: RecordedList,
  id: string,
): Pick<RecordedItem<unknown>, 'firstAt' | 'changedAt' | 'changes'> {
  const { createdAt } = facts.head
  // Missing if the versions that have it cannot be read.
  return facts.record[list].get(id) ?? { firstAt: createdAt, changedAt: createdAt, changes: 0 }
}

function withEnd(
  item: FeedItem,
  endedAt: string | undefined,
  updates: readonly { readonly at: string; readonly text: string }[],
): StatusItem {
  if (endedAt === undefined) return { item, end: undefined }
  const last = updates.filter(({ at }) => Date.parse(at) >= Date.parse(endedAt))
  const text = linesOf(last).join('\n')
  return {
    item,
    end: { ...item, date_published: endedAt, id: `${item.id}/end`, content_text: text },
  }
}

function incidentItem({ locale, texts, facts }: PageContext, incident: Incident) {
  const { id, title, state, startedAt, resolvedAt, updates } = incident
  const { origin, ownOrigin } = facts
  const { firstAt, changedAt } = revisionsOf(facts, 'incidents', id)
  const item: FeedItem = {
    id: tagUri(origin, firstAt, `incidents/${id}`),
    url: ownOrigin + pathOfPage(locale, eventPath({ kind: 'incidents', id })),
    title: plainText(texts.feed.incident, {
      title,
      state: labelFor(texts, 'incidentState', state),
    }),
    content_text: linesOf(updates).join('\n'),
    date_published: startedAt,
    date_modified: changedAt,
  }
  return withEnd(item, resolvedAt, updates)
}

function maintenanceItem({ locale, texts, facts }: PageContext, planned: Maintenance) {
  const { id, title, state, startsAt, endsAt, updates } = planned
  const { origin, ownOrigin } = facts
  const { firstAt, changedAt } = revisionsOf(facts, 'maintenances', id)
  const announcedAt = updates.at(-1)?.at ?? startsAt
  const time = plainText(texts.feed.planned, { start: startsAt, end: endsAt })
  const item: FeedItem = {
    id: tagUri(origin, firstAt, `maintenances/${id}`),
    url: ownOrigin + pathOfPage(locale, eventPath({ kind: 'maintenances', id })),
    title: plainText(texts.feed.maintenance, {
      title,
      state: labelFor(texts, 'maintenanceState', state),
    }),
    content_text: [time, ...linesOf(updates)].join('\n'),
    date_published: announcedAt,
    date_modified: changedAt,
  }
  // The oldest update with the final state; a report may follow it.
  const ended = updates.findLast((update) => update.state === state)?.at
  return withEnd(item, state === 'completed' || state === 'cancelled' ? ended : undefined, updates)
}

/** The entries of the newest incidents and maintenances; only of those that name a component, if its ID is given. */
export function statusItems(context: PageContext, component?: string): readonly StatusItem[] {
  const { incidents = [], maintenances = [] } = context.content.snapshot('status') ?? {}
  const newest = <Item extends Incident | Maintenance>(items: readonly Item[]) =>
    items
      .filter(({ components }) => component === undefined || components.includes(component))
      .slice(0, MAX_ITEMS)
  return [
    ...newest(incidents).map((each) => incidentItem(context, each)),
    ...newest(maintenances).map((each) => maintenanceItem(context, each)),
  ]
}
