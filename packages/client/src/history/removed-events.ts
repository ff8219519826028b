import type { VersionEntry, VersionSummary } from '#contract/history/version-chain'
import {
  changedEventResources,
  type RemovedEvent,
  removedEvents,
} from '#contract/snapshots/removed-events'
import type { Client } from '../client.ts'
import { readArchived } from './archived-resource.ts'

/** An incident or a maintenance that a version removed. */
export interface RemovedByVersion extends RemovedEvent {
  /** The version that removed it. */
  readonly snapshotId: string
}

/** More statuses than this are not read: the newest ones are. */
const MAX_STATUSES = 100

/**
 * The incidents and maintenances that each of these versions removed, oldest first, as far as the archive of the service
 * has their statuses. `before` is the version before them. A removal is information for a person, and not a finding.
 */
export async function readRemovedEvents(
  client: Client,
  before: VersionSummary | undefined,
  versions: readonly VersionEntry[],
  signal: AbortSignal | undefined,
): Promise<readonly RemovedByVersion[]> {
  const options = signal === undefined ? {} : { signal }
  const isChanged = versions.some(({ changes }) =>
    changes.some(({ resource, kind }) => resource === 'status' && kind === 'changed'),
  )
  if (!isChanged) return []
  const first =
    before === undefined ? [] : [(await client.versionById(before.snapshotId, options)).data]
  const all = [...first, ...versions]
  const steps = all
    .slice(1)
    .map(({ snapshotId, resources: after }, index) => {
      const old = all[index]?.resources ?? {}
      return { snapshotId, old, after, names: changedEventResources(old, after) }
    })
    .filter(({ names }) => names.length > 0)
    .slice(-MAX_STATUSES)
  /** The newest read of each resource: a version is compared with the one before. */
  const known = new Map<string, { readonly digest: string; readonly value: unknown }>()
  async function readAll(names: readonly string[], resources: VersionEntry['resources']) {
    const values: unknown[] = []
    for (const name of names) {
      const digest = resources[name]
      if (digest === undefined) continue
      const last = known.get(name)
      const value =
        last?.digest === digest ? last.value : await readArchived(client, name, digest, options)
      known.set(name, { digest, value })
      if (value === undefined) return undefined
      values.push(value)
    }
    return values
  }
  const removed: RemovedByVersion[] = []
  for (const { snapshotId, old, after, names } of steps) {
    const [earlier, later] = [await readAll(names, old), await readAll(names, after)]
    if (earlier === undefined || later === undefined) continue
    removed.push(...removedEvents(earlier, later).map((event) => ({ snapshotId, ...event })))
  }
  return removed
}
