import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { removePartialFiles } from '@public-api/client-internal/node/durable-file'
import { isTransient, StorageError } from '../stores/storage-error.ts'
import type { Storage, StorageMode } from '../stores/storage.ts'
import { createStores, type StoreCall } from '../stores/store-calls.ts'
import { openSqliteConnection, type SqliteOptions } from './sqlite-connection.ts'
import type { CallOutcome } from './sqlite-session.ts'

/** A message to the thread: a call, or the request to finish and exit. The thread responds in the order of the calls. */
export type ThreadRequest = StoreCall | 'close'

const THREAD_FILE = new URL('sqlite-writer-thread.ts', import.meta.url)

/** What the thread needs to open the database. */
export interface ThreadData {
  readonly mode: StorageMode
  readonly options: SqliteOptions
}

/** A thread that runs store calls. It starts with the first call. A defect that ends it ends the process. */
function createSqliteThread(data: ThreadData) {
  const pending: ((outcome: CallOutcome) => void)[] = []
  let worker: Worker | undefined
  let closing: Promise<void> | undefined

  function start(): Worker {
    const cache = getCompileCacheDir()
    const started = new Worker(THREAD_FILE, {
      name: 'sqlite-writer',
      workerData: data,
      // The environment may contain secrets that the thread does not need. Without the compile cache the thread would
      // load the compiler that strips types: about 20 MB. The variable names the parent of this Node version's folder.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
    })
    started.on('message', (outcomes: readonly CallOutcome[]) => {
      for (const outcome of outcomes) pending.shift()?.(outcome)
      // An idle thread must not keep the process alive, unless its end is awaited.
      if (pending.length === 0 && closing === undefined) started.unref()
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
    const ended = once(worker, 'exit')
    request('close')
    await ended
  }

  return {
    /** Resolves with the outcome of the call. Rejects with CLOSED after `close`. */
    send(call: StoreCall): Promise<CallOutcome> {
      if (closing !== undefined) {
        return Promise.reject(new StorageError('CLOSED', data.options.file))
      }
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

/** A check of this many bytes takes less than a second. Larger databases are checked by backups. */
const MAX_CHECKED_BYTES = 256 * 1024 * 1024

/** Checks the structure of every page, without comparing indexes with tables. Throws a StorageError. */
function assertQuickCheck(database: DatabaseSync, file: string): void {
  if (statSync(file).size > MAX_CHECKED_BYTES) return
  const [row] = database.prepare('PRAGMA quick_check(1)').all()
  const found = String(row?.['quick_check'])
  if (found !== 'ok') throw new StorageError('DAMAGED', file, { detail: found })
}

/**
 * Opens the embedded database. The mode `create` creates it, with its folder, when it is missing, and checks its structure.
 * Calls run in a thread of their own, since SQLite blocks while it waits for the disk and for locks.
 *
 * With `onUnavailable`, a database that existed before may be unavailable at the start; calls then open it later. A new one
 * must be created first, which shows that data can be stored at all. Rejects with a StorageError: MISSING (unless `mode` is
 * `create`), NEWER, OLDER (`read-only` never migrates), NOT_A_DATABASE, DAMAGED, or a failure of the disk.
 */
export async function openSqlite(
  mode: StorageMode,
  options: SqliteOptions,
  onUnavailable?: (error: StorageError) => void,
): Promise<Storage> {
  const { file } = options
  const exists = existsSync(file)
  // A restore that was killed left a copy, with rows that may be erased since.
  if (mode !== 'read-only') removePartialFiles(path.dirname(file))
  try {
    using database = openSqliteConnection(mode, options)
    if (mode === 'create') assertQuickCheck(database, file)
  } catch (error) {
    if (!exists || !isTransient(error) || onUnavailable === undefined) throw error
    onUnavailable(error)
  }
  const { send, close } = createSqliteThread({ mode, options })
  const stores = createStores(async (call) => {
    const outcome = await send(call)
    if ('value' in outcome) return outcome.value
    throw new StorageError(outcome.failure, file, { cause: new Error(outcome.detail) })
  })
  // Any read opens the database and shows that it works.
  return { ...stores, ping: async () => void (await stores.apiKeys.find('')), close }
}
