import type { DatabaseSync } from 'node:sqlite'
import { TICKET_BYTES, TICKET_PREFIX } from '@public-api/contract/waitlist/ticket'
import {
  countOfGroups,
  PROBE_BYTES,
  type ErasedRegistration,
  type RegistrationGroup,
  type StoredRegistration,
  type WaitlistStore,
} from '../stores/waitlist-store.ts'
import type { StoreStatements } from './store-calls.ts'

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
