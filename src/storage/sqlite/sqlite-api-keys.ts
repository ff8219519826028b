import type { DatabaseSync } from 'node:sqlite'
import type { ApiKeyCount, ApiKeyStore, StoredApiKey } from '../stores/api-key-store.ts'
import type { StoreStatements } from './store-calls.ts'

const COLUMNS = `key_id AS keyId, key_hash AS keyHash, secret_id AS secretId, label,
  created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs`

export function prepareApiKeys(database: DatabaseSync): StoreStatements<ApiKeyStore> {
  // Equal work for known and unknown keys. The query finds the last row up to the key ID: the key itself, or the row
  // before it. Every lookup thus descends the tree once and reads one full row; only a comparison of two ids
  // distinguishes them. The row with the empty id precedes every key.
  const findLast = database.prepare(
    `SELECT ${COLUMNS} FROM api_keys WHERE key_id <= ? ORDER BY key_id DESC LIMIT 1`,
  )
  const countActive = database.prepare(`
    SELECT count(*) AS active FROM (
      SELECT 1 FROM api_keys WHERE ends_at_ms > ? AND revoked_at_ms IS NULL LIMIT ?
    )`)
  const addKey = database.prepare(`
    INSERT INTO api_keys
      (key_id, key_hash, secret_id, label, created_at_ms, expires_at_ms, revoked_at_ms, ends_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key_id) DO NOTHING`)
  const revokeKey = database.prepare(`
    UPDATE api_keys SET
      revoked_at_ms = ifnull(revoked_at_ms, :now),
      ends_at_ms = min(expires_at_ms, ifnull(revoked_at_ms, :now))
    WHERE key_id = :keyId AND key_id <> ''
    RETURNING revoked_at_ms AS revokedAtMs`)
  const rehashKey = database.prepare(`
    UPDATE api_keys SET secret_id = ?, key_hash = ?
    WHERE key_id = ? AND secret_id = ? AND key_id <> ''`)
  const countAll = database.prepare(`
    SELECT
      count(*) FILTER (WHERE revoked_at_ms IS NULL AND ends_at_ms > :now) AS active,
      count(*) FILTER (WHERE revoked_at_ms IS NULL AND ends_at_ms <= :now) AS expired,
      count(revoked_at_ms) AS revoked
    FROM api_keys INDEXED BY api_keys_by_end WHERE key_id <> ''`)
  const readPage = database.prepare(
    `SELECT ${COLUMNS} FROM api_keys WHERE key_id > ? ORDER BY key_id LIMIT ?`,
  )
  const purgeSome = database.prepare(`
    DELETE FROM api_keys WHERE key_id IN (
      SELECT key_id FROM api_keys WHERE ends_at_ms < ? ORDER BY ends_at_ms LIMIT ?
    )`)

  return {
    find(keyId) {
      // The columns match the interface, and STRICT tables contain no other types.
      const key = findLast.get(keyId) as unknown as StoredApiKey | undefined
      return key?.keyId === keyId && keyId !== '' ? key : undefined
    },

    add(key, maxActive) {
      const { keyId, keyHash, secretId, label, createdAtMs, expiresAtMs, revokedAtMs } = key
      const active = Number(countActive.get(createdAtMs, maxActive)?.active)
      if (active >= maxActive) return 'full'
      const { changes } = addKey.run(
        keyId,
        keyHash,
        secretId,
        label,
        createdAtMs,
        expiresAtMs,
        revokedAtMs,
        Math.min(expiresAtMs, revokedAtMs ?? expiresAtMs),
      )
      return changes === 1 ? 'added' : 'taken'
    },

    revoke(keyId, nowMs) {
      const row = revokeKey.get({ now: nowMs, keyId })
      return row && Number(row.revokedAtMs)
    },

    rehash({ keyId, fromSecretId, secretId, keyHash }) {
      return rehashKey.run(secretId, keyHash, keyId, fromSecretId).changes === 1
    },

    count(nowMs) {
      return countAll.get({ now: nowMs }) as unknown as ApiKeyCount
    },

    readAfter(keyId, limit) {
      return readPage.all(keyId, limit) as unknown as readonly StoredApiKey[]
    },

    purge(beforeMs, limit) {
      return Number(purgeSome.run(beforeMs, limit).changes)
    },
  }
}
