import fs from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import {
  claimName,
  makeFolder,
  partialNameOf,
  removePartialFiles,
  syncFile,
} from '@public-api/client-internal/node/durable-file'
import { StorageError } from '../stores/storage-error.ts'
import {
  checkpointWal,
  openReader,
  openSqliteConnection,
  readSchemaVersion,
  toStorageError,
} from './sqlite-connection.ts'
import { inTransaction } from './sqlite-migrations.ts'

/** Throws unless this is a database of the service whose every page, index and reference is intact. */
function assertIntact(database: DatabaseSync, file: string): void {
  readSchemaVersion(database, file)
  const [row] = database.prepare('PRAGMA integrity_check(1)').all()
  const orphans = database.prepare('PRAGMA foreign_key_check').all()
  if (row?.['integrity_check'] !== 'ok') {
    throw new StorageError('DAMAGED', file, { detail: String(row?.['integrity_check']) })
  }
  if (orphans.length > 0) {
    throw new StorageError('DAMAGED', file, { detail: 'a row refers to a missing one' })
  }
}

/** Checks every page, index and reference of a database, also while the service uses it. Throws a StorageError. */
export function checkDatabase(file: string): void {
  openIntact(file).close()
}

function openIntact(file: string): DatabaseSync {
  try {
    return openReader({ file }, assertIntact)
  } catch (error) {
    throw toStorageError(error, file)
  }
}

/** Copies a database to a new partial file with mode 0600, and checks it. Throws what fails. */
function writePartial(database: DatabaseSync, partial: string): void {
  removePartialFiles(path.dirname(path.resolve(partial)))
  fs.closeSync(fs.openSync(partial, 'wx', 0o600))
  // Unlike the backup API, this does not restart when the service writes, and it leaves free pages out.
  database.prepare('VACUUM INTO ?').run(partial)
  syncFile(partial)
  openIntact(partial).close()
}

function removePartial(partial: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) {
    fs.rmSync(`${partial}${suffix}`, { force: true })
  }
}

/** Copies a database to a new file with mode 0600. The file is complete or does not exist. Throws a StorageError. */
function copyInto(database: DatabaseSync, target: string): void {
  const partial = partialNameOf(target)
  try {
    if (fs.existsSync(target)) throw new StorageError('EXISTS', target)
    writePartial(database, partial)
    claimName(partial, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new StorageError('EXISTS', target)
    throw toStorageError(error, target)
  } finally {
    removePartial(partial)
  }
}

/**
 * Copies a database of the current version or an older one to a new file with mode 0600, verified and durable when this
 * resolves. The copy is a consistent snapshot in one file without a write-ahead log, and contains no erased data. The
 * service may write at the same time. Rejects with a StorageError and then leaves no copy behind (EXISTS: the target
 * existed and was not changed).
 */
export async function backUpDatabase(file: string, target: string): Promise<void> {
  try {
    // A copy of a damaged database may look intact.
    using database = openReader({ file }, assertIntact)
    copyInto(database, target)
  } catch (error) {
    throw toStorageError(error, file)
  }
}

/** Replaces the rows of every table in one transaction. Both databases have the current version. */
function replaceContent(database: DatabaseSync, from: string): void {
  database.prepare('ATTACH ? AS restored').run(from)
  // The backup is consistent, and SQLite's bulk transfer between tables does not update deferred constraints.
  inTransaction(database, 'PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE', () => {
    const tables = database
      .prepare(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
      )
      .all()
      .map(({ name }) => String(name))
    for (const table of tables) {
      database.exec(
        `DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM restored.${table}`,
      )
    }
    // Keeps the highest value of the position counter, because positions are never reused.
  })
  database.exec('DETACH restored')
}

/**
 * Replaces the content of a database with that of a backup in one transaction. A running service waits for it and continues
 * with the restored content. Rejects with a StorageError, and then the database is unchanged: EXISTS without `force`, LOCKED
 * if another process keeps writing, NEWER or NOT_A_DATABASE for an unsuitable backup.
 */
export async function restoreDatabase(
  from: string,
  file: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  using source = openIntact(from)
  try {
    const exists = fs.existsSync(file)
    if (exists && !force) throw new StorageError('EXISTS', file)
    if (!exists) {
      makeFolder(path.dirname(file), 0o700)
      copyInto(source, file)
      return
    }
    using database = openSqliteConnection('create', { file })
    const copy = partialNameOf(file)
    try {
      writePartial(source, copy)
      openSqliteConnection('read-write', { file: copy }).close()
      replaceContent(database, copy)
      // Removes the replaced content from the write-ahead log.
      checkpointWal(database, true)
    } finally {
      removePartial(copy)
    }
  } catch (error) {
    const failure = toStorageError(error, file)
    const { code } = failure
    // Not replaced: a running service would keep using the deleted file.
    if (code !== 'NEWER' && code !== 'NOT_A_DATABASE') throw failure
    const detail = 'stop the service, move the file away with its -wal and -shm, and run this again'
    throw new StorageError(code, file, { detail, cause: failure })
  }
}
