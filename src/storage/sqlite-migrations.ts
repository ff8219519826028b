import type { DatabaseSync } from 'node:sqlite'

import { WAITLIST_MIGRATION } from './migrations/0001-waitlist.ts'
import { API_KEYS_MIGRATION } from './migrations/0002-api-keys.ts'
import { StorageError } from './storage-error.ts'

/** Marks a file as a database of this service: "SVCW" in ASCII (https://sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x53_56_43_57

/**
 * The steps from an empty file to the tables of today, in their order; the first makes version 1. A step that was
 * released is never changed: databases have taken it.
 */
export const MIGRATIONS: readonly string[] = [WAITLIST_MIGRATION, API_KEYS_MIGRATION]

/** What the first page of a database says of itself. */
export interface DatabaseHeader {
  readonly applicationId: number
  /** The number of the last migration that it took. */
  readonly userVersion: number
  /** No table, no index, nothing. */
  readonly isEmpty: boolean
}

/** Reads what a database is, without changing it. */
export function readHeader(database: DatabaseSync): DatabaseHeader {
  const row = database
    .prepare(
      `SELECT application_id AS applicationId, user_version AS userVersion,
         NOT EXISTS (SELECT 1 FROM sqlite_schema) AS isEmpty
       FROM pragma_application_id, pragma_user_version`,
    )
    .get()
  return {
    applicationId: Number(row?.applicationId),
    userVersion: Number(row?.userVersion),
    isEmpty: Number(row?.isEmpty) === 1,
  }
}

/** Throws NOT_A_DATABASE for a database of another program and NEWER for one of a later version of this one. */
export function assertOurs(header: DatabaseHeader, file: string): void {
  const isUnused = header.isEmpty && header.applicationId === 0 && header.userVersion === 0
  if (header.applicationId !== APPLICATION_ID && !isUnused) {
    throw new StorageError('NOT_A_DATABASE', file)
  }
  if (header.userVersion > MIGRATIONS.length) throw new StorageError('NEWER', file)
}

/** Rolls back whatever transaction is open. */
export function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK')
  } catch {
    // What went wrong first is what the caller hears of; SQLite rolls back by itself after the errors that end here.
  }
}

/**
 * Brings a database to the version of today, in one transaction. Of several processes that start at once, one migrates
 * and the others find it done. Throws a StorageError, or what SQLite threw, and then nothing was changed.
 */
export function migrate(database: DatabaseSync, file: string): void {
  const before = readHeader(database)
  assertOurs(before, file)
  if (before.userVersion === MIGRATIONS.length) return
  try {
    database.exec('BEGIN IMMEDIATE')
    // Only now does nobody else write: what was read before may have changed.
    const header = readHeader(database)
    assertOurs(header, file)
    for (const sql of MIGRATIONS.slice(header.userVersion)) database.exec(sql)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
}
