import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { Worker } from 'node:worker_threads'

import type { StoreCall } from './sqlite-calls.ts'
import type { SqliteOptions } from './sqlite-connection.ts'
import { StorageError, type StorageProblem } from './storage-error.ts'

/** What the thread is asked: a call, or to finish and end. */
export type ThreadRequest =
  | { readonly id: number; readonly call: StoreCall }
  | { readonly isLast: true }

/** How a call ended. An error crosses over as its parts, since a clone of it would be a plain Error. */
export interface ThreadAnswer {
  readonly id: number
  readonly outcome:
    | { readonly value: unknown }
    | { readonly problem: StorageProblem; readonly detail: string }
}

/** The calls of a store, answered by a thread that comes to life at the first of them. */
export interface SqliteThread {
  /** Resolves with what the call returned. Rejects with a StorageError. */
  send(call: StoreCall): Promise<unknown>
  /** Finishes what was sent, and ends the thread. */
  close(): Promise<void>
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** What one thread may take at most, in MiB; rows live outside these heaps. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 }

const THREAD_FILE = new URL('sqlite-writer-thread.ts', import.meta.url)

/** Prepares the thread's side in the caller; no thread is started before the first call. */
export function createSqliteThread(options: SqliteOptions): SqliteThread {
  const { file } = options
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let lastId = 0
  let closing: Promise<void> | undefined

  function settle({ id, outcome }: ThreadAnswer): void {
    const call = waiting.get(id)
    waiting.delete(id)
    // Whoever waits for nothing should not be what keeps the process alive; who waits for its end does.
    if (waiting.size === 0 && closing === undefined) worker?.unref()
    if ('value' in outcome) call?.resolve(outcome.value)
    else {
      const cause = new Error(outcome.detail)
      call?.reject(new StorageError(outcome.problem, file, { cause }))
    }
  }

  function start(): Worker {
    const cache = getCompileCacheDir()
    const started = new Worker(THREAD_FILE, {
      name: 'sqlite-writer',
      workerData: options,
      resourceLimits: RESOURCE_LIMITS,
      // It needs nothing else from there, and some of it may be secret. Without the cache, which is named by the folder
      // above this version's, the thread would load the compiler that strips types: some 20 MB.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
    })
    let reason = 'The thread ended'
    started.on('message', (answers: readonly ThreadAnswer[]) => answers.forEach(settle))
    started.on('error', (error: Error) => {
      reason = `The thread ended: ${error.message}`
    })
    started.on('exit', () => {
      worker = undefined
      for (const id of waiting.keys()) settle({ id, outcome: { problem: 'IO', detail: reason } })
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
    const ended = Promise.withResolvers<void>()
    worker.once('exit', () => ended.resolve())
    request({ isLast: true })
    await ended.promise
  }

  return {
    send(call) {
      if (closing !== undefined) return Promise.reject(new StorageError('CLOSED', file))
      return new Promise((resolve, reject) => {
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        request({ id: lastId, call })
      })
    },
    close() {
      closing ??= end()
      return closing
    },
  }
}
