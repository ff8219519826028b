import fs from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

import { assertInUse, openToRead } from './sqlite-connection.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { StorageError } from './storage-error.ts'
import { syncFile, syncFolder } from './sync-folder.ts'

function makeTarget(target: string): void {
  try {
    fs.closeSync(fs.openSync(target, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new StorageError('EXISTS', target)
    throw storageErrorOf(error, target)
  }
}

function copyInto(database: DatabaseSync, target: string): void {
  try {
    // Unlike the backup interface this has not to start anew when the service writes, and it leaves free pages out.
    database.prepare('VACUUM INTO ?').run(target)
    syncFile(target)
    syncFolder(path.dirname(path.resolve(target)))
  } catch (error) {
    fs.rmSync(target, { force: true })
    throw storageErrorOf(error, target)
  }
}

/**
 * Copies a database, of this version or an older one, to a file that must not exist yet; durable and complete when it
 * resolves, mode 0600. The copy is of one moment, is one file without a write-ahead log, and holds nothing of what was
 * erased before. The service may go on writing meanwhile. Rejects with a StorageError (EXISTS: the target was there and is as it was);
 * then no copy is left behind.
 */
export async function copyDatabase(file: string, target: string): Promise<void> {
  try {
    const database = openToRead({ file }, assertInUse)
    try {
      makeTarget(target)
      copyInto(database, target)
    } finally {
      database.close()
    }
  } catch (error) {
    throw storageErrorOf(error, file)
  }
}
