const LAST_MS = Number.MAX_SAFE_INTEGER

/**
 * The API keys.
 *
 * Without a rowid, so that a look-up goes down one tree and ends beside the row. `ends_at_ms` is when a key ceased or will
 * cease to be accepted; by its index the active keys are counted, and the old ones found, without a look at any row. It is
 * a column of its own since an index on the expression is not enough to count by, and since a generated column in a table
 * with no rowid stops VACUUM INTO in SQLite 3.40.
 *
 * The first row is no key and never changes: no key id is empty, and every key id comes behind it. It is what a look-up
 * finds where there is no key in front of the one it asks for (see sqlite-api-keys.ts).
 */
export const API_KEYS_MIGRATION = `
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
