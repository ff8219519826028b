import { stat } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import type { Log } from '../service/logger.ts'
import type { ServedReleases } from '../service/releases/read-releases.ts'
import { readUpdateInProcess, type RefusedRelease, type ReleaseFindings } from './read-update.ts'
import type { Serving } from './server.ts'

/** How often damaged files of the served versions are checked again, and after how long a check that failed is repeated. */
const DAMAGE_CHECK_MS = 60_000

/** How often the files of the served versions are checked although nothing seems to have changed. */
const FULL_CHECK_MS = 3_600_000

/**
 * Changes when a version, a resource or a checkpoint is added, and when a file of the newest version is changed or
 * removed: times of the folders, of these files, of the next version and of the log.
 */
async function readFingerprint(releasesDir: string, { head }: ServedReleases): Promise<string> {
  const folder = path.join(releasesDir, 'versions')
  const versions = [head.sequence, head.sequence + 1].map((sequence) =>
    path.join(folder, `${formatSnapshotId(sequence)}.json`),
  )
  const resources = Object.entries(head.resources).flatMap(([name, digest]) => {
    const ofName = path.join(releasesDir, 'resources', name)
    return [ofName, path.join(ofName, `${digest}.json`)]
  })
  const log = ['origin', 'policy', 'checkpoint'].map((name) => path.join(releasesDir, 'log', name))
  const times = await Promise.all(
    [folder, ...versions, ...resources, ...log].map((file) =>
      stat(file, { bigint: true }).then(
        ({ mtimeNs, ino, size }) => `${ino} ${size} ${mtimeNs}`,
        () => '-',
      ),
    ),
  )
  return times.join('\n')
}

/**
 * Looks for new releases now and every `intervalMs`, one look at a time; after the first, 0 looks only on `reload`. An update that `serving`
 * cannot take up is refused.
 */
export function openReleaseWatcher(
  releasesDir: string,
  intervalMs: number,
  log: Log,
  { served, applyUpdate }: Pick<Serving, 'served' | 'applyUpdate'>,
) {
  let refused: RefusedRelease | undefined
  /** Why the last look did not end. */
  let unread: string | undefined
  let failures = 0
  let lastFingerprint: string | undefined
  let damage: string | undefined
  /** The start read only what the newest version serves, so the first look checks the rest. */
  let checkedAtMs = -Infinity
  /** Whether that check came to an end: a process that reads can be killed, and a disk can hang. */
  let isChecked = false
  const closing = new AbortController()
  let looking: Promise<void> | undefined

  function noteRefused(found: RefusedRelease | undefined): void {
    if (found !== undefined) failures += 1
    if (found !== undefined && found.reason !== refused?.reason) {
      const serving = served().head.snapshotId
      log.error({ ...found, serving }, `Release refused; still serving ${serving}`)
    }
    refused = found
  }

  /** The process that reads was killed, or the disk does not respond. Whether there is a new version is unknown. */
  function noteUnread(reason: string): void {
    failures += 1
    if (reason !== unread) {
      const serving = served().head.snapshotId
      const message = `The releases folder could not be read; still serving ${serving}`
      log.error({ reason, serving }, message)
    }
    unread = reason
  }

  /** The served versions are in memory, so the service goes on with them. */
  function noteDamage(found: string | undefined): void {
    const { snapshotId } = served().head
    if (found !== undefined && found !== damage) {
      log.error(
        { reason: found, serving: snapshotId },
        `The releases folder is damaged; still serving ${snapshotId} from memory`,
      )
    } else if (found === undefined && damage !== undefined) {
      log.info({ serving: snapshotId }, 'The releases folder is intact again')
    }
    damage = found
  }

  async function look(isForced: boolean): Promise<void> {
    const fingerprint = await readFingerprint(releasesDir, served())
    const nowMs = performance.now()
    const checkAfterMs = isChecked && damage === undefined ? FULL_CHECK_MS : DAMAGE_CHECK_MS
    // The first fingerprint is of the files as they were loaded.
    const hasChanged = lastFingerprint !== undefined && fingerprint !== lastFingerprint
    const checksServed = isForced || hasChanged || nowMs - checkedAtMs >= checkAfterMs
    // What was refused or could not be read is read again at every look.
    const isSettled = refused === undefined && unread === undefined
    if (fingerprint === lastFingerprint && !checksServed && isSettled) return
    lastFingerprint = fingerprint
    if (checksServed) {
      checkedAtMs = nowMs
      isChecked = false
    }
    let found: ReleaseFindings
    try {
      const toRead = { releasesDir, served: served(), checksServed }
      found = await readUpdateInProcess(toRead, closing.signal)
    } catch (error) {
      if (!closing.signal.aborted) noteUnread(messageOf(error))
      return
    }
    if (closing.signal.aborted) return
    unread = undefined
    isChecked ||= checksServed
    if (checksServed || found.damage !== undefined) noteDamage(found.damage)
    const { update } = found
    try {
      if (update !== undefined) applyUpdate(update)
      noteRefused(found.refused)
    } catch (error) {
      const sequence = served().head.sequence + (update?.versionTexts.length ?? 0)
      noteRefused({ snapshotId: formatSnapshotId(sequence), reason: messageOf(error) })
    }
  }

  function start(isForced: boolean): Promise<void> {
    looking = look(isForced).finally(() => {
      looking = undefined
    })
    return looking
  }

  start(false).catch(() => {})
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
    /** Why the last look could not read the folder; undefined if it could. */
    unread: () => unread,
    /** Why the served versions could not be loaded from the folder again; undefined if they could at the last check. */
    damage: () => damage,
    failures: () => failures,
    close(): void {
      closing.abort()
      clearInterval(timer)
    },
  }
}
