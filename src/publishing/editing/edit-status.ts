import type { Incident, Maintenance } from '@public-api/contract/history/published-record'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { expectedName } from '@public-api/contract/text/nearest-name'
import {
  bestOverallState,
  type ComponentState,
  isUnresolved,
  isRunning,
} from '../rules/status-rules.ts'

export type Status = SnapshotData<'status'>
type Component = Status['components'][number]

/** An edit that does not fit the status. `usage`: a name that does not exist or a time that is too early. */
export class StatusEditError extends Error {
  readonly kind: 'usage' | 'state'
  /** Whether the status has the edit already: the command was called again, perhaps because it was killed. */
  readonly isRepeated: boolean
  /** The id that no item of the status has. */
  readonly missingId: string | undefined

  constructor(kind: 'usage' | 'state', message: string, isRepeated = false, missingId?: string) {
    super(message)
    this.name = 'StatusEditError'
    this.kind = kind
    this.isRepeated = isRepeated
    this.missingId = missingId
  }
}

/** Whether the newest update of an item has this text. */
const saysSame = (
  { updates }: Pick<Incident, 'updates'> | Pick<Maintenance, 'updates'>,
  text: string,
) => updates[0]?.text === text

/** The result of an edit. */
export interface StatusEdit {
  readonly status: Status
  readonly list: 'incidents' | 'maintenances'
  /** The id of the incident or the maintenance. */
  readonly id: string
  /** The time of the update. */
  readonly at: string
}

/** What every edit has. */
export interface EditTimes {
  /** When it happened. Default: now. */
  readonly at?: string | undefined
  /** The time of the edit in seconds, which becomes `updatedAt`. */
  readonly now: string
  /** The same in milliseconds, for a second update within a second, or after what a clock that was ahead dated. */
  readonly exactNow: string
}

/** The new states of components by id. */
export type ComponentChanges = ReadonlyMap<string, ComponentState>

/** A text for readers, and the options of every edit. */
export interface UpdateOptions extends EditTimes {
  readonly text: string
  /** The new summary of the whole status. Required if its state changes, unless the usual one is back. */
  readonly summary?: string | undefined
  /** The summary of the time before, which comes back when nothing is open any more. */
  readonly usualSummary?: string | undefined
}

const MAX_ID = 64

/** Throws a StatusEditError if an item of this title goes on and no id was given: the command was called again. */
function refuseRepetition(
  ongoing: readonly (Incident | Maintenance)[],
  { id, title, text }: UpdateOptions & { readonly id?: string | undefined; readonly title: string },
  advice: string,
): void {
  const same = ongoing.find((each) => each.title === title && (id === undefined || each.id === id))
  if (same === undefined) return
  const found = `${JSON.stringify(title)} already exists, with the id ${same.id}`
  const message = `${found}; expected ${advice}, or another id (--id)`
  throw new StatusEditError('state', message, saysSame(same, text))
}

/** The id of an item: the given one, or one from its title and day that no other item has. */
function newId(
  items: readonly { readonly id: string }[],
  given: string | undefined,
  kind: string,
  title: string,
  instant: string,
): string {
  const taken = new Set(items.map(({ id }) => id))
  if (given !== undefined) {
    if (!taken.has(given)) return given
    throw new StatusEditError('usage', `the id ${given} is taken; expected another one`)
  }
  return slugFrom(taken, title, kind, instant)
}

/** An id from a title, or from the kind if it has no ASCII letters, and the day of an instant. One that is not taken. */
export function slugFrom(
  taken: ReadonlySet<string>,
  title: string,
  kind: string,
  instant?: string,
): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [kind]
  const day = /^\d{4}-\d\d-\d\d/.exec(instant ?? '')?.[0]
  for (let nth = 1; ; nth += 1) {
    const end = [day, nth === 1 ? undefined : nth].map((part) =>
      part === undefined ? '' : `-${part}`,
    )
    const start = words
      .join('-')
      .slice(0, MAX_ID - end.join('').length)
      .replace(/-$/, '')
    const id = start + end.join('')
    if (!taken.has(id)) return id
  }
}

/** The item with an id. Throws a StatusEditError. */
function requireItem<Item extends { readonly id: string }>(
  items: readonly Item[],
  id: string,
  kind: string,
): Item {
  const item = items.find((each) => each.id === id)
  if (item !== undefined) return item
  const known = items.map((each) => each.id)
  const otherwise = known.length === 0 ? 'none: the status has none' : `one of ${known.join(', ')}`
  const expected = expectedName(id, known, `the id of a known ${kind}`, otherwise)
  const message = `unknown ${kind} ${JSON.stringify(id.slice(0, 64))}; expected ${expected}`
  throw new StatusEditError('usage', message, false, kind === 'component' ? undefined : id)
}

