import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../stores/storage-error.ts'

/** Marks a file as a database of this service: "SVCW" in ASCII (https://sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x53_56_43_57

/**
 * The waitlist.
 *
 * `registrations` is the list. With AUTOINCREMENT a position is never reused, not even after an erasure. The short columns
 * precede the long one, so that counting does not read overflow pages.
 *
 * `decoys` has the same columns and contains random bytes: a repeated address is written here (see store-steps.ts). A
 * change of one table applies to the other.
 */
const WAITLIST_MIGRATION = `
  CREATE TABLE recipients (
    id INTEGER PRIMARY KEY,
    recipient TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE registrations (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    address_hash BLOB NOT NULL UNIQUE CHECK (length(address_hash) = 32),
    ticket TEXT NOT NULL,
    recipient_id INTEGER NOT NULL REFERENCES recipients (id),
    registered_at_ms INTEGER NOT NULL,
    sealed BLOB NOT NULL
  ) STRICT;

  CREATE TABLE decoys (
    slot INTEGER PRIMARY KEY,
    address_hash BLOB NOT NULL UNIQUE CHECK (length(address_hash) = 32),
    ticket TEXT NOT NULL,
    recipient_id INTEGER NOT NULL REFERENCES recipients (id),
    registered_at_ms INTEGER NOT NULL,
    sealed BLOB NOT NULL
  ) STRICT;
`

const LAST_MS = Number.MAX_SAFE_INTEGER

/**
 * The API keys.
 *
 * Without a rowid, so that a lookup descends one tree. `ends_at_ms` is the end of a key's validity; its index counts active
 * keys and finds old ones without reading rows. An index on the expression would not cover the count, and a generated
 * column in a table without a rowid breaks VACUUM INTO in SQLite 3.40.
 *
 * The first row is not a key and never changes. Its empty id precedes every key ID, so a lookup always finds a row (see
 * store-steps.ts).
 */
const API_KEYS_MIGRATION = `
  CREATE TABLE api_keys (
    key_id TEXT PRIMARY KEY
      CHECK (key_id = '' OR (length(key_id) = 16 AND key_id NOT GLOB '*[^0-9a-f]*')),
    key_hash BLOB NOT NULL CHECK (length(key_hash) = 32),
    secret_id TEXT NOT NULL,
    label TEXT,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    revoked_at_ms INTEGER,
    ends_at_ms INTEGER NOT NULL
      CHECK (ends_at_ms = min(expires_at_ms, ifnull(revoked_at_ms, expires_at_ms)))
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX api_keys_by_end ON api_keys (ends_at_ms, revoked_at_ms);

  INSERT INTO api_keys (
    key_id, key_hash, secret_id, label, created_at_ms, expires_at_ms, revoked_at_ms, ends_at_ms
  )
  VALUES (
    '', zeroblob(32), '----------------', NULL,
    ${LAST_MS}, ${LAST_MS}, ${LAST_MS}, ${LAST_MS}
  );
`

/**
 * The steps from an empty file to the current tables, in order; the first creates version 1. A released step is never
 * changed, since databases have applied it.
 */
export const MIGRATIONS: readonly string[] = [WAITLIST_MIGRATION, API_KEYS_MIGRATION]

/**
 * Reads whether a database has tables and the number of its last migration, without changing it. Throws NOT_A_DATABASE for
 * a database of another program and NEWER for one of a later version of this one.
 */
export function readHeader(database: DatabaseSync, file: string) {
  const row = database
    .prepare(
      `SELECT application_id AS applicationId, user_version AS userVersion,
         NOT EXISTS (SELECT 1 FROM sqlite_schema) AS isEmpty
       FROM pragma_application_id, pragma_user_version`,
    )
    .get()
  const userVersion = Number(row?.userVersion)
  const isEmpty = row?.isEmpty === 1
  const isUnused = isEmpty && row.applicationId === 0 && userVersion === 0
  if (row?.applicationId !== APPLICATION_ID && !isUnused) {
    throw new StorageError('NOT_A_DATABASE', file)
  }
  if (userVersion > MIGRATIONS.length) throw new StorageError('NEWER', file)
  return { isEmpty, userVersion }
}

/** Runs `work` between `begin` and COMMIT. Rolls back and rethrows if one of them throws. */
export function inTransaction<Result>(
  database: DatabaseSync,
  begin: string,
  work: () => Result,
): Result {
  try {
    database.exec(begin)
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
    } catch {
      // The first error is thrown. SQLite has already rolled back after errors that make ROLLBACK fail.
    }
    throw error
  }
}

/**
 * Migrates a database to the current version in one transaction. Of processes that start together, one migrates and the others
 * find it done. Throws a StorageError or SQLite's error, and then nothing was changed.
 */
export function migrate(database: DatabaseSync, file: string): void {
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    // Read under the write lock.
    const { userVersion } = readHeader(database, file)
    for (const sql of MIGRATIONS.slice(userVersion)) database.exec(sql)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  })
}
