import type {
  Component,
  Incident,
  Maintenance,
} from '@public-api/contract/history/published-record'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  STATUSPAGE_COMPONENT_STATUS,
  STATUSPAGE_ID,
  STATUSPAGE_INDICATOR,
} from '@public-api/contract/snapshots/statuspage'
import { DAY_MS } from '@public-api/contract/text/instant'
import { eventPath, pathOfPage } from '../addresses.ts'
import { type PageContext, siteName } from '../page.ts'
import {
  inLanguage,
  isOpen,
  type StatusEvent,
  statusEvents,
  worstState,
} from '../snapshots/status-events.ts'

type Status = SnapshotData<'status'>

const BASE = '/statuspage/api/v2/'

/** An instant with milliseconds, as the format's readers expect it. */
function instant(text: string): string {
  return new Date(text).toISOString()
}

/** The members that components and groups share. Every position is that of the published order. */
function entryOf({ id, state, since }: Component, position: number) {
  const at = instant(since)
  return {
    id,
    status: STATUSPAGE_COMPONENT_STATUS[state],
    created_at: at,
    updated_at: at,
    position: position + 1,
    showcase: false,
    start_date: null,
    page_id: STATUSPAGE_ID,
    only_show_if_degraded: false,
  }
}

/** As many incidents, and as many maintenances, as Statuspage lists; readers of its API expect no more. */
const MAX_LISTED = 50

/** No id of a component has an underscore. */
const groupId = (first: Component): string => `group_${first.id}`

/** The components, each group before its first one. A group has the worst state of its components. */
function componentsOf(components: readonly Component[]) {
  const groups = Map.groupBy(components, ({ group }) => group ?? '')
  return components.flatMap((component, position) => {
    const { name, summary, group: groupName = '' } = component
    const members = groups.get(groupName) ?? []
    const [first] = members
    const group = groupName === '' || first === undefined ? null : groupId(first)
    const entry = {
      ...entryOf(component, position),
      name,
      description: summary,
      group_id: group,
      group: false,
    }
    if (group === null || first !== component) return [entry]
    const latest = members
      .map(({ since }) => since)
      .toSorted((a, b) => Date.parse(b) - Date.parse(a))
    const whole = {
      id: group,
      state: worstState(members),
      since: latest[0] ?? component.since,
    }
    return [
      {
        ...entryOf({ ...component, ...whole }, position),
        name: groupName,
        description: null,
        group_id: null,
        group: true,
        components: members.map(({ id }) => id),
      },
      entry,
    ]
  })
}

/** When an event first had a state. */
function firstAt(updates: Incident['updates'] | Maintenance['updates'], wanted: string) {
  const at = updates.findLast(({ state }) => state === wanted)?.at
  return at === undefined ? null : instant(at)
}

/** Troubles are known so far back. */
const TROUBLES_MS = 90 * DAY_MS

/**
 * The components of an event with their published states before and after an update: a list, because readers iterate it,
 * and empty if the event names none or the update is too old to say.
 */
function affectedBy(
  { facts }: PageContext,
  components: readonly Component[],
  ids: readonly string[],
  { at, state }: (Incident | Maintenance)['updates'][number],
) {
  const atMs = Date.parse(at)
  if (atMs < facts.nowMs - TROUBLES_MS) return []
  return ids.map((id) => {
    const troubles = facts.record.troubles.get(id) ?? []
    const stateIf = (isThen: (fromMs: number, untilMs: number) => boolean, otherwise: string) => {
      const found = troubles.findLast(({ from, until }) =>
        isThen(Date.parse(from), until === undefined ? Infinity : Date.parse(until)),
      )
      return found === undefined ? otherwise : STATUSPAGE_COMPONENT_STATUS[found.state]
    }
    const [maintained, works] = ['under_maintenance', 'operational']
    return {
      code: id,
      name: components.find((each) => each.id === id)?.name ?? id,
      old_status: stateIf(
        (fromMs, untilMs) => fromMs < atMs && atMs <= untilMs,
        state === 'completed' ? maintained : works,
      ),
      new_status: stateIf(
        (fromMs, untilMs) => fromMs <= atMs && atMs < untilMs,
        state === 'in_progress' ? maintained : works,
      ),
    }
  })
}

/** Updates newest first. An id counts from the oldest, so that it stays when another update follows. */
function updatesOf(
  context: PageContext,
  known: readonly Component[],
  { id: eventId, components, updates }: Incident | Maintenance,
) {
  return updates.map((update, index) => {
    const { at, state, text } = update
    return {
      id: `${eventId}-${updates.length - index}`,
      status: state,
      body: text,
      incident_id: eventId,
      created_at: instant(at),
      updated_at: instant(at),
      display_at: instant(at),
      affected_components: affectedBy(context, known, components, update),
      deliver_notifications: false,
    }
  })
}