function requireComponents({ components }: Status, ids: Iterable<string>): void {
  for (const id of ids) requireItem(components, id, 'component')
}

/**
 * The time of an update. It follows the newest one, so that the list stays in order and each time identifies one update.
 * Throws a StatusEditError.
 */
function timeOf(
  { at, now, exactNow }: EditTimes,
  updates: readonly { readonly at: string }[] = [],
): string {
  const newest = updates[0]?.at
  const candidates = at === undefined ? [now, exactNow] : [at]
  const found = candidates.find(
    (each) => newest === undefined || Date.parse(each) > Date.parse(newest),
  )
  if (found !== undefined) return found
  throw new StatusEditError(
    'usage',
    `the time ${candidates[0]} is not after the newest update; expected a time after ${newest}`,
  )
}

/** Inserts an item where a list stays in order, newest first. */
function insertNewest<Item>(items: readonly Item[], item: Item, startOf: (item: Item) => string) {
  const start = Date.parse(startOf(item))
  const index = items.findIndex((each) => Date.parse(startOf(each)) <= start)
  return items.toSpliced(index === -1 ? items.length : index, 0, item)
}

/** The same members with one after another one. */
function withMember<Value extends object>(value: Value, after: string, member: Partial<Value>) {
  const entries = Object.entries(value)
  const index = entries.findIndex(([name]) => name === after)
  return Object.fromEntries(entries.toSpliced(index + 1, 0, ...Object.entries(member))) as Value
}

function replaceItem<Item extends { readonly id: string }>(items: readonly Item[], item: Item) {
  return items.map((each) => (each.id === item.id ? item : each))
}

/** Whether nothing is open: what the summary says is the usual. */
export function isUsual({ state, incidents, maintenances = [] }: Status): boolean {
  return state === 'operational' && !incidents.some(isUnresolved) && !maintenances.some(isRunning)
}

/**
 * Sets the states of components with what follows: since when, the state of the whole, summary and time of review. Throws
 * a StatusEditError if the summary would contradict the new state.
 */
function review(
  status: Status,
  changes: ComponentChanges,
  { summary: given, usualSummary, now, exactNow }: UpdateOptions,
  at: string,
  { id, ...item }: Incident | Maintenance,
): StatusEdit {
  const components = status.components.map((component): Component => {
    const state = changes.get(component.id) ?? component.state
    return state === component.state ? component : { ...component, state, since: at }
  })
  const state = bestOverallState(components.map((each) => each.state))
  const usual = isUsual({ ...status, state }) ? usualSummary : undefined
  const summary = given ?? usual ?? (state === status.state ? status.summary : undefined)
  if (summary === undefined) {
    throw new StatusEditError(
      'usage',
      `the overall state would change from ${status.state} to ${state}, and the summary would still say ${JSON.stringify(status.summary)}; expected --summary TEXT`,
    )
  }
  // Another command may have written a time with milliseconds within this second.
  const earliestMs = Math.max(Date.parse(at), Date.parse(status.updatedAt))
  const updatedAt =
    [now, exactNow, at].find((each) => Date.parse(each) >= earliestMs) ??
    (Date.parse(at) > Date.parse(now) ? at : now)
  return {
    status: { ...status, state, summary, updatedAt, components },
    list: 'impact' in item ? 'incidents' : 'maintenances',
    id,
    at,
  }
}

/** An incident or a maintenance with an update on top, and the time of the update. */
function withUpdate<Item extends Incident | Maintenance>(
  item: Item,
  state: Item['state'],
  options: UpdateOptions,
) {
  const at = timeOf(options, item.updates)
  const updates = [{ at, state, text: options.text }, ...item.updates]
  return { at, updated: { ...item, state, updates } as Item }
}

/**
 * The states of the components that something which has ended names: they work again, unless an open incident names them.
 * Those that fail and are named by a running maintenance alone are in maintenance.
 */
function statesAfterEnd(
  { components, incidents, maintenances = [] }: Status,
  ids: readonly string[],
): ComponentChanges {
  const namedBy = (items: readonly { readonly components: readonly string[] }[]) =>
    new Set(items.flatMap((each) => each.components))
  const failing = namedBy(incidents.filter(isUnresolved))
  const maintained = namedBy(maintenances.filter(isRunning))
  const working = new Set(
    components.filter(({ state }) => state === 'operational').map(({ id }) => id),
  )
  return new Map(
    ids
      .filter((id) => !failing.has(id) && !working.has(id))
      .map((id) => [id, maintained.has(id) ? 'maintenance' : 'operational']),
  )
}

