import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClientBase,
  type CustomTypesConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type QueryResult,
  types,
} from 'pg'
import { StorageError } from '../stores/storage-error.ts'
import type { SqlValue } from '../stores/store-steps.ts'
import { isServerEnding, toPostgresStorageError } from './postgres-errors.ts'

const TIMEOUT_MS = 5000

const POSTGRES_POOL_SIZE = 10

/** How much longer the client waits than the server, so that the server's own timeout is reported where possible. */
const CLIENT_MARGIN_MS = 1000
const RESOLVE_INTERVAL_MS = 50

type Values = readonly (SqlValue | readonly (string | number)[])[]

/** Rows have the types of the stores' interfaces: every bigint column is a safe integer, and bytes are a Uint8Array. */
const COLUMN_TYPES: CustomTypesConfig = {
  getTypeParser(type) {
    const parse = types.getTypeParser(type)
    if (type === types.builtins.INT8) return Number
    if (type === types.builtins.BYTEA) return (text: string) => new Uint8Array(parse(text))
    return parse
  },
}

/** Runs statements on one connection, in or outside a transaction. The caller names the columns that `sql` selects. */
export interface Queryable {
  query<Row extends object>(sql: string, values?: Values): Promise<readonly Row[]>
}

type Work<Result> = (client: Queryable) => Promise<Result>

/** Whether a committed transaction survives a power failure. */
export type Durability = 'durable' | 'volatile'

export interface PostgresOptions {
  /** A `postgres://` URL. May contain a password. */
  readonly url: string
  /** The database as messages name it, without a password. */
  readonly where: string
  /**
   * A statement, a connection attempt, a wait for a free connection and a resolution of a lost COMMIT may each take this
   * long. Default: 5 s.
   */
  readonly timeoutMs?: number
}

/** The transaction's settings and its id, in one round trip: SET LOCAL ends with the transaction. */
function beginText(durability: Durability, timeoutMs: number): string {
  const commit = durability === 'durable' ? 'on' : 'off'
  return `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit TO ${commit}; SET LOCAL statement_timeout TO ${timeoutMs}; SET LOCAL lock_timeout TO ${timeoutMs}; SELECT pg_current_xact_id()::text AS id`
}

function toQueryable(client: ClientBase | Pool): Queryable {
  return {
    // The result of several statements is an array, whose rows no caller needs.
    query: async (sql, values = []) => (await client.query(sql, [...values])).rows ?? [],
  }
}

/**
 * Connections to one PostgreSQL server, made when they are first used. Nothing is bound to a session, so a pooler in
 * transaction mode may be between.
 */
export function createPostgresSession({ url, where, timeoutMs = TIMEOUT_MS }: PostgresOptions) {
  const pool = new Pool({
    connectionString: url,
    max: POSTGRES_POOL_SIZE,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs + CLIENT_MARGIN_MS,
    keepAlive: true,
    application_name: 'public-api',
    types: COLUMN_TYPES,
  })
  // An idle connection was lost; the pool drops it, and the next call connects again.
  pool.on('error', () => {})
  // A failing connection emits this event in addition to rejecting its query. The listener stays for the life of the
  // connection: the pool removes its own before the next user can add one, and one chunk may end both.
  pool.on('connect', (client) => client.on('error', () => {}))
  const idle = toQueryable(pool)
  const pending = new Set<Promise<unknown>>()
  let isClosed = false

  /** Runs a call unless the session is closed, and lets `close` wait for it. Rejects with a StorageError. */
  async function run<Result>(call: () => Promise<Result>): Promise<Result> {
    if (isClosed) throw new StorageError('CLOSED', where)
    const running = call()
    pending.add(running)
    try {
      return await running
    } catch (error) {
      throw toPostgresStorageError(error, where)
    } finally {
      pending.delete(running)
    }
  }

  /** Whether the server committed a transaction, asked over another connection. Rejects if that stays unknown. */
  async function isCommitted(transactionId: string, cause: unknown): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs
    for (;;) {
      try {
        const [row] = await idle.query<{ readonly status: string | null }>(
          'SELECT pg_xact_status($1::text::xid8) AS status',
          [transactionId],
        )
        if (row?.status === 'committed') return true
        if (row?.status === 'aborted') return false
      } catch {
        // The server may be restarting.
      }
      if (performance.now() > deadlineMs) {
        throw new Error('the connection was lost during COMMIT', { cause })
      }
      await sleep(RESOLVE_INTERVAL_MS)
    }
  }

  /** Commits a transaction. False if the server rolled it back. */
  async function commit(client: PoolClient, transactionId: string): Promise<boolean> {
    try {
      return (await client.query('COMMIT')).command === 'COMMIT'
    } catch (error) {
      // An error response to COMMIT means a rollback, unless the server reports that it is ending.
      if (error instanceof DatabaseError && !isServerEnding(error)) throw error
      return isCommitted(transactionId, error)
    }
  }

  /**
   * Runs `work` in a transaction. With `durable` the transaction survives a power failure when this resolves, whatever
   * the server's default. After a connection loss during COMMIT, the server is asked for the status of the transaction.
   * Rejects with a StorageError, and then nothing was changed, unless the outcome of a COMMIT stayed unknown (`IO`).
   */
  const transact = <Result>(durability: Durability, work: Work<Result>): Promise<Result> =>
    run(async () => {
      const client = await pool.connect()
      let isUsable = false
      try {
        // Several statements in one message: one result each.
        const begun = (await client.query(
          beginText(durability, timeoutMs),
        )) as unknown as readonly QueryResult<{
          readonly id: string
        }>[]
        const result = await work(toQueryable(client))
        if (!(await commit(client, String(begun.at(-1)?.rows[0]?.id)))) {
          throw new Error('the server rolled the transaction back')
        }
        isUsable = true
        return result
      } finally {
        // Closing the connection after a failure rolls the transaction back, also when the server no longer responds.
        client.release(!isUsable)
      }
    })

  return {
    transact,
    query: <Row extends object>(sql: string, values?: Values) =>
      run(() => idle.query<Row>(sql, values)),
    /** Runs one changing statement as a durable transaction. Rejects like `transact`. */
    change: <Row extends object>(sql: string, values: Values) =>
      transact('durable', (client) => client.query<Row>(sql, values)),
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      await Promise.allSettled(pending)
      await pool.end()
    },
  }
}

export type PostgresSession = ReturnType<typeof createPostgresSession>
