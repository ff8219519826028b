import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  STATUSPAGE_COMPONENT_STATUS,
  STATUSPAGE_ID,
  STATUSPAGE_INDICATOR,
} from '@public-api/contract/snapshots/statuspage'
import { type PageContext, pathOfPage, siteName } from '../page.ts'
import { eventPath, type StatusEvent, worstState } from '../snapshots/status-events.ts'

type Status = SnapshotData<'status'>
type Component = Status['components'][number]
type Incident = Status['incidents'][number]
type Maintenance = NonNullable<Status['maintenances']>[number]

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

/** Updates newest first. An id counts from the oldest, so that it stays when another update follows. */
function updatesOf(eventId: string, updates: Incident['updates'] | Maintenance['updates']) {
  return updates.map(({ at, state, text }, index) => ({
    id: `${eventId}-${updates.length - index}`,
    status: state,
    body: text,
    incident_id: eventId,
    created_at: instant(at),
    updated_at: instant(at),
    display_at: instant(at),
    affected_components: null,
    deliver_notifications: false,
  }))
}

/** The documents about one status, each a function of no argument. */
function documentsOf(context: PageContext, status: Status) {
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
  const eventOf = (
    { id, title, components: ids, updates }: Incident | Maintenance,
    startedAt: string,
    kind: StatusEvent['kind'],
  ) => ({
    id,
    name: title,
    created_at: instant(updates.at(-1)?.at ?? startedAt),
    updated_at: instant(updates[0]?.at ?? startedAt),
    monitoring_at: firstAt(updates, 'monitoring'),
    shortlink: shortlink(kind, id),
    started_at: instant(startedAt),
    page_id: STATUSPAGE_ID,
    incident_updates: updatesOf(id, updates),
    components: affected(ids),
    reminder_intervals: null,
  })
  const incidents = status.incidents.map((incident) => ({
    ...eventOf(incident, incident.startedAt, 'incidents'),
    status: incident.state,
    impact: incident.impact,
    resolved_at: incident.resolvedAt === undefined ? null : instant(incident.resolvedAt),
  }))
  // The format has no word for a cancelled maintenance, and "completed" would be untrue.
  const maintenances = (status.maintenances ?? [])
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
  const unresolved = incidents.filter(({ resolved_at: end }) => end === null)
  const upcoming = maintenances.filter(({ status: state }) => state === 'scheduled')
  const active = maintenances.filter(({ status: state }) => state === 'in_progress')
  const overall = { indicator: STATUSPAGE_INDICATOR[status.state], description: status.summary }
  return {
    'summary.json': {
      page,
      components,
      incidents: unresolved,
      scheduled_maintenances: [...active, ...upcoming],
      status: overall,
    },
    'status.json': { page, status: overall },
    'components.json': { page, components },
    'incidents.json': { page, incidents },
    'incidents/unresolved.json': { page, incidents: unresolved },
    'scheduled-maintenances.json': { page, scheduled_maintenances: maintenances },
    'scheduled-maintenances/upcoming.json': { page, scheduled_maintenances: upcoming },
    'scheduled-maintenances/active.json': { page, scheduled_maintenances: active },
  }
}

const NAMES = [
  'summary.json',
  'status.json',
  'components.json',
  'incidents.json',
  'incidents/unresolved.json',
  'scheduled-maintenances.json',
  'scheduled-maintenances/upcoming.json',
  'scheduled-maintenances/active.json',
] as const satisfies readonly (keyof ReturnType<typeof documentsOf>)[]

/** Paths of the documents that programs for Statuspage's API, version 2, read. */
export const STATUSPAGE_PATHS: readonly string[] = NAMES.map((name) => BASE + name)

/**
 * A document of Statuspage's API, version 2, from the published status, as JSON text. Texts have the language of
 * `context`. Undefined if no status can be read. docs/content.md has the mapping.
 */
export function renderStatuspage(context: PageContext, path: string): string | undefined {
  const status = context.content.snapshot('status')
  const name = NAMES.find((each) => BASE + each === path)
  if (status === undefined || name === undefined) return undefined
  return JSON.stringify(documentsOf(context, status)[name])
}
