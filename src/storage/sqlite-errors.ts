import { messageOf } from '../contract/error-message.ts'
import { StorageError, type StorageProblem } from './storage-error.ts'

/** The result codes of SQLite that need special handling (https://sqlite.org/rescode.html), without SQLITE_. */
export const SQLITE_RESULTS = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  NOTADB: 26,
  // Extended codes: the lowest byte is the primary one.
  IOERR_WRITE: 778,
  IOERR_SHMSIZE: 4874,
} as const

/** Codes that mean a problem other than IO. An extended code precedes its primary one. */
const PROBLEM_OF_RESULT: ReadonlyMap<number, StorageProblem> = new Map([
  [SQLITE_RESULTS.BUSY, 'LOCKED'],
  [SQLITE_RESULTS.LOCKED, 'LOCKED'],
  [SQLITE_RESULTS.CORRUPT, 'NOT_A_DATABASE'],
  [SQLITE_RESULTS.FULL, 'FULL'],
  // Another process was opening the write-ahead log at the same moment.
  [SQLITE_RESULTS.PROTOCOL, 'LOCKED'],
  [SQLITE_RESULTS.NOTADB, 'NOT_A_DATABASE'],
  // SQLite reports a write beyond a quota or a file-size limit as IOERR and only a full disk as FULL. A broken disk usually
  // shows at a sync.
  [SQLITE_RESULTS.IOERR_WRITE, 'FULL'],
  [SQLITE_RESULTS.IOERR_SHMSIZE, 'FULL'],
])

/** The error codes of a full disk, an exhausted quota and a file that would be too large. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function extendedResultOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

/** The primary result code of an error of node:sqlite; undefined for other errors. */
export function sqliteResultOf(error: unknown): number | undefined {
  const extended = extendedResultOf(error)
  // The lowest byte is the primary code.
  return extended === undefined ? undefined : extended & 0xff
}

function problemOf(error: unknown): StorageProblem {
  if (error instanceof Error && 'code' in error && FULL_DISK.has(error.code)) return 'FULL'
  return (
    PROBLEM_OF_RESULT.get(extendedResultOf(error) ?? 0) ??
    PROBLEM_OF_RESULT.get(sqliteResultOf(error) ?? 0) ??
    'IO'
  )
}

/** A failure as a StorageError. Its cause has SQLite's message, which names tables and columns but contains no values. */
export function toStorageError(error: unknown, file: string): StorageError {
  if (error instanceof StorageError) return error
  return new StorageError(problemOf(error), file, { cause: new Error(messageOf(error)) })
}
