import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { SqliteOptions } from '../../../src/storage/sqlite/sqlite-connection.ts'
import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage, StorageMode } from '../../../src/storage/stores/storage.ts'

/** Opens a store that is closed after the test. */
export async function openStore(
  t: TestContext,
  options: SqliteOptions,
  mode: StorageMode = 'create',
): Promise<Storage> {
  const storage = await openSqlite(mode, options)
  t.after(() => storage.close())
  return storage
}

/** Runs statements on a database, as another program would. */
export function execSql(file: string, sql: string): void {
  using database = new DatabaseSync(file)
  database.exec(sql)
}

/** Takes the write lock, as another program might, and returns what gives it back. */
export function holdLock(t: TestContext, file: string): () => void {
  const holder = new DatabaseSync(file, { timeout: 5000 })
  holder.exec('BEGIN IMMEDIATE')
  const release = (): void => {
    if (holder.isOpen) holder.close()
  }
  t.after(release)
  return release
}

/** The files of a database that are there: itself, its WAL, the WAL's index. */
export function filesOf(file: string): readonly string[] {
  return [file, `${file}-wal`, `${file}-shm`].filter((each) => fs.existsSync(each))
}

export function removeFiles(file: string): void {
  for (const each of filesOf(file)) fs.rmSync(each)
}
