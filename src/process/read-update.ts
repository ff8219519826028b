import { fork } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { openReleaseStore, type ReleaseStore } from '../releases/release-store.ts'
import {
  findDamage,
  newestAfter,
  readUpdate,
  type ReleaseUpdate,
  type ServedReleases,
} from '../service/releases/read-releases.ts'

/** What a look reads, and what it compares. */
interface Look {
  readonly releasesDir: string
  readonly served: ServedReleases
  /** Whether the files of the served versions are checked too. */
  readonly checksServed: boolean
}

/** A new version that is not served. */
export interface RefusedRelease {
  readonly snapshotId: string
  readonly reason: string
}

/** What a look into the releases folder found. */
export interface ReleaseFindings {
  /** New versions and resources; undefined without any. */
  readonly update?: ReleaseUpdate | undefined
  readonly refused?: RefusedRelease
  /** Why the served versions, or what is beside them, could not be loaded again. */
  readonly damage?: string | undefined
}

/** A disk that does not respond must not stop the checks forever. */
const DEADLINE_MS = 60_000

/**
 * Reads and checks releases in a process of its own, because that would block the event loop, and a thread leaves 13 MB behind.
 * Resolves after the end of that process: on one processor, the end would delay what the caller does with the findings.
 * Rejects if it fails, and ends it when `closing` is aborted.
 */
export async function readUpdateInProcess(
  look: Look,
  closing: AbortSignal,
): Promise<ReleaseFindings> {
  const cache = getCompileCacheDir()
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const reader = fork(import.meta.filename, {
    execArgv: ['--max-old-space-size=256', '--max-semi-space-size=4'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Passes no variables, because some are secret. With the cache the process does not load the TypeScript compiler.
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
    signal: AbortSignal.any([closing, deadline]),
    killSignal: 'SIGKILL',
  })
  let findings: ReleaseFindings | undefined
  reader.once('message', (found) => {
    findings = found as ReleaseFindings
  })
  // A later error must not end the service.
  reader.on('error', () => {})
  // If the process ends before it gets the message, its end says why.
  reader.send(look, () => {})
  reader.unref()
  reader.channel?.unref()
  try {
    // The channel is read to its end first. Both reject with an error of the process.
    const [[code, signal]] = await Promise.all([once(reader, 'close'), once(reader, 'disconnect')])
    if (findings !== undefined) return findings
    throw new Error(`the process that reads the releases ended with ${code ?? signal}`)
  } catch (error) {
    if (!deadline.aborted) throw error
    const reason = `the releases folder did not respond within ${DEADLINE_MS / 1000} s`
    throw new Error(reason, { cause: error })
  }
}

/** How long the check of the served versions works before it rests, and how long it rests. */
const WORK_MS = 10
const REST_MS = 10

/** The same store, whose reader rests now and then: requests have the processor on a machine with one core, too. */
function restingStore(store: ReleaseStore): ReleaseStore {
  const never = new Int32Array(new SharedArrayBuffer(4))
  let restedAtMs = performance.now()
  return {
    ...store,
    readResourceText(name, digest) {
      if (performance.now() - restedAtMs >= WORK_MS) {
        Atomics.wait(never, 0, 0, REST_MS)
        restedAtMs = performance.now()
      }
      return store.readResourceText(name, digest)
    },
  }
}

// Runs in the process that readUpdateInProcess starts.
if (import.meta.main) {
  // Signals to the process group are for the service, which ends this process.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.once('message', ({ releasesDir, served, checksServed }: Look) => {
    const store = openReleaseStore(releasesDir)
    const damage = checksServed ? findDamage(restingStore(store), served) : undefined
    let findings: ReleaseFindings
    try {
      findings = { update: readUpdate(store, served), damage }
    } catch (error) {
      const reason = messageOf(error)
      const snapshotId = newestAfter(store, served)
      findings =
        snapshotId === undefined
          ? { damage: damage ?? reason }
          : { refused: { snapshotId, reason }, damage }
    }
    process.send?.(findings, () => process.disconnect?.())
  })
}
