import { StorageError } from '../stores/storage-error.ts'
import type { PostgresSession, Queryable } from './postgres-session.ts'

/**
 * The steps from an empty database to the current tables, in order. A released step is never changed. Names are qualified,
 * so that no search_path is needed, and byte order (COLLATE "C") makes ids sort as they do in SQLite.
 *
 * `decoys` has the columns of `registrations` and contains random bytes; a repeated address writes there.
 */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  `CREATE TABLE svc.registrations (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    address_hash bytea NOT NULL UNIQUE CHECK (length(address_hash) = 32),
    ticket text NOT NULL,
    recipient text NOT NULL,
    registered_at_ms bigint NOT NULL,
    sealed bytea NOT NULL
  );
  CREATE TABLE svc.decoys (
    slot integer PRIMARY KEY,
    address_hash bytea NOT NULL UNIQUE CHECK (length(address_hash) = 32),
    ticket text NOT NULL,
    recipient text NOT NULL,
    registered_at_ms bigint NOT NULL,
    sealed bytea NOT NULL
  );
  CREATE TABLE svc.api_keys (
    key_id text COLLATE "C" PRIMARY KEY CHECK (key_id = '' OR key_id ~ '^[0-9a-f]{16}$'),
    key_hash bytea NOT NULL CHECK (length(key_hash) = 32),
    secret_id text NOT NULL,
    label text,
    created_at_ms bigint NOT NULL,
    expires_at_ms bigint NOT NULL,
    revoked_at_ms bigint,
    ends_at_ms bigint NOT NULL GENERATED ALWAYS AS (
      least(expires_at_ms, coalesce(revoked_at_ms, expires_at_ms))
    ) STORED
  );
  CREATE INDEX api_keys_by_end ON svc.api_keys (ends_at_ms, revoked_at_ms);
  INSERT INTO svc.api_keys (key_id, key_hash, secret_id, created_at_ms, expires_at_ms, revoked_at_ms)
  VALUES ('', decode(repeat('00', 32), 'hex'), '----------------', 0, ${Number.MAX_SAFE_INTEGER}, ${Number.MAX_SAFE_INTEGER});
  CREATE TABLE svc.windows (
    key text COLLATE "C" PRIMARY KEY,
    used integer NOT NULL,
    ends_at_ms bigint NOT NULL
  );
  CREATE INDEX windows_by_end ON svc.windows (ends_at_ms);
  CREATE TABLE svc.spent (
    id text COLLATE "C" PRIMARY KEY,
    until_ms bigint NOT NULL
  );
  CREATE INDEX spent_by_end ON svc.spent (until_ms);
  CREATE TABLE svc.secrets (
    name text PRIMARY KEY,
    bytes bytea NOT NULL,
    until_ms bigint NOT NULL
  );`,
]

/** "SVCW" in ASCII, as the application id of an SQLite database: the advisory lock of migrations. */
const MIGRATION_LOCK = 0x53_56_43_57
/** 15.0 in the server's own numbering. */
const MIN_SERVER_VERSION = 150_000

/**
 * The number of the last migration; undefined without the service's tables. Rejects with SERVER_TOO_OLD, or with NEWER for a
 * database of a later version of this software.
 */
async function readVersion(client: Queryable, where: string): Promise<number | undefined> {
  const [server] = await client.query<{ readonly version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  )
  if (Number(server?.version) < MIN_SERVER_VERSION) throw new StorageError('SERVER_TOO_OLD', where)
  // Reads the catalogs, because to_regclass uses a cache that may not show what another node has just committed.
  const found = await client.query(`
    SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = 'svc' AND relname = 'schema_version'`)
  if (found.length === 0) return undefined
  const [row] = await client.query<{ readonly version: number }>(
    'SELECT version FROM svc.schema_version',
  )
  const version = row?.version ?? 0
  if (version > POSTGRES_MIGRATIONS.length) throw new StorageError('NEWER', where)
  return version
}

/**
 * Brings a database to the current version, in one transaction under an advisory lock: of several nodes that start together,
 * one migrates and the others find it done. Rejects with a StorageError, and then nothing was changed.
 */
export async function migratePostgres(session: PostgresSession, where: string): Promise<void> {
  if ((await readVersion(session, where)) === POSTGRES_MIGRATIONS.length) return
  await session.transact('durable', async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    const version = await readVersion(client, where)
    if (version === undefined) {
      // Creates it only if it is missing, so that a role without CREATE on the database can use an existing schema.
      const schemas = await client.query(
        "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'svc'",
      )
      if (schemas.length === 0) await client.query('CREATE SCHEMA svc')
      await client.query('CREATE TABLE svc.schema_version (version integer NOT NULL)')
      await client.query('INSERT INTO svc.schema_version VALUES (0)')
    }
    for (const sql of POSTGRES_MIGRATIONS.slice(version ?? 0)) await client.query(sql)
    await client.query('UPDATE svc.schema_version SET version = $1', [POSTGRES_MIGRATIONS.length])
  })
}

/** Checks a database without changing it. Rejects with MISSING, OLDER, NEWER or SERVER_TOO_OLD. */
export async function assertMigrated(session: PostgresSession, where: string): Promise<void> {
  const version = await readVersion(session, where)
  if (version === undefined) throw new StorageError('MISSING', where)
  if (version < POSTGRES_MIGRATIONS.length) throw new StorageError('OLDER', where)
}
