import { randomBytes } from 'node:crypto'
import {
  type Counters,
  CountersError,
  countRequest,
  SECRET_BYTES,
  SWEEP_INTERVAL_MS,
  windowNameOf,
} from '../counters/counters.ts'
import type { PostgresSession } from './postgres-session.ts'

/** Maximum clock difference between two nodes, and the time that a request may wait for the lock of a window. */
const MAX_CLOCK_SKEW_MS = 60_000

/** The tables of entries that expire, with the columns of their ids and ends. */
const EXPIRING = [
  ['windows', 'key', 'ends_at_ms'],
  ['spent', 'id', 'until_ms'],
] as const

/** Counters in PostgreSQL, for several nodes. Windows need not survive a power failure; spent ids must. */
export function createPostgresCounters(
  session: PostgresSession,
  clock: { nowMs(): number },
): Counters {
  let sweptAtMs = Number.NEGATIVE_INFINITY

  /** Deletes expired rows, once a minute. Outside of other transactions, so that it waits for none of their locks. */
  async function sweep(): Promise<void> {
    const nowMs = clock.nowMs()
    if (Math.abs(nowMs - sweptAtMs) < SWEEP_INTERVAL_MS) return
    sweptAtMs = nowMs
    for (const [table, key, end] of EXPIRING) {
      await session.query(
        `DELETE FROM svc.${table} WHERE ${key} IN (
          SELECT ${key} FROM svc.${table} WHERE ${end} <= $1 LIMIT 10000 FOR UPDATE SKIP LOCKED
        )`,
        [nowMs],
      )
    }
  }

  async function orUnreachable<Value>(call: Promise<Value>): Promise<Value> {
    try {
      return await call
    } catch (cause) {
      throw new CountersError('the counters in the database could not be reached', { cause })
    }
  }

  return {
    async count(windows) {
      await orUnreachable(sweep())
      return orUnreachable(
        session.transact('volatile', async (client) => {
          const nowMs = clock.nowMs()
          const names = windows.map(windowNameOf)
          // Locks are taken in one order, which prevents deadlocks. Unlike a row, a lock leaves nothing behind when the
          // request is refused.
          await client.query(
            `SELECT pg_advisory_xact_lock(id) FROM (
              SELECT DISTINCT hashtextextended(name, 0) AS id FROM unnest($1::text[]) AS name ORDER BY id
            ) AS ids`,
            [names],
          )
          const rows = await client.query<{ key: string; used: number; endsAtMs: number }>(
            'SELECT key, used, ends_at_ms AS "endsAtMs" FROM svc.windows WHERE key = ANY($1::text[])',
            [names],
          )
          const stored = new Map(rows.map((row) => [row.key, row]))
          const { outcome, changed } = countRequest(windows, stored, nowMs, MAX_CLOCK_SKEW_MS)
          if (changed.length > 0) {
            await client.query(
              `INSERT INTO svc.windows (key, used, ends_at_ms)
                SELECT * FROM json_to_recordset($1) AS changed (name text, used int, "endsAtMs" bigint)
                ON CONFLICT (key) DO UPDATE SET used = excluded.used, ends_at_ms = excluded.ends_at_ms`,
              [JSON.stringify(changed)],
            )
          }
          return outcome
        }),
      )
    },

    async spend(id, untilMs, secret) {
      await orUnreachable(sweep())
      return orUnreachable(
        session.transact('durable', async (client) => {
          const nowMs = clock.nowMs()
          if (secret !== undefined) {
            const current = await client.query(
              'SELECT 1 FROM svc.secrets WHERE name = $1 AND bytes = $2 AND until_ms > $3 FOR SHARE',
              [secret.name, secret.bytes, nowMs],
            )
            if (current.length === 0) return false
          }
          const rows = await client.query(
            `INSERT INTO svc.spent (id, until_ms) VALUES ($1, $2)
              ON CONFLICT (id) DO UPDATE SET until_ms = excluded.until_ms
              WHERE svc.spent.until_ms <= $3 RETURNING id`,
            [id, untilMs, nowMs],
          )
          return rows.length === 1
        }),
      )
    },

    async release(id) {
      await orUnreachable(session.change('DELETE FROM svc.spent WHERE id = $1', [id]))
    },

    async secret(name, untilMs) {
      const [row] = await orUnreachable(
        session.change<{ readonly bytes: Uint8Array }>(
          `INSERT INTO svc.secrets (name, bytes, until_ms) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET
              bytes = CASE WHEN svc.secrets.until_ms <= $4 THEN excluded.bytes ELSE svc.secrets.bytes END,
              until_ms = CASE WHEN svc.secrets.until_ms <= $4 THEN excluded.until_ms ELSE svc.secrets.until_ms END
            RETURNING bytes`,
          [name, randomBytes(SECRET_BYTES), untilMs, clock.nowMs()],
        ),
      )
      if (row === undefined) throw new CountersError('the database returned no secret')
      return row.bytes
    },
  }
}
