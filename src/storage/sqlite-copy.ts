import fs from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

import { assertInUse, openReader } from './sqlite-connection.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { StorageError } from './storage-error.ts'
import { syncFile, syncFolder } from './sync-folder.ts'

function createTarget(target: string): void {
  try {
    fs.closeSync(fs.openSync(target, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new StorageError('EXISTS', target)
    throw storageErrorOf(error, target)
  }
}

function copyInto(database: DatabaseSync, target: string): void {
  try {
    // Unlike the backup API, this does not restart when the service writes, and it leaves free pages out.
    database.prepare('VACUUM INTO ?').run(target)
    syncFile(target)
    syncFolder(path.dirname(path.resolve(target)))
  } catch (error) {
    fs.rmSync(target, { force: true })
    throw storageErrorOf(error, target)
  }
}

/**
 * Copies a database of the current version or an older one to a new file with mode 0600, durable and complete when this
 * resolves. The copy is of one moment, is one file without a write-ahead log, and contains nothing that was erased before.
 * The service may write meanwhile. Rejects with a StorageError and then leaves no copy behind (EXISTS: the target existed
 * and was not changed).
 */
export async function copyDatabase(file: string, target: string): Promise<void> {
  try {
    const database = openReader({ file }, assertInUse)
    try {
      createTarget(target)
      copyInto(database, target)
    } finally {
      database.close()
    }
  } catch (error) {
    throw storageErrorOf(error, file)
  }
}
