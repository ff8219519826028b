import { randomBytes, randomInt } from 'node:crypto'
import { formatTicket, TICKET_BYTES } from '@public-api/contract/waitlist/ticket'
import {
  countOfGroups,
  PROBE_BYTES,
  type ErasedRegistration,
  type RegistrationGroup,
  type SealedRegistration,
  type StoredRegistration,
  type WaitlistStore,
} from '../stores/waitlist-store.ts'
import type { PostgresSession } from './postgres-session.ts'

/** As in SQLite (sqlite-statements.ts). */
const DECOY_SLOTS = 128

const SELECT = `
  SELECT position, address_hash AS "addressHash", ticket, recipient,
    registered_at_ms AS "registeredAtMs", sealed
  FROM svc.registrations`

const INSERT = `
  INSERT INTO svc.registrations (address_hash, ticket, recipient, registered_at_ms, sealed)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (address_hash) DO NOTHING RETURNING position`

const writeDecoy = (values: string): string => `
  INSERT INTO svc.decoys (slot, address_hash, ticket, recipient, registered_at_ms, sealed)
  ${values}
  ON CONFLICT (slot) DO UPDATE SET address_hash = excluded.address_hash, ticket = excluded.ticket,
    recipient = excluded.recipient, registered_at_ms = excluded.registered_at_ms, sealed = excluded.sealed`

/** Adds a registration, or a decoy of its size with random content if the address hash is listed (equal work). */
const ADD = `
  WITH added AS (${INSERT}),
  decoy AS (${writeDecoy('SELECT $6, $7, $8, $3, $9, $10 WHERE NOT EXISTS (SELECT 1 FROM added)')})
  SELECT position FROM added`

const PROBE = writeDecoy("VALUES ($1, $2, $3, '', $4, $5)")

/** Slot, address hash, ticket, time and content of a decoy. */
const randomDecoy = (bytes: number) => [
  randomInt(DECOY_SLOTS),
  randomBytes(32),
  formatTicket(randomBytes(TICKET_BYTES)),
  randomInt(2 ** 40),
  randomBytes(bytes),
]

/** The values of INSERT. */
function valuesOf(registration: SealedRegistration) {
  const { addressHash, ticket, recipient, registeredAtMs, sealed } = registration
  return [addressHash, ticket, recipient, registeredAtMs, sealed]
}

export function createPostgresWaitlist(session: PostgresSession): WaitlistStore {
  /** Frees the space of deleted rows, so that it is soon overwritten. Backups and the WAL are up to the operator. */
  async function vacuum(): Promise<void> {
    await session.query('VACUUM svc.registrations').catch(() => {
      // Autovacuum will free the space later.
    })
  }

  return {
    async testWrite() {
      await session.change(PROBE, randomDecoy(PROBE_BYTES))
    },

    async add(registration) {
      const rows = await session.change(ADD, [
        ...valuesOf(registration),
        ...randomDecoy(registration.sealed.length),
      ])
      return rows.length === 1 ? 'added' : 'duplicate'
    },

    async count() {
      const groups = await session.query<RegistrationGroup>(`
        SELECT recipient, count(*) AS count, min(registered_at_ms) AS first, max(registered_at_ms) AS last
        FROM svc.registrations GROUP BY recipient ORDER BY count DESC, recipient COLLATE "C"`)
      return countOfGroups(groups)
    },

    readAfter(position, limit) {
      return session.query<StoredRegistration>(
        `${SELECT} WHERE position > $1 ORDER BY position LIMIT $2`,
        [position, limit],
      )
    },

    async find(addressHash) {
      const values = [addressHash]
      const [row] = await session.query<StoredRegistration>(
        `${SELECT} WHERE address_hash = $1`,
        values,
      )
      return row
    },

    async erase(addressHash) {
      const [erased] = await session.change<ErasedRegistration>(
        `DELETE FROM svc.registrations WHERE address_hash = $1
          RETURNING ticket, registered_at_ms AS "registeredAtMs"`,
        [addressHash],
      )
      if (erased !== undefined) await vacuum()
      return erased
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

/** Adds registrations of another database in their order, in one transaction. Leaves out those with a listed address hash. */
export function importRegistrations(
  session: PostgresSession,
  registrations: readonly SealedRegistration[],
): Promise<void> {
  return session.transact('durable', async (client) => {
    for (const registration of registrations) await client.query(INSERT, valuesOf(registration))
  })
}
