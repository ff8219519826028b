import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { makeFolder } from '@public-api/client-internal/node/durable-file'
import { EntryKindError, requireOwnPath } from '@public-api/client-internal/node/own-path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { propertyOf } from '@public-api/contract/json/property-of'
import { StorageError, type StorageFailure } from '../stores/storage-error.ts'
import type { StorageMode } from '../stores/storage.ts'
import { migrate, MIGRATIONS, readHeader } from './sqlite-migrations.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html), without SQLITE_. */
const SQLITE_RESULTS = { BUSY: 5, READONLY: 8, CANTOPEN: 14 } as const

/** Result codes that mean a failure other than IO. */
const FAILURE_OF_RESULT: ReadonlyMap<unknown, StorageFailure> = new Map([
  [SQLITE_RESULTS.BUSY, 'LOCKED'],
  // LOCKED
  [6, 'LOCKED'],
  // PROTOCOL: another process was opening the write-ahead log at the same moment.
  [15, 'LOCKED'],
  // CORRUPT and NOTADB
  [11, 'NOT_A_DATABASE'],
  [26, 'NOT_A_DATABASE'],
  // FULL, IOERR_WRITE and IOERR_SHMSIZE. SQLite reports a write beyond a quota or a file-size limit as IOERR and only a full
  // disk as FULL. A broken disk usually shows at a sync.
  [13, 'FULL'],
  [778, 'FULL'],
  [4874, 'FULL'],
])

/** The error codes of a full disk, an exhausted quota and a file that would be too large. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The primary result code of an error of node:sqlite; undefined for other errors. */
export function sqliteResultOf(error: unknown): number | undefined {
  const code = error instanceof Error ? propertyOf(error, 'errcode') : undefined
  // The lowest byte of an extended code is the primary one.
  return typeof code === 'number' ? code & 0xff : undefined
}

function failureOf(error: unknown): StorageFailure {
  if (FULL_DISK.has(propertyOf(error, 'code'))) return 'FULL'
  const primary = sqliteResultOf(error)
  if (primary === undefined) return 'IO'
  return (
    FAILURE_OF_RESULT.get(propertyOf(error, 'errcode')) ?? FAILURE_OF_RESULT.get(primary) ?? 'IO'
  )
}

/** A failure as a StorageError. Its cause has SQLite's message, which names tables and columns but contains no values. */
export function toStorageError(error: unknown, file: string): StorageError {
  if (error instanceof StorageError) return error
  const { code, syscall, path: place = file } = Object(error) as NodeJS.ErrnoException
  const needed = syscall === 'open' || syscall === 'mkdir' ? 'write in' : 'enter'
  const options = { cause: new Error(messageOf(error)) }
  return new StorageError(
    failureOf(error),
    file,
    code === 'EACCES'
      ? { ...options, detail: `no permission to ${needed} ${path.dirname(place)}` }
      : options,
  )
}

export interface SqliteOptions {
  readonly file: string
  /** How long to wait for a lock of another process. Default: 2000. */
  readonly busyTimeoutMs?: number
  /** The maximum size of the file in pages of 4096 bytes. Writes beyond it fail with FULL. */
  readonly maxPages?: number
}

const DEFAULT_BUSY_TIMEOUT_MS = 2000
const RETRY_INTERVAL_MS = 20

