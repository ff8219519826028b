import { parseJson } from '../json/parse-json.ts'
import { propertyOf } from '../json/property-of.ts'
import { isPastEventsName } from '../snapshots/past-events.ts'
import type { SnapshotData } from '../snapshots/snapshot-schemas.ts'
import { DAY_MS } from '../text/instant.ts'
import { formatSnapshotId, type VersionEntry } from './version-chain.ts'

type Status = SnapshotData<'status'>
export type Component = Status['components'][number]
export type Incident = Status['incidents'][number]
export type Maintenance = NonNullable<Status['maintenances']>[number]

/** The lists whose items are followed, each with the member that identifies an item. */
const LISTS = { incidents: 'id', maintenances: 'id', releases: 'version' } as const

/** A list whose items are followed: two of the status, and the releases of the changelog. */
export type RecordedList = keyof typeof LISTS

/** An item of a list over all published versions. An edit by hand and a rollback count as changes, a move does not. */
export interface RecordedItem {
  /** When it was first published. */
  readonly firstAt: string
  /** When the newest version that changed it was published. */
  readonly changedAt: string
  /** In how many versions it changed since the first one with it. */
  readonly changes: number
  /** The version that removed it, and when; missing if the newest one has it. */
  readonly removedIn?: string
  readonly removedAt?: string
}

/** A component over all published versions. */
export type RecordedComponent = Pick<RecordedItem, 'firstAt' | 'removedIn' | 'removedAt'>

/** A time in which a component was published in a state that visitors notice. */
export interface ComponentTrouble {
  readonly state: Component['state']
  /** RFC 3339 time. */
  readonly from: string
  /** When a version ended it; missing while the newest status has it. */
  readonly until?: string
}

/** What all published versions together say. */
export interface PublishedRecord {
  /** By list and id (`recordKey`). */
  readonly items: ReadonlyMap<string, RecordedItem>
  /** By id. */
  readonly components: ReadonlyMap<string, RecordedComponent>
  /** The troubles of each component by its id, oldest first, as far as days of pages need them. */
  readonly troubles: ReadonlyMap<string, readonly ComponentTrouble[]>
}

/** The versions that a record is made of. */
export interface RecordedVersions {
  readonly head: Pick<VersionEntry, 'sequence'>
  version(snapshotId: string): VersionEntry | undefined
  archived(name: string, digest: string): unknown
  /** How many resources were removed from the history: what only they said leaves the record. */
  readonly redactionCount: number
  /** The record that the publisher keeps beside the releases, to continue from. */
  kept?(): string | undefined
}

/** The days of a component's state that pages show, and some more. */
const TROUBLE_MS = 100 * DAY_MS

/** The key of an item in a record. */
export const recordKey = (list: RecordedList, id: string): string => `${list}/${id}`

/** The resources whose items are followed. */
export const isFollowed = (name: string): boolean =>
  name === 'status' || name === 'changelog' || isPastEventsName(name)

/** Whether a version changes what is recorded. */
export const changesRecord = ({ changes }: Pick<VersionEntry, 'changes'>): boolean =>
  // An entry that a check has not seen may have anything there.
  Array.isArray(changes) &&
  changes.some((each: unknown) => isFollowed(String(propertyOf(each, 'resource'))))

/** The texts of items that a caller may pass again, in another version with the same object. */
const textsOfItems = new WeakMap<object, string>()

function textOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item)
  const known = textsOfItems.get(item)
  if (known !== undefined) return known
  const text = JSON.stringify(item)
  textsOfItems.set(item, text)
  return text
}

