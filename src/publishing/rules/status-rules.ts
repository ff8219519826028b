import type { Incident, Maintenance } from '@public-api/contract/history/published-record'
import type { PastEvents } from '@public-api/contract/snapshots/past-events-schema'
import {
  COMPONENT_STATES,
  type SnapshotData,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { describeValue, type FieldPath, type Faults, fault } from './content-mistake.ts'
import { checkReferences } from './reference-rules.ts'
import { checkNewestFirst } from './value-rules.ts'

type Status = SnapshotData<'status'>
export type ComponentState = (typeof COMPONENT_STATES)[number]

/** The best overall state that the components allow: any outage of a component is at least a partial outage. */
export function bestOverallState(states: readonly ComponentState[]): ComponentState {
  const worst = Math.max(...states.map((state) => COMPONENT_STATES.indexOf(state)))
  const partial = COMPONENT_STATES.indexOf('partial_outage')
  const best = states.every((state) => state === 'major_outage') ? worst : Math.min(worst, partial)
  return COMPONENT_STATES[best] ?? 'operational'
}

export function isUnresolved({ state }: Pick<Incident, 'state'>): boolean {
  return state !== 'resolved'
}

export function isRunning({ state }: Pick<Maintenance, 'state'>): boolean {
  return state === 'in_progress'
}

/** The time of the newest update of all incidents and maintenances; undefined without any. */
function newestUpdate({ incidents, maintenances = [] }: Status): string | undefined {
  const times = [...incidents, ...maintenances].flatMap(({ updates }) =>
    updates.map(({ at }) => at),
  )
  return times.toSorted((a, b) => Date.parse(b) - Date.parse(a))[0]
}

/** The rules that an incident and a maintenance share. */
function* checkEvent(
  at: FieldPath,
  { state, updates, components }: Incident | Maintenance,
  known: readonly string[],
): Faults {
  yield* checkReferences([...at, 'components'], components, known)
  yield* checkNewestFirst([...at, 'updates'], updates as readonly { readonly at: string }[], 'at')
  const latest = updates[0]?.state ?? state
  if (latest === state) return
  yield fault([...at, 'state'], describeValue(state), `${latest}, the state of its newest update`)
}

/** The components have their states of now: those of a time that is over are not known. */
function* checkIncident(
  at: FieldPath,
  incident: Incident,
  components: Status['components'] | undefined,
): Faults {
  const { state, impact, startedAt, resolvedAt } = incident
  const isResolved = state === 'resolved'
  const faults = [
    [isResolved && resolvedAt === undefined, 'when it was resolved'],
    [!isResolved && resolvedAt !== undefined, 'no resolvedAt until the state is resolved'],
    [Date.parse(resolvedAt ?? startedAt) < Date.parse(startedAt), `a timestamp after ${startedAt}`],
  ] as const
  for (const [isWrong, expected] of faults) {
    if (isWrong) yield fault([...at, 'resolvedAt'], describeValue(resolvedAt), expected)
  }
  for (const [index, update] of incident.updates.entries()) {
    if (Date.parse(update.at) >= Date.parse(startedAt)) continue
    const expected = `${startedAt} or later, when the incident began`
    yield fault([...at, 'updates', index, 'at'], update.at, expected)
  }
  const isSevere = impact === 'major' || impact === 'critical'
  if (
    components === undefined ||
    !isSevere ||
    (state !== 'investigating' && state !== 'identified')
  )
    return
  const affected = components.filter(({ id }) => incident.components.includes(id))
  if (affected.some((component) => component.state !== 'operational')) return
  const found = affected.length === 0 ? 'no component' : 'components that are all operational'
  const expected = `at least one whose state is worse than operational, because the impact is ${impact} and the state is ${state}`
  yield fault([...at, 'components'], found, expected)
}

/** Whether nothing more happens to an incident or a maintenance. */
export function hasEnded({ state }: Pick<Incident | Maintenance, 'state'>): boolean {
  return state === 'resolved' || state === 'completed' || state === 'cancelled'
}

/** When an incident or a maintenance began, or is planned to. */
export const startOf = (event: Incident | Maintenance): string =>
  'startedAt' in event ? event.startedAt : event.startsAt

/**
 * The rules of the events of a year: each began in it, has ended, and is not in the status too. Its components may be
 * gone since.
 */
export function* checkPastEvents(
  year: string,
  { incidents = [], maintenances = [] }: PastEvents,
  status: Status | undefined,
): Faults {
  const lists = [
    ['incidents', incidents, status?.incidents ?? []],
    ['maintenances', maintenances, status?.maintenances ?? []],
  ] as const
  for (const [list, events, listed] of lists) {
    const known = new Set(listed.map(({ id }) => id))
    for (const [index, event] of events.entries()) {
      const at = [list, index]
      const { id, state, components } = event
      yield* checkEvent(at, event, components)
      if (list === 'incidents') yield* checkIncident(at, event as Incident, undefined)
      else yield* checkMaintenance(at, event as Maintenance)
      if (known.has(id)) {
        const expected = 'it here or in status.yaml, once'
        yield fault([...at, 'id'], `${JSON.stringify(id)}, which status.yaml has too`, expected)
      }
      if (!hasEnded(event)) {
        yield fault(
          [...at, 'state'],
          describeValue(state),
          'one that has ended; others are in status.yaml',
        )
      }
      const start = startOf(event)
      if (!start.startsWith(`${year}-`)) {
        const member = list === 'incidents' ? 'startedAt' : 'startsAt'
        yield fault(
          [...at, member],
          start,
          `a time in ${year}; other years have files of their own`,
        )
      }
    }
  }
  yield* checkNewestFirst(['incidents'], incidents, 'startedAt')
  yield* checkNewestFirst(['maintenances'], maintenances, 'startsAt')
}

function* checkMaintenance(at: FieldPath, { startsAt, endsAt }: Maintenance): Faults {
  if (Date.parse(endsAt) > Date.parse(startsAt)) return
  yield fault([...at, 'endsAt'], describeValue(endsAt), `a timestamp after ${startsAt}`)
}

/** A component that does not work has a reason that readers can find. */
function* checkComponents({ components, incidents, maintenances = [] }: Status): Faults {
  const inIncidents = new Set(incidents.filter(isUnresolved).flatMap((each) => each.components))
  const inMaintenance = new Set(maintenances.filter(isRunning).flatMap((each) => each.components))
  for (const [index, { id, state, note }] of components.entries()) {
    const at = ['components', index, 'state']
    if (state === 'maintenance' && !inMaintenance.has(id)) {
      const expected = `a maintenance in progress that names ${id}, or another state`
      yield fault(at, '"maintenance" without a maintenance', expected)
    }
    const isExplained = inIncidents.has(id) || note !== undefined
    if (state === 'operational' || state === 'maintenance' || isExplained) continue
    const expected = `an open incident that names ${id}, a note with the reason, or operational`
    yield fault(at, `${describeValue(state)} without an incident`, expected)
  }
}

/** The published status does not contradict itself. */
export function* checkStatus(data: Status): Faults {
  const { state, updatedAt, components, incidents, maintenances = [] } = data
  const best = COMPONENT_STATES.indexOf(bestOverallState(components.map((each) => each.state)))
  if (COMPONENT_STATES.indexOf(state) < best) {
    const allowed = COMPONENT_STATES.slice(best).join(' or ')
    const expected = `${allowed}: the overall state cannot be better than the components allow`
    yield fault(['state'], describeValue(state), expected)
  }
  const worst = Math.max(...components.map((each) => COMPONENT_STATES.indexOf(each.state)))
  if (COMPONENT_STATES.indexOf(state) > worst && !incidents.some(isUnresolved)) {
    const expected = `${COMPONENT_STATES[worst]} or better, or an open incident: every component is better than that`
    yield fault(['state'], describeValue(state), expected)
  }
  const newest = newestUpdate(data)
  if (newest !== undefined && Date.parse(updatedAt) < Date.parse(newest)) {
    yield fault(['updatedAt'], updatedAt, `${newest} or later, the time of the newest update`)
  }
  yield* checkComponents(data)
  const ids = components.map(({ id }) => id)
  yield* checkNewestFirst(['incidents'], incidents, 'startedAt')
  for (const [index, incident] of incidents.entries()) {
    yield* checkEvent(['incidents', index], incident, ids)
    yield* checkIncident(['incidents', index], incident, components)
  }
  yield* checkNewestFirst(['maintenances'], maintenances, 'startsAt')
  for (const [index, maintenance] of maintenances.entries()) {
    yield* checkEvent(['maintenances', index], maintenance, ids)
    yield* checkMaintenance(['maintenances', index], maintenance)
  }
}
