import { messageOf } from '../contract/error-message.ts'
import { StorageError, type StorageProblem } from './storage-error.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html), without SQLITE_. */
export const SQLITE_RESULTS = { BUSY: 5, READONLY: 8, CANTOPEN: 14 } as const

/** Result codes that mean a problem other than IO. */
const PROBLEM_OF_RESULT: ReadonlyMap<number | undefined, StorageProblem> = new Map([
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
  const codes = [extendedResultOf(error), sqliteResultOf(error)]
  return codes.map((code) => PROBLEM_OF_RESULT.get(code)).find(Boolean) ?? 'IO'
}

/** A failure as a StorageError. Its cause has SQLite's message, which names tables and columns but contains no values. */
export function toStorageError(error: unknown, file: string): StorageError {
  if (error instanceof StorageError) return error
  return new StorageError(problemOf(error), file, { cause: new Error(messageOf(error)) })
}
