import type { DatabaseSync } from 'node:sqlite'

import { WAITLIST_MIGRATION } from './migrations/0001-waitlist.ts'
import { API_KEYS_MIGRATION } from './migrations/0002-api-keys.ts'
import { StorageError } from './storage-error.ts'

/** Marks a file as a database of this service: "SVCW" in ASCII (https://sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x53_56_43_57

/**
 * The steps from an empty file to the current tables, in order; the first creates version 1. A released step is never
 * changed, since databases have applied it.
 */
export const MIGRATIONS: readonly string[] = [WAITLIST_MIGRATION, API_KEYS_MIGRATION]

/** The identity of a database, from its first page. */
export interface DatabaseHeader {
  readonly applicationId: number
  /** The number of the last migration that was applied. */
  readonly userVersion: number
  /** Whether the schema is empty. */
  readonly isEmpty: boolean
}

/** Reads the identity of a database without changing it. */
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

/** Rolls back an open transaction. */
export function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK')
  } catch {
    // The first error is the one to report. SQLite has rolled back by itself after the errors that end here.
  }
}

/**
 * Migrates a database to the current version in one transaction. Of processes that start together, one migrates and the others
 * find it done. Throws a StorageError or SQLite's error, and then nothing was changed.
 */
export function migrate(database: DatabaseSync, file: string): void {
  const before = readHeader(database)
  assertOurs(before, file)
  if (before.userVersion === MIGRATIONS.length) return
  try {
    database.exec('BEGIN IMMEDIATE')
    // Read again under the write lock.
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
