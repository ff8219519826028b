import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { Worker } from 'node:worker_threads'

import type { SqliteOptions } from './sqlite-connection.ts'
import { StorageError, type StorageProblem } from './storage-error.ts'
import type { StoreCall } from './store-calls.ts'

/** A message to the thread: a call, or the request to finish and exit. */
export type ThreadRequest =
  | { readonly id: number; readonly call: StoreCall }
  | { readonly isLast: true }

/** The outcome of a call. An error is sent as its fields, because a structured clone of it would be a plain Error. */
export interface ThreadResponse {
  readonly id: number
  readonly outcome:
    | { readonly value: unknown }
    | { readonly problem: StorageProblem; readonly detail: string }
}

/** A thread that runs store calls. It starts with the first call. */
export interface SqliteThread {
  /** Resolves with the result of the call. Rejects with a StorageError. */
  send(call: StoreCall): Promise<unknown>
  /** Finishes pending calls and ends the thread. */
  close(): Promise<void>
}

interface PendingCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** Memory limits of the thread, in MiB. Rows are stored outside these heaps. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 }

const THREAD_FILE = new URL('sqlite-writer-thread.ts', import.meta.url)

/** Prepares the thread. It starts with the first call. */
export function createSqliteThread(options: SqliteOptions): SqliteThread {
  const { file } = options
  const pending = new Map<number, PendingCall>()
  let worker: Worker | undefined
  let lastId = 0
  let closing: Promise<void> | undefined

  function settle({ id, outcome }: ThreadResponse): void {
    const call = pending.get(id)
    pending.delete(id)
    // An idle thread must not keep the process alive, unless its end is awaited.
    if (pending.size === 0 && closing === undefined) worker?.unref()
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
      // The environment may contain secrets that the thread does not need. Without the compile cache the thread would
      // load the compiler that strips types: about 20 MB. The variable names the parent of this Node version's folder.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
    })
    let reason = 'The writing thread ended'
    started.on('message', (responses: readonly ThreadResponse[]) => responses.forEach(settle))
    started.on('error', (error: Error) => {
      reason = `The writing thread ended: ${error.message}`
    })
    started.on('exit', () => {
      worker = undefined
      for (const id of pending.keys()) settle({ id, outcome: { problem: 'IO', detail: reason } })
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
        pending.set(lastId, { resolve, reject })
        request({ id: lastId, call })
      })
    },
    close() {
      closing ??= end()
      return closing
    },
  }
}
