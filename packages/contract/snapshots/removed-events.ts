import { propertyOf } from '../json/property-of.ts'

const LISTS = {
  /** Something that happened. */
  incident: 'incidents',
  /** Something that is planned. */
  maintenance: 'maintenances',
} as const

/** An incident or a maintenance that a status no longer has. */
export interface RemovedEvent {
  /** In which list it was. */
  readonly kind: keyof typeof LISTS
  /** Its ID in that list. */
  readonly id: string
  /** Its title when it was last published. */
  readonly title: string
}

function eventsIn(status: unknown, kind: RemovedEvent['kind']): readonly RemovedEvent[] {
  const list = propertyOf(status, LISTS[kind])
  if (!Array.isArray(list)) return []
  return list.map((event: unknown) => ({
    kind,
    id: String(propertyOf(event, 'id')),
    title: String(propertyOf(event, 'title')),
  }))
}

/** The incidents and maintenances of one status that a later one no longer has. Both are parsed JSON of any version. */
export function removedEvents(before: unknown, after: unknown): readonly RemovedEvent[] {
  return (['incident', 'maintenance'] as const).flatMap((kind) => {
    const kept = new Set(eventsIn(after, kind).map(({ id }) => id))
    return eventsIn(before, kind).filter(({ id }) => !kept.has(id))
  })
}

/** A removed incident or maintenance in words. */
export function formatRemovedEvent({ kind, id, title }: RemovedEvent): string {
  return `removed the ${kind} ${id} (${title})`
}