/** What the documents about one status consist of. */
function partsOf(context: PageContext, status: Status) {
  const { facts, locale } = context
  const components = componentsOf(status.components)
  const affected = (ids: readonly string[]) =>
    ids.flatMap((wanted) => components.filter(({ id }) => id === wanted))
  const shortlink = (kind: StatusEvent['kind'], id: string) =>
    facts.ownOrigin + pathOfPage(locale, eventPath({ kind, id }))
  const page = {
    id: STATUSPAGE_ID,
    name: siteName(context),
    url: facts.origin,
    time_zone: 'Etc/UTC',
    updated_at: instant(status.updatedAt),
  }
  const eventOf = (event: Incident | Maintenance, startedAt: string, kind: StatusEvent['kind']) => {
    const { id, title, components: ids, updates } = event
    return {
      id,
      name: title,
      created_at: instant(updates.at(-1)?.at ?? startedAt),
      updated_at: instant(updates[0]?.at ?? startedAt),
      monitoring_at: firstAt(updates, 'monitoring'),
      shortlink: shortlink(kind, id),
      started_at: instant(startedAt),
      page_id: STATUSPAGE_ID,
      incident_updates: updatesOf(context, status.components, event),
      components: affected(ids),
      reminder_intervals: null,
    }
  }
  const published = statusEvents(context).filter(({ removed }) => removed === undefined)
  /** The newest of a kind, and all that are open. The format has no word for what was removed. */
  const listed = (kind: StatusEvent['kind']) =>
    published
      .filter((each) => each.kind === kind)
      .filter((each, index) => index < MAX_LISTED || isOpen(each))
      .map((each) => inLanguage(context, each))
  const incidents = listed('incidents')
    .flatMap(({ incident }) => incident ?? [])
    .map((incident) => ({
      ...eventOf(incident, incident.startedAt, 'incidents'),
      status: incident.state,
      impact: incident.impact,
      resolved_at: incident.resolvedAt === undefined ? null : instant(incident.resolvedAt),
    }))
  // The format has no word for a cancelled maintenance, and "completed" would be untrue.
  const maintenances = listed('maintenances')
    .flatMap(({ maintenance }) => maintenance ?? [])
    .filter(({ state }) => state !== 'cancelled')
    .map((planned) => ({
      ...eventOf(planned, planned.startsAt, 'maintenances'),
      status: planned.state,
      impact: 'maintenance',
      resolved_at:
        planned.state === 'completed'
          ? (firstAt(planned.updates, 'completed') ?? instant(planned.endsAt))
          : null,
      scheduled_for: instant(planned.startsAt),
      scheduled_until: instant(planned.endsAt),
    }))
  const overall = { indicator: STATUSPAGE_INDICATOR[status.state], description: status.summary }
  return { page, components, incidents, maintenances, status: overall }
}

type Parts = ReturnType<typeof partsOf>

const unresolved = ({ incidents }: Parts) => incidents.filter((each) => each.resolved_at === null)
const inState = ({ maintenances }: Parts, state: Maintenance['state']) =>
  maintenances.filter((each) => each.status === state)

/** As many as Statuspage lists, in their order: the open ones that start first, then the newest of the others. */
function listedOf({ maintenances }: Parts) {
  const open = maintenances.filter((each) => each.resolved_at === null)
  const ended = maintenances.filter((each) => each.resolved_at !== null)
  const listed = new Set([...open.slice(-MAX_LISTED), ...ended].slice(0, MAX_LISTED))
  return maintenances.filter((each) => listed.has(each))
}

/** The documents by their paths, each without the page. */
const DOCUMENTS: { readonly [name: string]: (parts: Parts) => object } = {
  'summary.json': (parts) => ({
    components: parts.components,
    incidents: unresolved(parts),
    scheduled_maintenances: [...inState(parts, 'in_progress'), ...inState(parts, 'scheduled')],
    status: parts.status,
  }),
  'status.json': ({ status }) => ({ status }),
  'components.json': ({ components }) => ({ components }),
  'incidents.json': ({ incidents }) => ({ incidents: incidents.slice(0, MAX_LISTED) }),
  'incidents/unresolved.json': (parts) => ({ incidents: unresolved(parts) }),
  'scheduled-maintenances.json': (parts) => ({ scheduled_maintenances: listedOf(parts) }),
  'scheduled-maintenances/upcoming.json': (parts) => ({
    scheduled_maintenances: inState(parts, 'scheduled'),
  }),
  'scheduled-maintenances/active.json': (parts) => ({
    scheduled_maintenances: inState(parts, 'in_progress'),
  }),
}

/** Paths of the documents that programs for Statuspage's API, version 2, read. */
export const STATUSPAGE_PATHS: readonly string[] = Object.keys(DOCUMENTS).map((name) => BASE + name)

/**
 * A document of Statuspage's API, version 2, from the published status, as JSON text. Texts have the language of
 * `context`. Undefined if no status can be read. docs/content.md has the mapping.
 */
export function renderStatuspage(context: PageContext, path: string): string | undefined {
  const status = context.content.snapshot('status')
  const document = DOCUMENTS[path.slice(BASE.length)]
  if (status === undefined || document === undefined) return undefined
  const parts = partsOf(context, status)
  return JSON.stringify({ page: parts.page, ...document(parts) })
}
