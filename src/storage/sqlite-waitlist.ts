import type { DatabaseSync } from 'node:sqlite'

import { TICKET_BYTES, TICKET_PREFIX } from '../contract/ticket.ts'
import type { ListedRegistration, StoredRegistration, WaitlistStore } from './waitlist-store.ts'

/** The waitlist's calls as they run inside a transaction. */
export type WaitlistStatements = {
  readonly [Name in keyof WaitlistStore]: (
    ...args: Parameters<WaitlistStore[Name]>
  ) => Awaited<ReturnType<WaitlistStore[Name]>>
}

/** How many decoys there are: a power of two, and so few that their index has two leaves. */
const DECOY_SLOTS = 128

/**
 * Equal work. What a new row writes: the last page of `registrations`, a page of its unique index, the page of
 * `sqlite_sequence`, and every few rows the pages that take part when a page is added. A refused INSERT writes
 * `sqlite_sequence` as well (it draws a position and loses it, hence the gaps in the positions), and a decoy adds the
 * others: a page of a table of the same shape, a page of its index, and in about half the cases a second one, since one
 * hash goes and another comes; that stands for the pages a growing list adds. The bytes of a decoy are random ones of
 * SQLite's own, in the lengths that were sent.
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

/** Prepares the waitlist's statements on one connection. */
export function prepareWaitlist(database: DatabaseSync): WaitlistStatements {
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
  const readPage = database.prepare(`
    SELECT position, address_hash AS addressHash, ticket, recipient,
      registered_at_ms AS registeredAtMs, sealed
    FROM registrations JOIN recipients ON recipients.id = recipient_id
    WHERE position > ? ORDER BY position LIMIT ?`)
  const findOne = database.prepare(`
    SELECT ticket, registered_at_ms AS registeredAtMs FROM registrations WHERE address_hash = ?`)
  const eraseOne = database.prepare(`
    DELETE FROM registrations WHERE address_hash = ?
    RETURNING ticket, registered_at_ms AS registeredAtMs`)
  const resealOne = database.prepare(`
    UPDATE registrations SET recipient_id = ?, sealed = ? WHERE position = ? AND recipient_id = ?`)

  function recipientId(recipient: string): number {
    return Number((findRecipient.get(recipient) ?? addRecipient.get(recipient))?.id)
  }

  return {
    add({ addressHash, ticket, recipient, registeredAtMs, sealed }) {
      const id = recipientId(recipient)
      const { changes } = addRegistration.run(addressHash, ticket, id, registeredAtMs, sealed)
      if (changes === 1) return 'added'
      addDecoy.run(id, sealed.length)
      return 'duplicate'
    },

    count() {
      const groups = countAll.all().map((row) => ({
        recipient: String(row.recipient),
        count: Number(row.count),
        first: Number(row.first),
        last: Number(row.last),
      }))
      const isEmpty = groups.length === 0
      return {
        total: groups.reduce((sum, { count }) => sum + count, 0),
        firstRegisteredAtMs: isEmpty ? undefined : Math.min(...groups.map(({ first }) => first)),
        lastRegisteredAtMs: isEmpty ? undefined : Math.max(...groups.map(({ last }) => last)),
        byRecipient: groups.map(({ recipient, count }) => ({ recipient, count })),
      }
    },

    readAfter(position, limit) {
      // The columns are those of the interface, and STRICT tables hold no other types.
      const rows = readPage.all(position, limit) as unknown as readonly StoredRegistration[]
      // Rows come without a prototype.
      return rows.map((row) => ({ ...row }))
    },

    find(addressHash) {
      const row = findOne.get(addressHash) as unknown as ListedRegistration | undefined
      return row && { ...row }
    },

    erase(addressHash) {
      const row = eraseOne.get(addressHash) as unknown as ListedRegistration | undefined
      return row && { ...row }
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
