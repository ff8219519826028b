import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'

type Status = SnapshotData<'status'>
export type Component = Status['components'][number]
export type Incident = Status['incidents'][number]
export type Maintenance = NonNullable<Status['maintenances']>[number]
type ChangelogRelease = SnapshotData<'changelog'>['releases'][number]

/** An item of a list over all published versions. An edit by hand and a rollback count as changes. */
export interface RecordedItem<Item> {
  /** As the newest version with it has it, in English. */
  readonly item: Item
  /** The version that removed it; undefined if the newest one has it. */
  readonly removedIn: string | undefined
  /** When it was first published. */
  readonly firstAt: string
  /** When the newest version that changed it was published. */
  readonly changedAt: string
  /** In how many versions it changed since the first one with it. */
  readonly changes: number
}

/** A time in which a component was published in a state that visitors notice. */
export interface ComponentTrouble {
  readonly state: Component['state']
  /** RFC 3339 time. */
  readonly from: string
  /** When a version ended it; undefined while the newest status has it. */
  readonly until: string | undefined
}

/** What all published versions together say. */
export interface PublishedRecord {
  /** By id. */
  readonly incidents: ReadonlyMap<string, RecordedItem<Incident>>
  /** By id. */
  readonly maintenances: ReadonlyMap<string, RecordedItem<Maintenance>>
  /** Releases of the changelog, by version. */
  readonly releases: ReadonlyMap<string, RecordedItem<ChangelogRelease>>
  /** When the first version with each component was published, by its id. */
  readonly componentsFrom: ReadonlyMap<string, string>
  /** The troubles of each component by its id, oldest first, with or without an incident. */
  readonly troubles: ReadonlyMap<string, readonly ComponentTrouble[]>
}

/** The lists whose items are followed. */
export type RecordedList = 'incidents' | 'maintenances' | 'releases'

/** The versions that a record is made of. */
export interface RecordedVersions {
  readonly head: Pick<VersionEntry, 'sequence'>
  version(snapshotId: string): VersionEntry | undefined
  archived(name: string, digest: string): unknown
  /** How many resources were removed from the history: what only they said leaves the record. */
  readonly redactionCount: number
}

/** The JSON text of each recorded item, to find changes. */
type Known<Item> = RecordedItem<Item> & { readonly text: string }

/** The items after a version, of which `published` has those that it contains. */
function withVersion<Item>(
  items: Map<string, Known<Item>>,
  published: readonly Item[],
  keyOf: (item: Item) => string,
  { snapshotId, createdAt: changedAt }: VersionEntry,
): void {
  const present = new Set<string>()
  for (const item of published) {
    const key = keyOf(item)
    present.add(key)
    const text = JSON.stringify(item)
    const known = items.get(key)
    if (known?.text === text && known.removedIn === undefined) continue
    const { firstAt = changedAt, changes = -1 } = known ?? {}
    items.set(key, { item, text, removedIn: undefined, firstAt, changedAt, changes: changes + 1 })
  }
  for (const [key, known] of items) {
    if (known.removedIn === undefined && !present.has(key)) {
      items.set(key, { ...known, removedIn: snapshotId })
    }
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
 * once in a process. Bytes that are damaged or were removed from the history are left out.
 */
export function createRecorder(): (versions: RecordedVersions) => PublishedRecord {
  const incidents = new Map<string, Known<Incident>>()
  const maintenances = new Map<string, Known<Maintenance>>()
  const releases = new Map<string, Known<ChangelogRelease>>()
  const componentsFrom = new Map<string, string>()
  const troubles = new Map<string, readonly ComponentTrouble[]>()
  let last = { sequence: 0, hash: '', redactionCount: 0 }

  function add(versions: RecordedVersions, entry: VersionEntry): void {
    const changed = <Name extends 'status' | 'changelog'>(name: Name) => {
      const digest = entry.resources[name]
      const isChanged = entry.changes.some(({ resource }) => resource === name)
      return (isChanged && digest !== undefined ? versions.archived(name, digest) : undefined) as
        | SnapshotData<Name>
        | undefined
    }
    const changelog = changed('changelog')
    if (changelog) withVersion(releases, changelog.releases, ({ version }) => version, entry)
    const status = changed('status')
    if (!status) return
    for (const { id } of status.components) {
      if (!componentsFrom.has(id)) componentsFrom.set(id, entry.createdAt)
    }
    withStates(troubles, status.components, entry)
    withVersion(incidents, status.incidents, ({ id }) => id, entry)
    withVersion(maintenances, status.maintenances ?? [], ({ id }) => id, entry)
  }

  return (versions) => {
    const { head, redactionCount } = versions
    const known = versions.version(formatSnapshotId(last.sequence))
    if (known?.hash !== last.hash || last.redactionCount !== redactionCount) {
      for (const each of [incidents, maintenances, releases, componentsFrom, troubles]) each.clear()
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
      releases: new Map(releases),
      componentsFrom: new Map(componentsFrom),
      troubles: new Map(troubles),
    }
  }
}
