import { messageOf } from '@public-api/contract/errors/error-message'
import { propertyOf } from '@public-api/contract/json/property-of'
import { StorageError, type StorageProblem } from '../stores/storage-error.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html), without SQLITE_. */
export const SQLITE_RESULTS = { BUSY: 5, READONLY: 8, CANTOPEN: 14 } as const

/** Result codes that mean a problem other than IO. */
const PROBLEM_OF_RESULT: ReadonlyMap<unknown, StorageProblem> = new Map([
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

function problemOf(error: unknown): StorageProblem {
  if (FULL_DISK.has(propertyOf(error, 'code'))) return 'FULL'
  const primary = sqliteResultOf(error)
  if (primary === undefined) return 'IO'
  return (
    PROBLEM_OF_RESULT.get(propertyOf(error, 'errcode')) ?? PROBLEM_OF_RESULT.get(primary) ?? 'IO'
  )
}

/** A failure as a StorageError. Its cause has SQLite's message, which names tables and columns but contains no values. */
export function toStorageError(error: unknown, file: string): StorageError {
  if (error instanceof StorageError) return error
  return new StorageError(problemOf(error), file, { cause: new Error(messageOf(error)) })
}
