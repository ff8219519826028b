import { stat } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import type { ServedReleases } from '../service/read-releases.ts'
import type { Log } from '../service/log.ts'
import { readUpdateInThread } from './read-update.ts'
import type { Serving } from './server.ts'

export interface RefusedRelease {
  readonly snapshotId: string
  readonly reason: string
}

/** A refused release is read again after a pause, which doubles up to this while the reason stays the same. */
const MAX_BACKOFF_MS = 60_000

/** Changes when a version, a resource or a checkpoint is added: times of the resource folders, the next version and the log. */
async function readFingerprint(releasesDir: string, { head }: ServedReleases): Promise<string> {
  const next = path.join(releasesDir, 'versions', `${formatSnapshotId(head.sequence + 1)}.json`)
  const folders = Object.keys(head.resources).map((name) =>
    path.join(releasesDir, 'resources', name),
  )
  const log = ['origin', 'policy', 'checkpoint'].map((name) => path.join(releasesDir, 'log', name))
  const times = await Promise.all(
    [next, ...folders, ...log].map((file) =>
      stat(file, { bigint: true }).then(
        ({ mtimeNs, ino, size }) => `${ino} ${size} ${mtimeNs}`,
        () => '-',
      ),
    ),
  )
  return times.join('\n')
}

/**
 * Starts looking for new releases every `intervalMs`, one look at a time; 0 looks only on `reload`. An update that `serving`
 * cannot take up is refused.
 */
export function openReleaseWatcher(
  releasesDir: string,
  intervalMs: number,
  log: Log,
  { served, takeUp }: Pick<Serving, 'served' | 'takeUp'>,
) {
  let refused: RefusedRelease | undefined
  let failures = 0
  let backoffMs = 0
  let retryAtMs = 0
  let lastFingerprint: string | undefined
  let isClosed = false
  let looking: Promise<void> | undefined

  function refuse(reason: string): void {
    const snapshotId = formatSnapshotId(served().head.sequence + 1)
    failures += 1
    backoffMs = reason === refused?.reason ? Math.min(backoffMs * 2, MAX_BACKOFF_MS) : intervalMs
    retryAtMs = performance.now() + backoffMs
    if (reason !== refused?.reason) {
      const current = served().head.snapshotId
      log.error(
        { snapshotId, reason, serving: current },
        `Release refused; still serving ${current}`,
      )
    }
    refused = { snapshotId, reason }
  }

  async function look(isForced: boolean): Promise<void> {
    const fingerprint = await readFingerprint(releasesDir, served())
    const isRetryDue = refused !== undefined && performance.now() >= retryAtMs
    if (!isForced && fingerprint === lastFingerprint && !isRetryDue) return
    lastFingerprint = fingerprint
    try {
      const update = await readUpdateInThread({ releasesDir, served: served() })
      if (isClosed) return
      if (update !== undefined) takeUp(update)
      refused = undefined
    } catch (error) {
      if (!isClosed) refuse(messageOf(error))
    }
  }

  function start(isForced: boolean): Promise<void> {
    looking = look(isForced).finally(() => {
      looking = undefined
    })
    return looking
  }

  const timer =
    intervalMs === 0
      ? undefined
      : setInterval(() => {
          if (looking === undefined) start(false).catch(() => {})
        }, intervalMs).unref()

  return {
    /** Looks, after a look in progress, which may have started before the change. Not for concurrent calls. */
    async reload(): Promise<void> {
      await looking
      await start(true)
    },
    refused: () => refused,
    failures: () => failures,
    close(): void {
      isClosed = true
      clearInterval(timer)
    },
  }
}
