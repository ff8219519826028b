import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import { propertyOf } from '@public-api/contract/json/property-of'
import type { PublishedHistory } from '../../service/releases/releases.ts'

/** When an item was first published, in how many versions it changed since, and when in the newest of them. */
export interface ItemRevisions {
  readonly firstAt: string
  readonly changedAt: string
  readonly changes: number
}

/** The lists whose items feeds and calendars show: the resource of each and what identifies an item. */
const LISTS = {
  incidents: ['status', 'id'],
  maintenances: ['status', 'id'],
  releases: ['changelog', 'version'],
} as const

export type RevisedList = keyof typeof LISTS

/** What was found up to a version. `text` is the item there; undefined if it was removed. */
interface Walk {
  readonly items: Map<string, ItemRevisions & { readonly text: string | undefined }>
  head?: VersionEntry
  digest?: string | undefined
}

type History = Pick<PublishedHistory, 'head' | 'version' | 'readResource'>

function addVersion(walk: Walk, history: History, list: RevisedList, entry: VersionEntry): void {
  const [resource, key] = LISTS[list]
  const digest = entry.resources[resource]
  walk.head = entry
  if (digest === undefined || digest === walk.digest) return
  walk.digest = digest
  // Undefined if damaged or redacted.
  const stored = history.readResource(resource, digest)
  if (stored === undefined) return
  const found = propertyOf(stored.value, list)
  const texts = new Map(
    (Array.isArray(found) ? found : []).map((item: unknown) => [
      String(propertyOf(item, key)),
      JSON.stringify(item),
    ]),
  )
  const at = entry.createdAt
  for (const [id, text] of texts) {
    const known = walk.items.get(id)
    if (known === undefined) walk.items.set(id, { firstAt: at, changedAt: at, changes: 0, text })
    else if (known.text !== text)
      walk.items.set(id, { ...known, changedAt: at, changes: known.changes + 1, text })
  }
  for (const [id, known] of walk.items) {
    if (!texts.has(id)) walk.items.set(id, { ...known, text: undefined })
  }
}

/**
 * Follows items through the published history, so that an edit by hand and a rollback count as changes, and nothing depends
 * on a field that can be edited. A later release continues where the last one ended.
 */
export function createItemRevisions() {
  const walks = new Map<RevisedList, Walk>()
  return (history: History, list: RevisedList): ReadonlyMap<string, ItemRevisions> => {
    const entryOf = (sequence: number) => {
      const payload = history.version(formatSnapshotId(sequence))
      return payload && (JSON.parse(payload.json) as VersionEntry)
    }
    const last = walks.get(list)
    const isContinued = last?.head && entryOf(last.head.sequence)?.hash === last.head.hash
    const walk: Walk = isContinued === true ? last : { items: new Map() }
    const { sequence: newest } = JSON.parse(history.head.json) as VersionEntry
    for (let sequence = (walk.head?.sequence ?? 0) + 1; sequence <= newest; sequence += 1) {
      const entry = entryOf(sequence)
      if (entry !== undefined) addVersion(walk, history, list, entry)
    }
    walks.set(list, walk)
    return walk.items
  }
}
