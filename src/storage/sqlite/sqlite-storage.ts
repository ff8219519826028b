import { existsSync, statSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { isTransient, StorageError } from '../stores/storage-error.ts'
import type { Storage } from '../stores/storage.ts'
import type { SealedRegistration, WaitlistStore } from '../stores/waitlist-store.ts'
import { openSqliteConnection, type SqliteMode, type SqliteOptions } from './sqlite-connection.ts'
import {
  type CallOutcome,
  createSqliteSession,
  createStores,
  type StoreCall,
} from './sqlite-session.ts'

/** A message to the thread: a call, or the request to finish and exit. The thread responds in the order of the calls. */
export type ThreadRequest = StoreCall | 'close'

/** Memory limits of the thread, in MiB. Rows are stored outside these heaps. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 }

const THREAD_FILE = new URL('sqlite-writer-thread.ts', import.meta.url)

/** A thread that runs store calls. It starts with the first call. */
function createSqliteThread(options: SqliteOptions) {
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
      while (pending.length > 0) settleNext({ failure: 'IO', detail })
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

function createStorage(
  file: string,
  send: (call: StoreCall) => Promise<CallOutcome>,
  close: () => Promise<void>,
): Storage {
  const stores = createStores(async (call) => {
    const outcome = await send(call)
    if ('value' in outcome) return outcome.value
    throw new StorageError(outcome.failure, file, { cause: new Error(outcome.detail) })
  })
  return {
    ...stores,
    // Any read opens the database and shows that it works.
    ping: async () => void (await stores.apiKeys.find('')),
    close,
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

/** How often the outcome of a lost registration is looked up; each attempt may need a new thread. */
const LOOKUPS = 3

/** Adds a registration. If the thread ends between COMMIT and its response, the database shows whether the row is there. */
async function addOrFind(
  { add, find }: WaitlistStore,
  registration: SealedRegistration,
): ReturnType<WaitlistStore['add']> {
  try {
    return await add(registration)
  } catch (error) {
    if (!(error instanceof StorageError && error.code === 'IO')) throw error
    for (let lookups = 0; lookups < LOOKUPS; lookups += 1) {
      const stored = await find(registration.addressHash).catch(() => null)
      if (stored?.ticket === registration.ticket) return 'added'
      if (stored !== null) break
    }
    throw error
  }
}

/**
 * Opens the embedded database for a server and creates it, with its folder, when it is missing. Calls run in a thread
 * of their own, since SQLite blocks while it waits for the disk and for locks.
 *
 * With `onUnavailable`, a database that existed before may be unavailable at the start; calls then open it later. A new one
 * must be created first, which shows that data can be stored at all. Rejects with a StorageError, DAMAGED if a quick check
 * finds damage.
 */
export async function openSqliteServer(
  options: SqliteOptions,
  onUnavailable?: (error: StorageError) => void,
): Promise<Storage> {
  const { file } = options
  const exists = existsSync(file)
  try {
    using database = openSqliteConnection('create', options)
    assertQuickCheck(database, file)
  } catch (error) {
    if (!exists || !isTransient(error) || onUnavailable === undefined) throw error
    onUnavailable(error)
  }
  const thread = createSqliteThread(options)
  const storage = createStorage(file, thread.send, thread.close)
  const { waitlist } = storage
  return { ...storage, waitlist: { ...waitlist, add: (row) => addOrFind(waitlist, row) } }
}

/**
 * Opens the embedded database in this thread, for commands. Calls block while they wait for the disk and for locks. Rejects
 * with a StorageError: MISSING (unless `mode` is `create`), NEWER, OLDER (`read-only` never migrates), NOT_A_DATABASE, or a
 * failure of the disk.
 */
export async function openSqliteInThread(
  options: SqliteOptions & { readonly mode: SqliteMode },
): Promise<Storage> {
  const { file, mode } = options
  const session = createSqliteSession(mode, options)
  session.open()
  let isClosed = false
  return createStorage(
    file,
    async (call) => {
      if (isClosed) throw new StorageError('CLOSED', file)
      // Rows have no prototype. A clone has one, as it does between threads.
      const [outcome] = structuredClone(session.run([call]))
      return outcome ?? { failure: 'IO', detail: 'The call has no outcome' }
    },
    async () => {
      if (isClosed) return
      isClosed = true
      session.close()
    },
  )
}
