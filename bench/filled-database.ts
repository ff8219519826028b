import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { openSqliteConnection } from '../src/storage/sqlite-connection.ts'
import { syncFile } from '../src/storage/sync-folder.ts'

/** All of the index of a million rows, which is written to in no order. */
const FILLING_CACHE_KIB = 262_144

/** Takes away a database with what stands beside it. */
export function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
}

/**
 * Makes a database anew with the product's own migrations, and fills it in transactions, one for each batch. Nothing is
 * waiting to be written to the disk when it resolves.
 */
export async function fillDatabase<Row>(
  file: string,
  batches: AsyncIterable<readonly Row[]>,
  prepareAdd: (database: DatabaseSync) => (row: Row) => unknown,
): Promise<void> {
  removeDatabase(file)
  const database = openSqliteConnection('create', { file })
  try {
    // For the filling alone: who reads or measures opens the file anew.
    database.exec(`PRAGMA synchronous = OFF; PRAGMA cache_size = -${FILLING_CACHE_KIB}`)
    const add = prepareAdd(database)
    for await (const batch of batches) {
      database.exec('BEGIN IMMEDIATE')
      for (const row of batch) add(row)
      database.exec('COMMIT')
    }
  } finally {
    database.close()
  }
  syncFile(file)
}