/** The JSON text of each item of a resource by its key, to find changes. */
function itemsIn(data: unknown): Map<string, string> {
  const items = new Map<string, string>()
  for (const [list, member] of Object.entries(LISTS)) {
    const found = propertyOf(data, list)
    if (!Array.isArray(found)) continue
    for (const item of found as readonly unknown[]) {
      const key = recordKey(list as RecordedList, String(propertyOf(item, member)))
      items.set(key, textOf(item))
    }
  }
  return items
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** The components of a status; undefined for data of another shape, which other hands or a later program wrote. */
function componentsIn(data: unknown): readonly Component[] | undefined {
  const components = propertyOf(data, 'components')
  if (!Array.isArray(components)) return undefined
  return (components as readonly unknown[]).filter((each): each is Component =>
    ['id', 'state', 'since'].every((name) => isText(propertyOf(each, name))),
  )
}

const isTrouble = ({ state }: Component): boolean =>
  state !== 'operational' && state !== 'maintenance'

/**
 * The troubles after a version. One ends when the next state began. If that is not after its own beginning, as after a
 * rollback, it ends with the version, as it does if the component was removed.
 */
function withStates(
  troubles: Map<string, readonly ComponentTrouble[]>,
  components: readonly Component[],
  { createdAt }: VersionEntry,
): void {
  const published = new Map(components.map((each) => [each.id, each]))
  const oldestMs = Date.parse(createdAt) - TROUBLE_MS
  for (const id of new Set([...troubles.keys(), ...published.keys()])) {
    const known = troubles.get(id) ?? []
    const component = published.get(id)
    const last = known.at(-1)
    if (last?.until === undefined && last?.state === component?.state) continue
    const isAfter = Date.parse(component?.since ?? '') > Date.parse(last?.from ?? '')
    const endedAt = (isAfter ? component?.since : undefined) ?? createdAt
    const ended =
      last === undefined || last.until !== undefined
        ? known
        : [...known.slice(0, -1), { ...last, until: endedAt }]
    const shown = ended.filter(({ until }) => until === undefined || Date.parse(until) >= oldestMs)
    troubles.set(
      id,
      component !== undefined && isTrouble(component)
        ? [...shown, { state: component.state, from: component.since }]
        : shown,
    )
  }
}

const isRecordedItem = (value: unknown): value is RecordedItem =>
  isText(propertyOf(value, 'firstAt')) &&
  isText(propertyOf(value, 'changedAt')) &&
  typeof propertyOf(value, 'changes') === 'number'

const isRecordedComponent = (value: unknown): value is RecordedComponent =>
  isText(propertyOf(value, 'firstAt'))

const isTroubles = (value: unknown): value is readonly ComponentTrouble[] =>
  Array.isArray(value) &&
  value.every((each) => isText(propertyOf(each, 'state')) && isText(propertyOf(each, 'from')))

/** A map from its entries; undefined for anything else. */
function mapOf<Value>(entries: unknown, isValue: (value: unknown) => value is Value) {
  const isEntry = (entry: unknown): entry is [string, Value] =>
    Array.isArray(entry) && isText(entry[0]) && isValue(entry[1])
  return Array.isArray(entries) && entries.every(isEntry) ? new Map(entries) : undefined
}

/** Raised when the members of a kept record change their meaning. Records of other formats are made again. */
const RECORD_FORMAT = 2

/** The members of a kept record: where it ends, and what it says. Undefined for another text. */
function parseRecord(text: string | undefined) {
  const value = parseJson(text ?? '')
  const items = mapOf(propertyOf(value, 'items'), isRecordedItem)
  const components = mapOf(propertyOf(value, 'components'), isRecordedComponent)
  const troubles = mapOf(propertyOf(value, 'troubles'), isTroubles)
  const [sequence, hash, redactionCount] = ['sequence', 'hash', 'redactionCount'].map((name) =>
    propertyOf(value, name),
  )
  if (items === undefined || components === undefined || troubles === undefined) return undefined
  if (propertyOf(value, 'format') !== RECORD_FORMAT) return undefined
  if (typeof sequence !== 'number' || typeof hash !== 'string') return undefined
  return { items, components, troubles, last: { sequence, hash, redactionCount } }
}

/** Whether a text is a kept record, of whichever versions, or one that a later program keeps in a form of its own. */
export function isRecord(text: string | undefined): boolean {
  const format = propertyOf(parseJson(text ?? ''), 'format')
  return parseRecord(text) !== undefined || (typeof format === 'number' && format !== RECORD_FORMAT)
}

/** The kept record of versions; undefined without one, and for one of another chain or from before a redaction. */
export function keptRecord(versions: RecordedVersions) {
  const kept = parseRecord(versions.kept?.())
  if (kept?.last.redactionCount !== versions.redactionCount) return undefined
  const entry = versions.version(formatSnapshotId(kept.last.sequence))
  return entry?.hash === kept.last.hash ? kept : undefined
}

/**
 * Reads the record of releases. The next release continues from the version before it, and the first one from a kept
 * record, if that is one of this chain: a long history is not read to show a page. Bytes that are damaged or were removed
 * from the history are left out.
 */
export function createRecorder() {
  let items = new Map<string, RecordedItem>()
  let components = new Map<string, RecordedComponent>()
  let troubles = new Map<string, readonly ComponentTrouble[]>()
  let last = { sequence: 0, hash: '', redactionCount: 0 as unknown }
  /** The items of each resource as it was last read. */
  let texts = new Map<string, ReadonlyMap<string, string>>()
  /** Changed resources that could not be read, and items that may be in them. */
  let unread = new Set<string>()
  let missing = new Map<string, string>()

  function restart(versions: RecordedVersions): void {
    ;({ items, components, troubles, last } = keptRecord(versions) ?? {
      items: new Map<string, never>(),
      components: new Map<string, never>(),
      troubles: new Map<string, never>(),
      last: { sequence: 0, hash: '', redactionCount: versions.redactionCount },
    })
    texts = new Map()
    unread = new Set()
    missing = new Map()
  }

  function add(versions: RecordedVersions, entry: VersionEntry): void {
    const { snapshotId, createdAt, sequence, resources } = entry
    const read = (name: string, from: VersionEntry['resources'] | undefined): unknown => {
      const digest = from?.[name]
      return digest === undefined ? {} : versions.archived(name, digest)
    }
    const changed = new Set(
      [...entry.changes.map(({ resource }) => resource), ...unread].filter(isFollowed),
    )
    const old = new Map(missing)
    const now = new Map<string, string>()
    let before: VersionEntry | undefined
    for (const name of changed) {
      const data = read(name, resources)
      if (data === undefined) {
        unread.add(name)
        continue
      }
      unread.delete(name)
      let known = texts.get(name)
      if (known === undefined) {
        before ??= versions.version(formatSnapshotId(sequence - 1))
        known = itemsIn(read(name, before?.resources))
      }
      const own = itemsIn(data)
      // An item that is as it was says nothing new.
      for (const [key, text] of known) if (own.get(key) !== text) old.set(key, text)
      for (const [key, text] of own) if (known.get(key) !== text) now.set(key, text)
      texts.set(name, own)
      if (name !== 'status' || resources[name] === undefined) continue
      const published = componentsIn(data)
      if (published === undefined) continue
      const ids = new Set(published.map(({ id }) => id))
      for (const id of ids)
        components.set(id, { firstAt: components.get(id)?.firstAt ?? createdAt })
      for (const [id, component] of components) {
        if (ids.has(id) || component.removedIn !== undefined) continue
        components.set(id, { ...component, removedIn: snapshotId, removedAt: createdAt })
      }
      withStates(troubles, published, entry)
    }
    for (const [key, text] of now) {
      const known = items.get(key)
      if (known?.removedIn === undefined && known !== undefined && (old.get(key) ?? text) === text)
        continue
      const { firstAt = createdAt, changes = -1 } = known ?? {}
      items.set(key, { firstAt, changedAt: createdAt, changes: changes + 1 })
    }
    missing = new Map()
    for (const [key, text] of old) {
      const known = items.get(key)
      // Also one that moved to another resource while this one could not be read.
      const isThere = [...texts.values()].some((each) => each.has(key))
      if (isThere || known === undefined || known.removedIn !== undefined) continue
      if (unread.size > 0) missing.set(key, text)
      else items.set(key, { ...known, removedIn: snapshotId, removedAt: createdAt })
    }
  }

  function advance(versions: RecordedVersions): void {
    const { head, redactionCount } = versions
    const known = versions.version(formatSnapshotId(last.sequence))
    if (known?.hash !== last.hash || last.redactionCount !== redactionCount) restart(versions)
    for (let sequence = last.sequence + 1; sequence <= head.sequence; sequence += 1) {
      const entry = versions.version(formatSnapshotId(sequence))
      if (entry === undefined) continue
      if (unread.size > 0 || changesRecord(entry)) add(versions, entry)
      last = { sequence, hash: entry.hash, redactionCount }
    }
  }

  return {
    /** Goes on up to the newest version. */
    advance,
    /** The record up to the newest version. */
    read(versions: RecordedVersions): PublishedRecord {
      advance(versions)
      return {
        items: new Map(items),
        components: new Map(components),
        troubles: new Map(troubles),
      }
    },
    /** The record as text, which `kept` returns to continue from. */
    format: (): string =>
      JSON.stringify({
        format: RECORD_FORMAT,
        ...last,
        items: [...items],
        components: [...components],
        troubles: [...troubles],
      }),
  }
}
