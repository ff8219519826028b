import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { StorageError } from '../stores/storage-error.ts'
import type { SqliteOptions } from './sqlite-connection.ts'
import type { CallOutcome } from './sqlite-session.ts'
import type { StoreCall } from './store-calls.ts'

/** A message to the thread: a call, or the request to finish and exit. The thread responds in the order of the calls. */
export type ThreadRequest = StoreCall | 'close'

/** Memory limits of the thread, in MiB. Rows are stored outside these heaps. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 }

const THREAD_FILE = new URL('sqlite-writer-thread.ts', import.meta.url)

/** A thread that runs store calls. It starts with the first call. */
export function createSqliteThread(options: SqliteOptions) {
  const pending: ((outcome: CallOutcome) => void)[] = []
  let worker: Worker | undefined
  let closing: Promise<void> | undefined

  function settleNext(outcome: CallOutcome): void {
    const resolve = pending.shift()
    // An idle thread must not keep the process alive, unless its end is awaited.
    if (pending.length === 0 && closing === undefined) worker?.unref()
    resolve?.(outcome)
  }

  function start(): Worker {
    const cache = getCompileCacheDir()
    const started = new Worker(THREAD_FILE, {
      name: 'sqlite-writer',
      workerData: options,
      resourceLimits: RESOURCE_LIMITS,
      // The environment may contain secrets that the thread does not need. Without the compile cache the thread would
      // load the compiler that strips types: about 20 MB. The variable names the parent of this Node version's folder.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
    })
    let detail = 'The writing thread ended'
    started.on('message', (outcomes: readonly CallOutcome[]) => outcomes.forEach(settleNext))
    started.on('error', (error: Error) => {
      detail = `The writing thread ended: ${error.message}`
    })
    started.on('exit', () => {
      worker = undefined
      while (pending.length > 0) settleNext({ problem: 'IO', detail })
    })
    return started
  }

  function request(message: ThreadRequest): void {
    worker ??= start()
    worker.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(message)
  }

  async function end(): Promise<void> {
    if (worker === undefined) return
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    worker.once('exit', () => resolve())
    request('close')
    await ended
  }

  return {
    /** Resolves with the outcome of the call. Rejects with CLOSED after `close`. */
    send(call: StoreCall): Promise<CallOutcome> {
      if (closing !== undefined) return Promise.reject(new StorageError('CLOSED', options.file))
      return new Promise((resolve) => {
        // First, since a call that cannot be sent gets no response.
        request(call)
        pending.push(resolve)
      })
    },
    /** Finishes pending calls and ends the thread. */
    close(): Promise<void> {
      closing ??= end()
      return closing
    },
  }
}
