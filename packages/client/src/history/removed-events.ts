import type { VersionEntry, VersionSummary } from '#contract/history/version-chain'
import { type RemovedEvent, removedEvents } from '#contract/snapshots/removed-events'
import { sha256Base64url } from '#crypto'
import type { Client } from '../client.ts'
import { ConnectionError } from '../connection.ts'
import { parseBody } from '../read-body.ts'

/** An incident or a maintenance that a version removed. */
export interface RemovedByVersion extends RemovedEvent {
  /** The version that removed it. */
  readonly snapshotId: string
}

/** More statuses than this are not read: the newest ones are. */
const MAX_STATUSES = 100

/** A status of the archive, as the chain names it; undefined if it is not offered, or has another digest. */
async function readStatus(client: Client, digest: string, options: { signal?: AbortSignal }) {
  const path = `/archive/resources/status/${digest}.json`
  try {
    const { status, body } = await client.getUnverified(path, options)
    if (status !== 200 || (await sha256Base64url(body)) !== digest) return undefined
    return parseBody(body)
  } catch (error) {
    if (error instanceof ConnectionError) return undefined
    throw error
  }
}

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
  const statuses = [...first, ...versions]
    .map(({ snapshotId, resources }) => ({ snapshotId, digest: resources['status'] }))
    .filter(({ digest }, index, all) => digest !== all[index - 1]?.digest)
    .slice(-MAX_STATUSES)
  const removed: RemovedByVersion[] = []
  let known: unknown
  for (const { snapshotId, digest } of statuses) {
    const status = digest === undefined ? undefined : await readStatus(client, digest, options)
    if (known !== undefined && status !== undefined)
      removed.push(...removedEvents(known, status).map((event) => ({ snapshotId, ...event })))
    known = status
  }
  return removed
}
