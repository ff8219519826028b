import { plainText } from '../markup/rich-text.ts'
import { type PageContext, pathOfPage } from '../page.ts'
import { eventPath, type StatusEvent } from '../snapshots/status-events.ts'
import type { Incident, Maintenance } from '../snapshots/status-record.ts'
import { labelFor } from '../texts/enum-labels.ts'
import type { FeedItem } from './feed-formats.ts'
import type { ItemRevisions, RevisedList } from './item-revisions.ts'

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
  list: RevisedList,
  id: string,
): Pick<ItemRevisions, 'firstAt' | 'changedAt'> {
  const { createdAt } = facts.head
  return facts.revisionsOf(list).get(id) ?? { firstAt: createdAt, changedAt: createdAt }
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

/** What the items of incidents and maintenances share. */
function itemOf(
  { locale, facts }: PageContext,
  kind: StatusEvent['kind'],
  { id, updates }: Incident | Maintenance,
) {
  const { origin, ownOrigin } = facts
  const { firstAt, changedAt } = revisionsOf(facts, kind, id)
  return {
    id: tagUri(origin, firstAt, `${kind}/${id}`),
    url: ownOrigin + pathOfPage(locale, eventPath({ kind, id })),
    content_text: linesOf(updates).join('\n'),
    date_modified: changedAt,
  }
}

function incidentItem(context: PageContext, incident: Incident) {
  const { texts } = context
  const state = labelFor(texts, 'incidentState', incident.state)
  const item: FeedItem = {
    ...itemOf(context, 'incidents', incident),
    title: plainText(texts.feed.incident, { title: incident.title, state }),
    date_published: incident.startedAt,
  }
  return withEnd(item, incident.resolvedAt, incident.updates)
}

function maintenanceItem(context: PageContext, planned: Maintenance) {
  const { texts } = context
  const { title, state, startsAt, endsAt, updates } = planned
  const label = labelFor(texts, 'maintenanceState', state)
  const time = plainText(texts.feed.planned, { start: startsAt, end: endsAt })
  const item: FeedItem = {
    ...itemOf(context, 'maintenances', planned),
    title: plainText(texts.feed.maintenance, { title, state: label }),
    content_text: [time, ...linesOf(updates)].join('\n'),
    date_published: updates.at(-1)?.at ?? startsAt,
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
