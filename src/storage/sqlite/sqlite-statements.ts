import type { DatabaseSync } from 'node:sqlite'
import { TICKET_BYTES, TICKET_PREFIX } from '@public-api/contract/waitlist/ticket'
import type { ApiKeyCount, ApiKeyStore, StoredApiKey } from '../stores/api-key-store.ts'
import {
  countOfGroups,
  type ErasedRegistration,
  PROBE_BYTES,
  type RegistrationGroup,
  type StoredRegistration,
  type WaitlistStore,
} from '../stores/waitlist-store.ts'

/** The methods of a store as they run inside a transaction. */
export type StoreStatements<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never
}

/** The number of decoys: a power of two, small enough for an index with two leaves. */
const DECOY_SLOTS = 128

/**
 * Equal work for new and repeated addresses. A new row writes the last page of `registrations`, a page of its unique
 * index, the page of `sqlite_sequence`, and sometimes the pages of a growing table. A refused INSERT also writes
 * `sqlite_sequence`, because it uses up a position. A decoy adds a page of a table with the same columns and one or two
 * pages of its index. It contains random bytes of the same lengths.
 */
const ADD_DECOY = `
  INSERT INTO decoys (slot, address_hash, ticket, recipient_id, registered_at_ms, sealed)
  VALUES (
    random() & ${DECOY_SLOTS - 1}, randomblob(32), '${TICKET_PREFIX}' || hex(randomblob(${TICKET_BYTES})), ?,
    random() & 0xffffffffff, randomblob(?)
  )
  ON CONFLICT (slot) DO UPDATE SET
    address_hash = excluded.address_hash,
    ticket = excluded.ticket,
    recipient_id = excluded.recipient_id,
    registered_at_ms = excluded.registered_at_ms,
    sealed = excluded.sealed`

export function prepareWaitlist(database: DatabaseSync): StoreStatements<WaitlistStore> {
  const findRecipient = database.prepare('SELECT id FROM recipients WHERE recipient = ?')
  const addRecipient = database.prepare(
    'INSERT INTO recipients (recipient) VALUES (?) RETURNING id',
  )
  const addRegistration = database.prepare(`
    INSERT INTO registrations (address_hash, ticket, recipient_id, registered_at_ms, sealed)
    VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (address_hash) DO NOTHING`)
  const addDecoy = database.prepare(ADD_DECOY)
  const countAll = database.prepare(`
    SELECT recipient, count(*) AS count, min(registered_at_ms) AS first, max(registered_at_ms) AS last
    FROM registrations JOIN recipients ON recipients.id = recipient_id
    GROUP BY recipient_id ORDER BY count DESC, recipient`)
  const select = `
    SELECT position, address_hash AS addressHash, ticket, recipient,
      registered_at_ms AS registeredAtMs, sealed
    FROM registrations JOIN recipients ON recipients.id = recipient_id`
  const readPage = database.prepare(`${select} WHERE position > ? ORDER BY position LIMIT ?`)
  const findOne = database.prepare(`${select} WHERE address_hash = ?`)
  const eraseOne = database.prepare(`
    DELETE FROM registrations WHERE address_hash = ?
    RETURNING ticket, registered_at_ms AS registeredAtMs`)
  const expireSome = database.prepare(`
    DELETE FROM registrations WHERE position IN (
      SELECT position FROM registrations WHERE registered_at_ms < ? ORDER BY position LIMIT ?
    )`)
  const resealOne = database.prepare(`
    UPDATE registrations SET recipient_id = ?, sealed = ? WHERE position = ? AND recipient_id = ?`)

  function recipientId(recipient: string): number {
    return Number((findRecipient.get(recipient) ?? addRecipient.get(recipient))?.id)
  }

  return {
    testWrite() {
      addDecoy.run(recipientId(''), PROBE_BYTES)
    },

    add({ addressHash, ticket, recipient, registeredAtMs, sealed }) {
      const id = recipientId(recipient)
      const { changes } = addRegistration.run(addressHash, ticket, id, registeredAtMs, sealed)
      if (changes === 1) return 'added'
      addDecoy.run(id, sealed.length)
      return 'duplicate'
    },

    count() {
      return countOfGroups(countAll.all() as unknown as readonly RegistrationGroup[])
    },

    readAfter(position, limit) {
      // The columns match the interface, and STRICT tables contain no other types.
      return readPage.all(position, limit) as unknown as readonly StoredRegistration[]
    },

    find(addressHash) {
      return findOne.get(addressHash) as unknown as StoredRegistration | undefined
    },

    erase(addressHash) {
      return eraseOne.get(addressHash) as unknown as ErasedRegistration | undefined
    },

    expire(beforeMs, limit) {
      return Number(expireSome.run(beforeMs, limit).changes)
    },

    reseal(seals) {
      let resealed = 0
      for (const { position, fromRecipient, recipient, sealed } of seals) {
        const from = findRecipient.get(fromRecipient)
        if (from === undefined) continue
        const { changes } = resealOne.run(recipientId(recipient), sealed, position, Number(from.id))
        resealed += Number(changes)
      }
      return resealed
    },
  }
}

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
