import { messageOf } from '../contract/error-message.ts'
import { StorageError, type StorageProblem } from './storage.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) that mean something else than IO. */
const PROBLEM_OF_RESULT: ReadonlyMap<number, StorageProblem> = new Map([
  [5, 'LOCKED'], // BUSY
  [6, 'LOCKED'], // LOCKED
  [11, 'NOT_A_DATABASE'], // CORRUPT
  [13, 'FULL'], // FULL
  [15, 'LOCKED'], // PROTOCOL: another process was opening the log at the same moment
  [26, 'NOT_A_DATABASE'], // NOTADB
])

/** What the system calls a full disk. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The primary result code of an error of node:sqlite; undefined for anything else that was thrown. */
export function sqliteResultOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  // What stands above the lowest byte says more about the same result.
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}

/**
 * What a failure means to the caller. A message of SQLite names tables and columns, never what is in them, so it may
 * travel along as the cause.
 */
export function storageErrorOf(error: unknown, file: string): StorageError {
  if (error instanceof StorageError) return error
  const isFull = error instanceof Error && 'code' in error && FULL_DISK.has(error.code)
  const code = isFull ? 'FULL' : (PROBLEM_OF_RESULT.get(sqliteResultOf(error) ?? 0) ?? 'IO')
  return new StorageError(code, file, { cause: new Error(messageOf(error)) })
}