/** An incident with its first update. */
export function openIncident(
  status: Status,
  options: UpdateOptions &
    Pick<Incident, 'title' | 'impact' | 'state'> & {
      readonly components: ComponentChanges
      readonly id?: string | undefined
    },
): StatusEdit {
  const { title, impact, state, components, text } = options
  const at = timeOf(options)
  requireComponents(status, components.keys())
  refuseRepetition(status.incidents.filter(isUnresolved), options, 'svc incident update')
  const id = newId(status.incidents, options.id, 'incident', title, at)
  const incident: Incident = {
    id,
    title,
    state,
    impact,
    startedAt: at,
    components: [...components.keys()],
    updates: [{ at, state, text }],
  }
  const incidents = insertNewest(status.incidents, incident, ({ startedAt }) => startedAt)
  return review({ ...status, incidents }, components, options, at, incident)
}

/** An update of an incident that may change its state and those of components. */
interface IncidentUpdate extends UpdateOptions {
  readonly state?: Incident['state'] | undefined
  readonly components: ComponentChanges
}

/** An incident with an update on top, and the components that it names for the first time. */
function changeIncident(
  status: Status,
  before: Incident,
  state: Incident['state'],
  options: IncidentUpdate,
): StatusEdit {
  const { at, updated } = withUpdate(before, state, options)
  const components = [...new Set([...before.components, ...options.components.keys()])]
  const incidents = replaceItem(status.incidents, { ...updated, components })
  return review({ ...status, incidents }, options.components, options, at, before)
}

/** An update of an incident. One that is resolved stays resolved. */
export function updateIncident(status: Status, id: string, options: IncidentUpdate): StatusEdit {
  const incident = requireItem(status.incidents, id, 'incident')
  const { components: changes } = options
  requireComponents(status, changes.keys())
  const { state = isUnresolved(incident) ? incident.state : undefined } = options
  if (
    state === undefined ||
    (!isUnresolved(incident) && (state !== 'resolved' || changes.size > 0))
  ) {
    throw new StatusEditError(
      'state',
      `the incident ${id} is resolved; expected svc incident reopen if it fails again, or --state resolved for a note about the past`,
    )
  }
  if (isUnresolved(incident) && state === 'resolved') {
    throw new StatusEditError('usage', `the incident ${id} is open; expected svc incident resolve`)
  }
  const [newest] = incident.updates
  if (newest?.state === state && saysSame(incident, options.text)) {
    const found = `the newest update of ${id} (${newest.at}) has this state and this text`
    throw new StatusEditError('state', `${found}; expected another text`, true)
  }
  return changeIncident(status, incident, state, options)
}

/** An incident that was resolved and fails again: an update on top, without the time of its end. */
export function reopenIncident(status: Status, id: string, options: IncidentUpdate): StatusEdit {
  const incident = requireItem(status.incidents, id, 'incident')
  const { components, state = 'investigating' } = options
  requireComponents(status, components.keys())
  if (isUnresolved(incident)) {
    const expected = 'expected svc incident update'
    const isRepeated = saysSame(incident, options.text)
    throw new StatusEditError('state', `the incident ${id} is open; ${expected}`, isRepeated)
  }
  const { resolvedAt: _, ...past } = incident
  return changeIncident(status, past, state, options)
}

/**
 * The end of an incident. Its components work again, unless something else that goes on names them: those that only a
 * running maintenance names are in maintenance.
 */
export function resolveIncident(status: Status, id: string, options: UpdateOptions): StatusEdit {
  const incident = requireItem(status.incidents, id, 'incident')
  if (!isUnresolved(incident)) {
    const isRepeated = saysSame(incident, options.text)
    throw new StatusEditError('state', `the incident ${id} is resolved already`, isRepeated)
  }
  const { at, updated } = withUpdate(incident, 'resolved', options)
  const ended = withMember(updated, 'startedAt', { resolvedAt: at })
  const after = { ...status, incidents: replaceItem(status.incidents, ended) }
  return review(after, statesAfterEnd(after, incident.components), options, at, incident)
}

/** A planned end that has passed is a slip of the pen, unless the command records what happened (`at`). */
function requireLaterEnd(endsAt: string, { at, now }: EditTimes): void {
  if (at !== undefined || Date.parse(endsAt) > Date.parse(now)) return
  const expected = `expected a time after ${now}, or --at TIME for a record`
  throw new StatusEditError('usage', `the planned end ${endsAt} has passed; ${expected}`)
}

