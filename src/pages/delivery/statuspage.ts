import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { type PageContext, pathOfPage, siteName } from '../page.ts'
import { eventPath, type StatusEvent } from '../snapshots/status-events.ts'

type Status = SnapshotData<'status'>
type Component = Status['components'][number]
type Incident = Status['incidents'][number]
type Maintenance = NonNullable<Status['maintenances']>[number]

const BASE = '/statuspage/api/v2/'

/** `page.id` of every document. The import of a Statuspage keeps the ids of a page with this one. */
const STATUSPAGE_ID = 'svc.public.status'

/** Our names to those of Statuspage. Everything else has the same name in both. */
const COMPONENT_STATUS = {
  operational: 'operational',
  maintenance: 'under_maintenance',
  degraded: 'degraded_performance',
  partial_outage: 'partial_outage',
  major_outage: 'major_outage',
} as const satisfies { readonly [State in Component['state']]: string }

const INDICATOR = {
  operational: 'none',
  maintenance: 'maintenance',
  degraded: 'minor',
  partial_outage: 'major',
  major_outage: 'critical',
} as const satisfies { readonly [State in Status['state']]: string }

/** An instant with milliseconds, as the format's readers expect it. */
function instant(text: string): string {
  return new Date(text).toISOString()
}

function componentOf({ id, name, summary, state, since }: Component, position: number) {
  const at = instant(since)
  return {
    id,
    name,
    status: COMPONENT_STATUS[state],
    created_at: at,
    updated_at: at,
    position: position + 1,
    description: summary,
    showcase: false,
    start_date: null,
    group_id: null,
    page_id: STATUSPAGE_ID,
    group: false,
    only_show_if_degraded: false,
  }
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
  const components = status.components.map(componentOf)
  const affected = (ids: readonly string[]) => components.filter(({ id }) => ids.includes(id))
  const shortlink = (kind: StatusEvent['kind'], id: string) =>
    facts.origin + pathOfPage(locale, eventPath({ kind, id }))
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
  const overall = { indicator: INDICATOR[status.state], description: status.summary }
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
