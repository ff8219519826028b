import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { giveTo } from './durable-file.ts'

const RETRY_MS = 50
/** SQLITE_BUSY, the lowest byte of an error code (https://sqlite.org/rescode.html). */
const BUSY = 5

/** Another process has the lock. The message names the file. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
}

/** Something else is in the place of the lock's file, or this Node cannot lock files. The message names it. */
export class LockFileError extends Error {
  override readonly name = 'LockFileError'
}

/** Creates the file if it is missing, with owner and rights of its folder: several users may take turns. Refuses a link. */
function prepare(file: string): void {
  const folder = fs.statSync(path.dirname(path.resolve(file)))
  try {
    const handle = fs.openSync(file, 'wx', folder.mode & 0o666)
    try {
      giveTo(handle, folder)
      // The umask may have removed permissions of the group.
      fs.fchmodSync(handle, folder.mode & 0o666)
    } finally {
      fs.closeSync(handle)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!fs.lstatSync(file).isFile())
      throw new LockFileError(`${file}: expected a regular file`, { cause: error })
  }
}

/** Loaded when a lock is taken, because Node 20 and early releases of Node 22 lack it. */
function loadSqlite() {
  const { emitWarning } = process
  // Node 22 warns that its SQLite is experimental, in the middle of a command's messages.
  process.emitWarning = () => {}
  try {
    const sqlite = process.getBuiltinModule?.('node:sqlite')
    if (sqlite !== undefined) return sqlite
  } finally {
    process.emitWarning = emitWarning
  }
  throw new LockFileError(
    `expected Node 22.13 or newer, which can lock a file; found ${process.version}`,
  )
}

/**
 * Runs work while no other process, and no other call in this one, runs work under the same lock file. The file is an
 * empty database of SQLite, whose lock the system releases when a process ends in any way, and not before: a process
 * that is suspended keeps it. The file stays, because removing it would let two processes lock two files of one name.
 * Rejects with a LockedError if the lock is not free within `waitMs`, with a LockFileError if the file, or this Node, has
 * no such lock, and otherwise with the error of the system or of `work`.
 */
export async function withFileLock<Result>(
  file: string,
  waitMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const { DatabaseSync } = loadSqlite()
  prepare(file)
  const database = new DatabaseSync(file)
  try {
    const deadlineMs = performance.now() + waitMs
    for (;;) {
      try {
        // Nothing is written: a process that is killed must leave no journal in a folder that is uploaded.
        database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
        break
      } catch (error) {
        if (((error as { readonly errcode?: number }).errcode ?? 0) % 256 !== BUSY) {
          throw new LockFileError(`${file}: ${(error as Error).message}`, { cause: error })
        }
        if (performance.now() >= deadlineMs) {
          throw new LockedError(`another process has held ${file} for ${waitMs / 1000} seconds`)
        }
        await delay(RETRY_MS)
      }
    }
    return await work()
  } finally {
    database.close()
  }
}
