import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { withDatabase } from '../../src/cli/database.ts'
import { openSqlite } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/stores/storage.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A folder of the service: a database, with secrets next to it. */
export interface ServiceFolder {
  readonly folder: string
  readonly database: string
  readonly secretsDir: string
}

/** Makes a folder with these secrets, a line in each file. The database is not made yet. */
export function makeServiceFolder(
  t: TestContext,
  secrets: { readonly [file: string]: string },
): ServiceFolder {
  const folder = temporaryFolder(t)
  const secretsDir = path.join(folder, 'secrets')
  mkdirSync(secretsDir, { mode: 0o700 })
  for (const [file, text] of Object.entries(secrets)) {
    writeFileSync(path.join(secretsDir, file), `${text}\n`, { mode: 0o600 })
  }
  return { folder, database: path.join(folder, 'data', 'service.sqlite'), secretsDir }
}

/** Adds rows to a database, which is created if missing. Concurrent additions share one sync of the disk. */
export async function fillDatabase(
  database: string,
  fill: (storage: Storage) => readonly Promise<unknown>[],
): Promise<void> {
  const storage = await openSqlite('create', { file: database })
  await Promise.all(fill(storage))
  await storage.close()
}

/** Asks a database something. */
export function askDatabase<Result>(
  database: string,
  question: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  return withDatabase({ kind: 'sqlite', file: database }, 'read-only', question)
}
