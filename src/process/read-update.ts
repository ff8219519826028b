import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { messageOf } from '@public-api/contract/errors/error-message'
import { openReleaseStore, type ReleaseStore } from '../releases/release-store.ts'
import {
  findDamage,
  readUpdate,
  type ReleaseUpdate,
  type ServedReleases,
} from '../service/releases/read-releases.ts'

interface UpdateThreadData {
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

/** Reads and checks releases in a thread, because that would block the event loop. Rejects if the thread fails. */
export function readUpdateInThread(data: UpdateThreadData): Promise<ReleaseFindings> {
  return new Promise((resolve, reject) => {
    const cache = getCompileCacheDir()
    const thread = new Worker(new URL(import.meta.url), {
      name: 'release-update',
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 },
      // Passes no variables, because some are secret. With the cache the thread does not load the TypeScript compiler.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
    })
    const timeout = setTimeout(() => {
      reject(new Error(`the releases folder did not respond within ${DEADLINE_MS / 1000} s`))
      void thread.terminate()
    }, DEADLINE_MS)
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', (code) => {
      clearTimeout(timeout)
      reject(new Error(`the thread ended with exit code ${code}`))
    })
    thread.unref()
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

// The thread runs this file as well. What it throws becomes the `error` event.
if (!isMainThread) {
  const { releasesDir, served, checksServed } = workerData as UpdateThreadData
  const store = openReleaseStore(releasesDir)
  const damage = checksServed ? findDamage(restingStore(store), served) : undefined
  let findings: ReleaseFindings
  try {
    findings = { update: readUpdate(store, served), damage }
  } catch (error) {
    findings = { refusal: messageOf(error), damage }
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(findings)
}
