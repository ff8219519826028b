import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'

type Status = SnapshotData<'status'>
export type Component = Status['components'][number]
export type Incident = Status['incidents'][number]
export type Maintenance = NonNullable<Status['maintenances']>[number]

/** An incident or a maintenance over all published versions. */
export interface RecordedItem<Item> {
  /** As the newest version with it has it, in English. */
  readonly item: Item
  /** The version that removed it; undefined if the newest status has it. */
  readonly removedIn: string | undefined
}

/** A time in which a component was published in a state that visitors notice. */
export interface ComponentTrouble {
  readonly state: Component['state']
  /** RFC 3339 time. */
  readonly from: string
  /** When a version ended it; undefined while the newest status has it. */
  readonly until: string | undefined
}

/** What all published versions together say of the status. */
export interface StatusRecord {
  readonly incidents: ReadonlyMap<string, RecordedItem<Incident>>
  readonly maintenances: ReadonlyMap<string, RecordedItem<Maintenance>>
  /** When the first version with each component was published, by its id. */
  readonly componentsFrom: ReadonlyMap<string, string>
  /** The troubles of each component by its id, oldest first, with or without an incident. */
  readonly troubles: ReadonlyMap<string, readonly ComponentTrouble[]>
}

/** The versions that a record is made of. */
export interface RecordedVersions {
  readonly head: Pick<VersionEntry, 'sequence'>
  version(snapshotId: string): VersionEntry | undefined
  archived(name: string, digest: string): unknown
  /** How many resources were removed from the history: what only they said leaves the record. */
  readonly redactionCount: number
}

/** The items after a version, of which `published` has those that it contains. */
function withVersion<Item extends { readonly id: string }>(
  items: Map<string, RecordedItem<Item>>,
  published: readonly Item[],
  { snapshotId }: VersionEntry,
): void {
  const present = new Set(published.map(({ id }) => id))
  for (const item of published) items.set(item.id, { item, removedIn: undefined })
  for (const [id, { item, removedIn }] of items) {
    if (removedIn === undefined && !present.has(id)) items.set(id, { item, removedIn: snapshotId })
  }
}

const isTrouble = ({ state }: Component): boolean =>
  state !== 'operational' && state !== 'maintenance'

/** The troubles after a version. One ends when the next state began, or when the component was removed. */
function withStates(
  troubles: Map<string, readonly ComponentTrouble[]>,
  components: readonly Component[],
  { createdAt }: VersionEntry,
): void {
  const published = new Map(components.map((each) => [each.id, each]))
  for (const id of new Set([...troubles.keys(), ...published.keys()])) {
    const known = troubles.get(id) ?? []
    const component = published.get(id)
    const last = known.at(-1)
    if (last?.until === undefined && last?.state === component?.state) continue
    const ended =
      last === undefined || last.until !== undefined
        ? known
        : [...known.slice(0, -1), { ...last, until: component?.since ?? createdAt }]
    troubles.set(
      id,
      component !== undefined && isTrouble(component)
        ? [...ended, { state: component.state, from: component.since, until: undefined }]
        : ended,
    )
  }
}

/**
 * Reads the record of a release. The next release continues from the version before it, so that a long history is read
 * once in a process. Bytes that were removed from the history are left out.
 */
export function createStatusRecorder(): (versions: RecordedVersions) => StatusRecord {
  const incidents = new Map<string, RecordedItem<Incident>>()
  const maintenances = new Map<string, RecordedItem<Maintenance>>()
  const componentsFrom = new Map<string, string>()
  const troubles = new Map<string, readonly ComponentTrouble[]>()
  let last = { sequence: 0, hash: '', redactionCount: 0 }

  function add(versions: RecordedVersions, entry: VersionEntry): void {
    const digest = entry.resources['status']
    const isChanged = entry.changes.some(({ resource }) => resource === 'status')
    const status = isChanged && digest !== undefined && versions.archived('status', digest)
    if (!status) return
    const { components, incidents: ofIncidents, maintenances: planned = [] } = status as Status
    for (const { id } of components) {
      if (!componentsFrom.has(id)) componentsFrom.set(id, entry.createdAt)
    }
    withStates(troubles, components, entry)
    withVersion(incidents, ofIncidents, entry)
    withVersion(maintenances, planned, entry)
  }

  return (versions) => {
    const { head, redactionCount } = versions
    const known = versions.version(formatSnapshotId(last.sequence))
    if (known?.hash !== last.hash || last.redactionCount !== redactionCount) {
      for (const each of [incidents, maintenances, componentsFrom, troubles]) each.clear()
      last = { sequence: 0, hash: '', redactionCount }
    }
    for (let sequence = last.sequence + 1; sequence <= head.sequence; sequence += 1) {
      const entry = versions.version(formatSnapshotId(sequence))
      if (entry === undefined) continue
      add(versions, entry)
      last = { sequence, hash: entry.hash, redactionCount }
    }
    return {
      incidents: new Map(incidents),
      maintenances: new Map(maintenances),
      componentsFrom: new Map(componentsFrom),
      troubles: new Map(troubles),
    }
  }
}