function pragma(database: DatabaseSync, statement: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${statement}`).get() ?? {})[0]
}

/** Enables the write-ahead log (WAL). SQLite does not always wait for a lock here, and other processes may do the same. */
function enterWalMode(database: DatabaseSync, file: string, timeoutMs: number): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    try {
      const mode = pragma(database, 'journal_mode = WAL')
      if (mode === 'wal') return
      const cause = new Error(`PRAGMA journal_mode: found ${String(mode)}, expected wal`)
      throw new StorageError('IO', file, { cause })
    } catch (error) {
      if (sqliteResultOf(error) !== SQLITE_RESULTS.BUSY || performance.now() >= deadlineMs)
        throw error
      Atomics.wait(sleeper, 0, 0, RETRY_INTERVAL_MS)
    }
  }
}

function setPragmas(database: DatabaseSync, { maxPages }: SqliteOptions): void {
  // A transaction is durable when COMMIT returns: NORMAL would leave the WAL unsynced.
  pragma(database, 'synchronous = FULL')
  // Overwrites deleted content with zeros, in tables and indexes.
  pragma(database, 'secure_delete = ON')
  pragma(database, 'foreign_keys = ON')
  // The schema of a manipulated file must not run functions.
  pragma(database, 'trusted_schema = OFF')
  if (maxPages !== undefined) pragma(database, `max_page_count = ${maxPages}`)
}

function isPresent(file: string): boolean {
  return (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
}

function missing(file: string): StorageError {
  const isThere = fs.existsSync(file)
  return new StorageError('MISSING', file, isThere ? { detail: 'the file has no tables' } : {})
}

function requireAccess(file: string, access: 'read' | 'read and write'): void {
  const { R_OK, W_OK } = fs.constants
  try {
    fs.accessSync(file, access === 'read' ? R_OK : R_OK | W_OK)
  } catch (cause) {
    throw new StorageError('IO', file, { detail: `no permission to ${access} it`, cause })
  }
}

/**
 * Refuses a link or special file in place of the database or a file beside it: SQLite follows links, and would create what
 * a dangling one names. Throws a StorageError.
 */
function requireOwnFiles(file: string): void {
  const folder = path.dirname(file)
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    try {
      requireOwnPath(folder, path.basename(file) + suffix)
    } catch (error) {
      if (!(error instanceof EntryKindError)) throw error
      throw new StorageError('IRREGULAR', file + suffix, { cause: error })
    }
  }
}

/** Creates an empty file with mode 0600. SQLite gives the files beside it the same mode. */
function createFile(file: string): void {
  // SQLite syncs the folder with its first write, but not the entry of a new folder in its parent.
  makeFolder(path.dirname(file), 0o700)
  try {
    // Opens only a new file. Closing a file that SQLite has open would drop this process's locks on it
    // (https://sqlite.org/howtocorrupt.html, section 2.2).
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Opens a connection. Closes it if `check` throws. */
function connect(
  location: string | URL,
  options: DatabaseSyncOptions,
  file: string,
  check: (database: DatabaseSync, file: string) => unknown,
): DatabaseSync {
  const database = new DatabaseSync(location, options)
  try {
    check(database, file)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Whether reading failed because it needs a write: to create the WAL index or roll back a crashed transaction. */
function needsWriting(error: unknown): boolean {
  const result = sqliteResultOf(error)
  return result === SQLITE_RESULTS.READONLY || result === SQLITE_RESULTS.CANTOPEN
}

/** Throws unless the database has tables of this service. Returns the number of their last migration. */
export function readSchemaVersion(database: DatabaseSync, file: string): number {
  const { isEmpty, userVersion } = readHeader(database, file)
  if (isEmpty) throw missing(file)
  return userVersion
}

function assertCurrent(database: DatabaseSync, file: string): void {
  if (readSchemaVersion(database, file) < MIGRATIONS.length) throw new StorageError('OLDER', file)
}

/** Opens an existing database without changing it. Throws a StorageError, or the error of `check` or SQLite. */
export function openReader(
  { file, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS }: SqliteOptions,
  check: (database: DatabaseSync, file: string) => unknown,
): DatabaseSync {
  requireOwnFiles(file)
  if (!isPresent(file)) throw missing(file)
  requireAccess(file, 'read')
  try {
    return connect(file, { readOnly: true, timeout: busyTimeoutMs }, file, check)
  } catch (error) {
    if (!needsWriting(error)) throw error
    if (isPresent(`${file}-wal`)) {
      const where = `${file} (its write-ahead log has to be read too; copy both to a writable folder)`
      throw new StorageError('IO', where, { cause: error })
    }
    // A copy on read-only media, where no WAL index can be created. Without a WAL it needs none.
    const url = pathToFileURL(file)
    url.searchParams.set('immutable', '1')
    return connect(url, { readOnly: true }, file, check)
  }
}

/** Opens the database and migrates it (see StorageMode). Blocks while it waits for a lock. Throws a StorageError. */
export function openSqliteConnection(mode: StorageMode, options: SqliteOptions): DatabaseSync {
  const { file, busyTimeoutMs: timeout = DEFAULT_BUSY_TIMEOUT_MS } = options
  try {
    if (mode === 'read-only') return openReader(options, assertCurrent)
    requireOwnFiles(file)
    if (mode === 'create') createFile(file)
    else if (!isPresent(file)) throw missing(file)
    requireAccess(file, 'read and write')
    return connect(file, { timeout }, file, (database) => {
      const { userVersion } = readHeader(database, file)
      enterWalMode(database, file, timeout)
      setPragmas(database, options)
      if (userVersion < MIGRATIONS.length) migrate(database, file)
    })
  } catch (error) {
    throw toStorageError(error, file)
  }
}

/**
 * Moves the whole WAL into the database and truncates it. False if a reader or writer still needs the WAL; with `waits`,
 * after the connection's lock timeout.
 */
export function checkpointWal(database: DatabaseSync, waits: boolean): boolean {
  const timeoutMs = Number(pragma(database, 'busy_timeout'))
  if (!waits) pragma(database, 'busy_timeout = 0')
  try {
    return pragma(database, 'wal_checkpoint(TRUNCATE)') === 0
  } finally {
    pragma(database, `busy_timeout = ${timeoutMs}`)
  }
}
