import type { SnapshotData } from './snapshot-schemas.ts'

type Status = SnapshotData<'status'>

/** An incident or a maintenance that a status no longer has. */
export interface RemovedEvent {
  readonly kind: 'incident' | 'maintenance'
  readonly id: string
  readonly title: string
}

/** The incidents and maintenances of one status that a later one no longer has. */
export function removedEvents(before: Status, after: Status): readonly RemovedEvent[] {
  function* removed(
    kind: RemovedEvent['kind'],
    old: readonly { readonly id: string; readonly title: string }[],
    now: readonly { readonly id: string }[],
  ): Generator<RemovedEvent, void> {
    for (const { id, title } of old) {
      if (!now.some((each) => each.id === id)) yield { kind, id, title }
    }
  }
  return [
    ...removed('incident', before.incidents, after.incidents),
    ...removed('maintenance', before.maintenances ?? [], after.maintenances ?? []),
  ]
}

/** A removed incident or maintenance in words. */
export function formatRemovedEvent({ kind, id, title }: RemovedEvent): string {
  return `removed the ${kind} ${id} (${title})`
}
