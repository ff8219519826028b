import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { DEFAULT_BUSY_TIMEOUT_MS } from './sqlite-connection.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { assertOurs, readHeader } from './sqlite-migrations.ts'
import { StorageError } from './storage.ts'

function makeTarget(target: string): void {
  try {
    fs.closeSync(fs.openSync(target, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new StorageError('EXISTS', target)
    throw storageErrorOf(error, target)
  }
}

function sync(file: string): void {
  const handle = fs.openSync(file, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

/**
 * Copies a database, of this version or an older one, to a file that must not exist yet; durable and complete when it
 * resolves, mode 0600. The copy is of one moment, is one file without a log, and holds nothing of what was erased before.
 * The service may go on writing meanwhile. Rejects with a StorageError (EXISTS: the target was there and is as it was);
 * then no copy is left behind.
 */
export async function copyDatabase(file: string, target: string): Promise<void> {
  if (!fs.existsSync(file)) throw new StorageError('MISSING', file)
  makeTarget(target)
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: DEFAULT_BUSY_TIMEOUT_MS })
    try {
      const header = readHeader(database)
      if (header.isEmpty) throw new StorageError('MISSING', file)
      assertOurs(header, file)
      // Unlike the backup interface this needs no second start when the service writes, and leaves free pages behind.
      database.prepare('VACUUM INTO ?').run(target)
    } finally {
      database.close()
    }
    sync(target)
    sync(path.dirname(path.resolve(target)))
  } catch (error) {
    fs.rmSync(target, { force: true })
    throw storageErrorOf(error, file)
  }
}
