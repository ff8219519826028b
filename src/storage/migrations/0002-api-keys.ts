const LAST_MS = Number.MAX_SAFE_INTEGER

/**
 * The API keys.
 *
 * Without a rowid, so that a look-up descends one tree. `ends_at_ms` is the end of a key's validity; its index counts active
 * keys and finds old ones without reading rows. It is a column because an index on the expression is not enough to count by,
 * and because a generated column in a table without a rowid breaks VACUUM INTO in SQLite 3.40.
 *
 * The first row is not a key and never changes. Its empty id precedes every key id, so a look-up always finds a row (see
 * sqlite-api-keys.ts).
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