/** A planned maintenance with its first update. */
export function scheduleMaintenance(
  status: Status,
  options: UpdateOptions &
    Pick<Maintenance, 'title' | 'startsAt' | 'endsAt' | 'components'> & {
      readonly id?: string | undefined
    },
): StatusEdit {
  const { title, startsAt, endsAt, text } = options
  const at = timeOf(options)
  requireLaterEnd(endsAt, options)
  const components = [...new Set(options.components)]
  requireComponents(status, components)
  const { maintenances: known = [] } = status
  const isPlanned = (each: Maintenance) => each.state === 'scheduled' || isRunning(each)
  const atThatTime = known.filter(
    (each) => isPlanned(each) && Date.parse(each.startsAt) === Date.parse(startsAt),
  )
  refuseRepetition(atThatTime, options, 'svc maintenance reschedule')
  const id = newId(known, options.id, 'maintenance', title, startsAt)
  const state = 'scheduled'
  const updates = [{ at, state, text }] as const
  const maintenance: Maintenance = { id, title, state, startsAt, endsAt, components, updates }
  const maintenances = insertNewest(known, maintenance, (each) => each.startsAt)
  // A new list comes before the incidents.
  const after: Status =
    status.maintenances === undefined
      ? withMember<Status>(status, 'components', { maintenances })
      : { ...status, maintenances }
  return review(after, new Map(), options, at, maintenance)
}

/**
 * A maintenance with another planned time. A running one has begun: only its end can change. The update raises the SEQUENCE
 * of the calendar, so that calendars follow.
 */
export function rescheduleMaintenance(
  status: Status,
  id: string,
  options: UpdateOptions & {
    readonly startsAt?: string | undefined
    readonly endsAt?: string | undefined
  },
): StatusEdit {
  const { maintenances = [] } = status
  const maintenance = requireItem(maintenances, id, 'maintenance')
  const { state } = maintenance
  const { startsAt = maintenance.startsAt, endsAt = maintenance.endsAt } = options
  const isOther = (a: string, b: string) => Date.parse(a) !== Date.parse(b)
  const hasOtherStart = isOther(startsAt, maintenance.startsAt)
  if (state !== 'scheduled' && state !== 'in_progress') {
    const expected = 'expected scheduled or in_progress'
    throw new StatusEditError('state', `the maintenance ${id} is ${state}; ${expected}`)
  }
  if (state === 'in_progress' && hasOtherStart) {
    const expected = 'expected another end only (--to)'
    throw new StatusEditError('state', `the maintenance ${id} has started; ${expected}`)
  }
  if (!hasOtherStart && !isOther(endsAt, maintenance.endsAt)) {
    const planned = `is planned from ${startsAt} to ${endsAt} already`
    const message = `the maintenance ${id} ${planned}; expected another time`
    throw new StatusEditError('state', message, saysSame(maintenance, options.text))
  }
  requireLaterEnd(endsAt, options)
  const { at, updated } = withUpdate(maintenance, state, options)
  const moved = { ...updated, startsAt, endsAt }
  const others = maintenances.filter((each) => each.id !== id)
  const after = {
    ...status,
    maintenances: hasOtherStart
      ? insertNewest(others, moved, (each) => each.startsAt)
      : replaceItem(maintenances, moved),
  }
  return review(after, new Map(), options, at, maintenance)
}

/** The steps of a maintenance: from which state to which. */
const STEPS = {
  start: { from: ['scheduled'], to: 'in_progress' },
  complete: { from: ['in_progress'], to: 'completed' },
  cancel: { from: ['scheduled', 'in_progress'], to: 'cancelled' },
} as const satisfies {
  readonly [step: string]: {
    readonly from: readonly Maintenance['state'][]
    readonly to: Maintenance['state']
  }
}

export type MaintenanceStep = keyof typeof STEPS

/**
 * The next state of a maintenance. At its start, components that work are in maintenance; at its end they work again,
 * unless something else that goes on names them.
 */
export function moveMaintenance(
  status: Status,
  id: string,
  step: MaintenanceStep,
  options: UpdateOptions,
): StatusEdit {
  const { maintenances = [] } = status
  const maintenance = requireItem(maintenances, id, 'maintenance')
  const { from, to } = STEPS[step]
  const { state: before, components: ids } = maintenance
  if (!(from as readonly string[]).includes(before)) {
    throw new StatusEditError(
      'state',
      `the maintenance ${id} is ${before}; expected ${from.join(' or ')}`,
      before === to && saysSame(maintenance, options.text),
    )
  }
  const { at, updated } = withUpdate(maintenance, to, options)
  const after = { ...status, maintenances: replaceItem(maintenances, updated) }
  const namedIn = (state: ComponentState) =>
    ids.filter((each) =>
      status.components.some((known) => known.id === each && known.state === state),
    )
  const changes: ComponentChanges =
    step === 'start'
      ? new Map(namedIn('operational').map((each) => [each, 'maintenance']))
      : statesAfterEnd(after, namedIn('maintenance'))
  return review(after, changes, options, at, maintenance)
}
