import { fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { openReleaseStore, type ReleaseStore } from '../releases/release-store.ts'
import {
  findDamage,
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

/** What a look into the releases folder found. */
export interface ReleaseFindings {
  /** New versions and resources; undefined without any. */
  readonly update?: ReleaseUpdate | undefined
  /** Why the update is refused. */
  readonly refusal?: string
  /** Why the served versions could not be loaded again. */
  readonly damage?: string | undefined
}

/** A disk that does not respond must not stop the checks forever. */
const DEADLINE_MS = 60_000

/**
 * Reads and checks releases in a process of its own, because that would block the event loop, and a thread leaves 13 MB behind.
 * Rejects if it fails, and ends it when `closing` is aborted.
 */
export function readUpdateInProcess(look: Look, closing: AbortSignal): Promise<ReleaseFindings> {
  return new Promise((resolve, reject) => {
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
    reader.once('message', (findings) => resolve(findings as ReleaseFindings))
    reader.on('error', (error) => {
      const reason = `the releases folder did not respond within ${DEADLINE_MS / 1000} s`
      reject(deadline.aborted ? new Error(reason) : error)
    })
    reader.once('close', (code, signal) =>
      reject(new Error(`the process that reads the releases ended with ${code ?? signal}`)),
    )
    reader.send(look)
    reader.unref()
    reader.channel?.unref()
  })
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
      findings = { refusal: messageOf(error), damage }
    }
    process.send?.(findings, () => process.disconnect?.())
  })
}
