import type { ApiKeyCount, ApiKeyStore, StoredApiKey } from '../stores/api-key-store.ts'
import type { PostgresSession } from './postgres-session.ts'

const COLUMNS = `key_id AS "keyId", key_hash AS "keyHash", secret_id AS "secretId", label,
  created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs", revoked_at_ms AS "revokedAtMs"`

/** The advisory lock under which active keys are counted, so that concurrent additions keep the limit. */
const ADD_LOCK = 0x53_56_43_4b

export function createPostgresApiKeys(session: PostgresSession): ApiKeyStore {
  return {
    // Equal work, as in SQLite: the last row up to the id is read whether the id exists or not.
    async find(keyId) {
      const [key] = await session.query<StoredApiKey>(
        `SELECT ${COLUMNS} FROM svc.api_keys WHERE key_id <= $1 ORDER BY key_id DESC LIMIT 1`,
        // PostgreSQL stores no NUL in a text; an id with one matches no key.
        [keyId.replaceAll('\0', '')],
      )
      return key?.keyId === keyId && keyId !== '' ? key : undefined
    },

    add(key, maxActive) {
      const { keyId, keyHash, secretId, label, createdAtMs, expiresAtMs, revokedAtMs } = key
      return session.transact('durable', async (client) => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [ADD_LOCK])
        const [row] = await client.query<{ readonly active: number }>(
          `SELECT count(*) AS active FROM (
            SELECT 1 FROM svc.api_keys WHERE ends_at_ms > $1 AND revoked_at_ms IS NULL LIMIT $2
          ) AS active_keys`,
          [createdAtMs, maxActive],
        )
        if (Number(row?.active) >= maxActive) return 'full'
        const added = await client.query(
          `INSERT INTO svc.api_keys
            (key_id, key_hash, secret_id, label, created_at_ms, expires_at_ms, revoked_at_ms)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (key_id) DO NOTHING RETURNING key_id`,
          [keyId, keyHash, secretId, label, createdAtMs, expiresAtMs, revokedAtMs],
        )
        return added.length === 1 ? 'added' : 'taken'
      })
    },

    async revoke(keyId, nowMs) {
      const [row] = await session.change<{ readonly revokedAtMs: number }>(
        `UPDATE svc.api_keys SET revoked_at_ms = coalesce(revoked_at_ms, $1)
            WHERE key_id = $2 AND key_id <> '' RETURNING revoked_at_ms AS "revokedAtMs"`,
        [nowMs, keyId],
      )
      return row?.revokedAtMs
    },

    async rehash({ keyId, fromSecretId, secretId, keyHash }) {
      const rows = await session.change(
        `UPDATE svc.api_keys SET secret_id = $1, key_hash = $2
            WHERE key_id = $3 AND secret_id = $4 AND key_id <> '' RETURNING key_id`,
        [secretId, keyHash, keyId, fromSecretId],
      )
      return rows.length === 1
    },

    async count(nowMs) {
      const [row] = await session.query<ApiKeyCount>(
        `SELECT
          count(*) FILTER (WHERE revoked_at_ms IS NULL AND ends_at_ms > $1) AS active,
          count(*) FILTER (WHERE revoked_at_ms IS NULL AND ends_at_ms <= $1) AS expired,
          count(revoked_at_ms) AS revoked
        FROM svc.api_keys WHERE key_id <> ''`,
        [nowMs],
      )
      return row ?? { active: 0, expired: 0, revoked: 0 }
    },

    readAfter(keyId, limit) {
      return session.query<StoredApiKey>(
        `SELECT ${COLUMNS} FROM svc.api_keys WHERE key_id > $1 ORDER BY key_id LIMIT $2`,
        [keyId, limit],
      )
    },

    async purge(beforeMs, limit) {
      const rows = await session.change(
        `DELETE FROM svc.api_keys WHERE key_id IN (
            SELECT key_id FROM svc.api_keys WHERE ends_at_ms < $1 ORDER BY ends_at_ms LIMIT $2
          ) RETURNING key_id`,
        [beforeMs, limit],
      )
      return rows.length
    },
  }
}
