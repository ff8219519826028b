import fs from 'node:fs'
import type { TestContext } from 'node:test'
import type { SqliteOptions } from '../../../src/storage/sqlite/sqlite-connection.ts'
import { openSqliteInThread, openSqliteServer } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../src/storage/stores/storage.ts'

/** One of the forms in which the store comes, and how to open it. */
export interface SqliteForm {
  readonly name: string
  /** Opens a store that is closed after the test. */
  open(t: TestContext, options: SqliteOptions): Promise<Storage>
}

function closing(t: TestContext, storage: Storage): Storage {
  t.after(() => storage.close())
  return storage
}

/** The server's form and the command line's. */
export const SQLITE_FORMS: readonly SqliteForm[] = [
  {
    name: 'SQLite in a thread',
    open: async (t, options) => closing(t, await openSqliteServer(options)),
  },
  {
    name: 'SQLite in this thread',
    open: async (t, options) =>
      closing(t, await openSqliteInThread({ ...options, mode: 'create' })),
  },
]

/** The files of a database that are there: itself, its WAL, the WAL's index. */
export function filesOf(file: string): readonly string[] {
  return [file, `${file}-wal`, `${file}-shm`].filter((each) => fs.existsSync(each))
}

export function removeFiles(file: string): void {
  for (const each of filesOf(file)) fs.rmSync(each)
}
