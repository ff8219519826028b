import { propertyOf } from '../json/property-of.ts'
import { isPastEventsName } from './past-events.ts'

const LISTS = {
  /** Something that happened. */
  incident: 'incidents',
  /** Something that is planned. */
  maintenance: 'maintenances',
} as const

/** An incident or a maintenance that a version no longer has. */
export interface RemovedEvent {
  /** In which list it was. */
  readonly kind: keyof typeof LISTS
  /** Its ID in that list. */
  readonly id: string
  /** Its title when it was last published. */
  readonly title: string
}

function eventsIn(status: unknown, kind: RemovedEvent['kind']): readonly unknown[] {
  const list = propertyOf(status, LISTS[kind])
  return Array.isArray(list) ? list : []
}

const idOf = (event: unknown): string => String(propertyOf(event, 'id'))

interface Resources {
  readonly [name: string]: string
}

/** The resources with incidents and maintenances that differ between two versions: the status, and years before it. */
export function changedEventResources(before: Resources, after: Resources): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => (name === 'status' || isPastEventsName(name)) && before[name] !== after[name],
  )
}

/**
 * The incidents and maintenances that a version no longer has: those of its changed resources as they were before, and as
 * they are after it (`changedEventResources`), each parsed JSON of any version. What moved to its year is not removed.
 */
export function removedEvents(
  before: readonly unknown[],
  after: readonly unknown[],
): readonly RemovedEvent[] {
  return (['incident', 'maintenance'] as const).flatMap((kind) => {
    const kept = new Set(after.flatMap((each) => eventsIn(each, kind)).map(idOf))
    return before
      .flatMap((each) => eventsIn(each, kind))
      .filter((event) => !kept.has(idOf(event)))
      .map((event) => ({ kind, id: idOf(event), title: String(propertyOf(event, 'title')) }))
  })
}

/** A removed incident or maintenance in words. */
export function formatRemovedEvent({ kind, id, title }: RemovedEvent): string {
  return `removed the ${kind} ${id} (${title})`
}
