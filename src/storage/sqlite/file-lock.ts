import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { SQLITE_RESULTS, sqliteResultOf } from './sqlite-errors.ts'

const RETRY_MS = 50

/**
 * Runs work while no other process, and no other call in this one, runs work under the same lock file. The file is an
 * empty database of SQLite, whose lock the system releases when a process ends in any way. Throws the error of SQLite
 * if the file cannot be opened, or if the lock is not free within `waitMs`.
 */
export async function withFileLock<Result>(
  file: string,
  waitMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const database = new DatabaseSync(file)
  try {
    const deadlineMs = performance.now() + waitMs
    for (;;) {
      try {
        database.exec('BEGIN EXCLUSIVE')
        break
      } catch (error) {
        const isBusy = sqliteResultOf(error) === SQLITE_RESULTS.BUSY
        if (!isBusy || performance.now() >= deadlineMs) throw error
        await delay(RETRY_MS)
      }
    }
    return await work()
  } finally {
    database.close()
  }
}
