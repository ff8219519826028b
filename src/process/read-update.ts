import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { messageOf } from '../contract/error-message.ts'
import { readUpdate, type ReleaseUpdate, type ServedReleases } from '../service/read-releases.ts'
import { openReleaseStore } from '../storage/release-store.ts'

/** An update to load, undefined without one, or why it is refused. */
export type UpdateOutcome =
  | { readonly update: ReleaseUpdate | undefined }
  | { readonly refusal: string }

interface UpdateThreadData {
  readonly releasesDir: string
  readonly served: ServedReleases
}

/** A disk that does not respond must not stop the checks forever. */
const DEADLINE_MS = 60_000

/** Reads and checks new releases in a thread, because that would block the event loop. Never rejects. */
export function readUpdateInThread(data: UpdateThreadData): Promise<UpdateOutcome> {
  return new Promise((resolve) => {
    const cache = getCompileCacheDir()
    const thread = new Worker(new URL(import.meta.url), {
      name: 'release-update',
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 },
      // Passes no variables, because some are secret. With the cache the thread does not load the TypeScript compiler.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
    })
    function settle(outcome: UpdateOutcome): void {
      clearTimeout(timeout)
      resolve(outcome)
    }
    const timeout = setTimeout(() => {
      settle({ refusal: `the releases folder did not respond within ${DEADLINE_MS / 1000} s` })
      void thread.terminate()
    }, DEADLINE_MS)
    thread.once('message', settle)
    thread.once('error', (error) => settle({ refusal: messageOf(error) }))
    thread.once('exit', (code) => settle({ refusal: `the thread ended with exit code ${code}` }))
    thread.unref()
  })
}

function outcomeOf({ releasesDir, served }: UpdateThreadData): UpdateOutcome {
  try {
    return { update: readUpdate(openReleaseStore(releasesDir), served) }
  } catch (error) {
    return { refusal: messageOf(error) }
  }
}

// The thread runs this file as well.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
if (!isMainThread) parentPort?.postMessage(outcomeOf(workerData as UpdateThreadData))
