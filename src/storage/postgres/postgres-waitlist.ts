import { randomBytes } from 'node:crypto'
import { TICKET_BYTES, TICKET_PREFIX } from '../../contract/ticket.ts'
import {
  countOfGroups,
  type SealedRegistration,
  type StoredRegistration,
  type WaitlistStore,
} from '../waitlist-store.ts'
import type { PostgresSession, Row, Values } from './postgres-session.ts'

/** As in SQLite (sqlite-waitlist.ts). */
const DECOY_SLOTS = 128

const COLUMNS = 'position, address_hash, ticket, recipient, registered_at_ms, sealed'

/** Adds a registration, or a decoy of its size with random content if the address hash is listed (equal work). */
const ADD = `
  WITH added AS (
    INSERT INTO svc.registrations (address_hash, ticket, recipient, registered_at_ms, sealed)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (address_hash) DO NOTHING RETURNING position
  ),
  decoy AS (
    INSERT INTO svc.decoys (slot, address_hash, ticket, recipient, registered_at_ms, sealed)
    SELECT $6, $7, $8, $3, $9, $10 WHERE NOT EXISTS (SELECT 1 FROM added)
    ON CONFLICT (slot) DO UPDATE SET address_hash = excluded.address_hash, ticket = excluded.ticket,
      recipient = excluded.recipient, registered_at_ms = excluded.registered_at_ms, sealed = excluded.sealed
  )
  SELECT position FROM added`

function toRegistration(row: Row): StoredRegistration {
  return {
    position: Number(row['position']),
    addressHash: new Uint8Array(row['address_hash'] as Buffer),
    ticket: String(row['ticket']),
    recipient: String(row['recipient']),
    registeredAtMs: Number(row['registered_at_ms']),
    sealed: new Uint8Array(row['sealed'] as Buffer),
  }
}

export function createPostgresWaitlist(session: PostgresSession): WaitlistStore {
  /** Frees the space of deleted rows, so that it is soon overwritten. Backups and the WAL are up to the operator. */
  async function vacuum(): Promise<void> {
    await session.query('VACUUM svc.registrations').catch(() => {
      // Autovacuum will free the space later.
    })
  }

  /** Slot, address hash, ticket, time and content of a decoy. */
  function decoyValues(sealedLength: number): Values {
    const random = randomBytes(1 + 32 + TICKET_BYTES + 5 + sealedLength)
    const ticket = random
      .subarray(33, 33 + TICKET_BYTES)
      .toString('hex')
      .toUpperCase()
    return [
      (random[0] ?? 0) % DECOY_SLOTS,
      random.subarray(1, 33),
      `${TICKET_PREFIX}${ticket}`,
      random.readUIntBE(33 + TICKET_BYTES, 5),
      random.subarray(38 + TICKET_BYTES),
    ]
  }

  return {
    async add({ addressHash, ticket, recipient, registeredAtMs, sealed }) {
      const values = [addressHash, ticket, recipient, registeredAtMs, sealed]
      const rows = await session.change(ADD, [...values, ...decoyValues(sealed.length)])
      return rows.length === 1 ? 'added' : 'duplicate'
    },

    async count() {
      const groups = await session.query(`
        SELECT recipient, count(*) AS count, min(registered_at_ms) AS first, max(registered_at_ms) AS last
        FROM svc.registrations GROUP BY recipient ORDER BY count DESC, recipient COLLATE "C"`)
      return countOfGroups(groups)
    },

    async readAfter(position, limit) {
      const rows = await session.query(
        `SELECT ${COLUMNS} FROM svc.registrations WHERE position > $1 ORDER BY position LIMIT $2`,
        [position, limit],
      )
      return rows.map(toRegistration)
    },

    async find(addressHash) {
      const [row] = await session.query(
        `SELECT ${COLUMNS} FROM svc.registrations WHERE address_hash = $1`,
        [addressHash],
      )
      return row && toRegistration(row)
    },

    async erase(addressHash) {
      const [row] = await session.change(
        'DELETE FROM svc.registrations WHERE address_hash = $1 RETURNING ticket, registered_at_ms',
        [addressHash],
      )
      if (row === undefined) return undefined
      await vacuum()
      return { ticket: String(row['ticket']), registeredAtMs: Number(row['registered_at_ms']) }
    },

    async expire(beforeMs, limit) {
      const rows = await session.change(
        `DELETE FROM svc.registrations WHERE position IN (
          SELECT position FROM svc.registrations WHERE registered_at_ms < $1 ORDER BY position LIMIT $2
        ) RETURNING position`,
        [beforeMs, limit],
      )
      if (rows.length > 0) await vacuum()
      return rows.length
    },

    async reseal(seals) {
      const resealed = await session.transact('durable', async (client) => {
        let count = 0
        for (const { position, fromRecipient, recipient, sealed } of seals) {
          const rows = await client.query(
            `UPDATE svc.registrations SET recipient = $1, sealed = $2
              WHERE position = $3 AND recipient = $4 RETURNING position`,
            [recipient, sealed, position, fromRecipient],
          )
          count += rows.length
        }
        return count
      })
      if (resealed > 0) await vacuum()
      return resealed
    },
  }
}

/**
 * Adds registrations of another database in their order, in one transaction. Those with a listed address hash are left
 * out. Bytes are sent as hexadecimal text, because an array parameter cannot contain binary values.
 */
export async function importRegistrations(
  session: PostgresSession,
  registrations: readonly SealedRegistration[],
): Promise<void> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  await session.change(
    `INSERT INTO svc.registrations (address_hash, ticket, recipient, registered_at_ms, sealed)
        SELECT decode(hash, 'hex'), ticket, recipient, at_ms, decode(sealed, 'hex')
        FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
          WITH ORDINALITY AS rows (hash, ticket, recipient, at_ms, sealed, number)
        ORDER BY number
        ON CONFLICT (address_hash) DO NOTHING`,
    [
      registrations.map(({ addressHash }) => hex(addressHash)),
      registrations.map(({ ticket }) => ticket),
      registrations.map(({ recipient }) => recipient),
      registrations.map(({ registeredAtMs }) => registeredAtMs),
      registrations.map(({ sealed }) => hex(sealed)),
    ],
  )
}
