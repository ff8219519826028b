import { randomBytes, randomInt } from 'node:crypto'
import { formatTicket, TICKET_BYTES } from '@public-api/contract/waitlist/ticket'
import type { ApiKeyCount, StoredApiKey } from './api-key-store.ts'
import type { Stores } from './storage.ts'
import type {
  ErasedRegistration,
  SealedRegistration,
  StoredRegistration,
} from './waitlist-store.ts'

export type SqlValue = string | number | null | Uint8Array

/** A statement with the values of its parameters, `$1` and so on. */
export interface SqlStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** A method as the statements of one transaction: it yields each, and continues with its rows. */
type Steps<Result> = Generator<SqlStatement, Result, readonly object[]>

/** The methods of a store as their steps. */
export type StoreSteps = {
  readonly [Store in keyof Stores]: {
    readonly [Name in keyof Stores[Store]]: Stores[Store][Name] extends (
      ...args: infer Args
    ) => Promise<infer Result>
      ? (...args: Args) => Steps<Result>
      : never
  }
}

/** Where the SQL of the databases differs. */
export interface Dialect {
  /** Prefix of the names of tables. */
  readonly schema: string
  /** The recipient of a registration: its column, its text, and the value of the column for a parameter. */
  readonly recipient: {
    readonly column: string
    readonly text: string
    readonly of: (parameter: string) => string
    /** Adds the recipient `$1` to its table, if it has one. */
    readonly add?: string
  }
  /** How a database without generated columns keeps `ends_at_ms` of a new key and of a revoked one. */
  readonly keyEnd?: { readonly ofNew: string; readonly ofRevoked: string }
  /** Lets one transaction at a time count keys and add one, if transactions run at once. */
  readonly lockKeys?: string
}

/** The registrations for one recipient, with the times of the first and the last. */
interface RegistrationGroup {
  readonly recipient: string
  readonly count: number
  readonly first: number
  readonly last: number
}

/** The number of decoys: a power of two, small enough for an index with two leaves. */
const DECOY_SLOTS = 128

/** Bytes that `testWrite` writes: about as many as a registration. */
const TEST_BYTES = 1024

/** Runs a statement. The caller names the columns that it selects. */
function* query<Row extends object>(
  sql: string,
  values: readonly SqlValue[] = [],
): Steps<readonly Row[]> {
  // The columns match the interface, and the tables contain no other types.
  return (yield { sql, values }) as readonly Row[]
}

/** The methods of both stores in one dialect. */
export function createStoreSteps(dialect: Dialect): StoreSteps {
  return { waitlist: waitlistSteps(dialect), apiKeys: apiKeySteps(dialect) }
}

function waitlistSteps({ schema, recipient }: Dialect): StoreSteps['waitlist'] {
  const table = `${schema}.registrations`
  const insert = `
    INSERT INTO ${table} (address_hash, ticket, ${recipient.column}, registered_at_ms, sealed)
    VALUES ($1, $2, ${recipient.of('$3')}, $4, $5)
    ON CONFLICT (address_hash) DO NOTHING RETURNING position`
  const insertDecoy = `
    INSERT INTO ${schema}.decoys
      (slot, address_hash, ticket, ${recipient.column}, registered_at_ms, sealed)
    SELECT $1, $2, $3, ${recipient.of('$4')}, $5, $6 WHERE $7 = 0
    ON CONFLICT (slot) DO UPDATE SET
      address_hash = excluded.address_hash,
      ticket = excluded.ticket,
      ${recipient.column} = excluded.${recipient.column},
      registered_at_ms = excluded.registered_at_ms,
      sealed = excluded.sealed`
  const select = `
    SELECT position, address_hash AS "addressHash", ticket, ${recipient.text} AS recipient,
      registered_at_ms AS "registeredAtMs", sealed
    FROM ${table}`

  function* addRecipient(text: string): Steps<void> {
    if (recipient.add !== undefined) yield* query(recipient.add, [text])
  }

  /**
   * Equal work for new and repeated addresses. A new row writes the last page of `registrations`, a page of its unique
   * index, the page of the position counter, and sometimes the pages of a growing table. A refused INSERT also writes the
   * counter, because it uses up a position. A decoy adds a page of a table with the same columns and one or two pages of
   * its index. It contains random bytes of the same lengths. Both cases send the same statements.
   */
  function* addDecoy(
    { recipient: text, sealed }: Pick<SealedRegistration, 'recipient' | 'sealed'>,
    added: number,
  ): Steps<void> {
    const slot = randomInt(DECOY_SLOTS)
    const ticket = formatTicket(randomBytes(TICKET_BYTES))
    const atMs = randomInt(2 ** 40)
    const content = randomBytes(sealed.length)
    yield* query(insertDecoy, [slot, randomBytes(32), ticket, text, atMs, content, added])
  }

  return {
    *testWrite() {
      const registration = { recipient: '', sealed: new Uint8Array(TEST_BYTES) }
      yield* addRecipient(registration.recipient)
      yield* addDecoy(registration, 0)
    },

    *add(registration) {
      const { addressHash, ticket, recipient: text, registeredAtMs, sealed } = registration
      yield* addRecipient(text)
      const added = yield* query(insert, [addressHash, ticket, text, registeredAtMs, sealed])
      yield* addDecoy(registration, added.length)
      return added.length === 1 ? 'added' : 'duplicate'
    },

    *count() {
      const groups = yield* query<RegistrationGroup>(`
        SELECT ${recipient.text} AS recipient, count(*) AS count,
          min(registered_at_ms) AS first, max(registered_at_ms) AS last
        FROM ${table} GROUP BY ${recipient.column}`)
      const isEmpty = groups.length === 0
      return {
        total: groups.reduce((sum, { count }) => sum + count, 0),
        firstRegisteredAtMs: isEmpty ? undefined : Math.min(...groups.map(({ first }) => first)),
        lastRegisteredAtMs: isEmpty ? undefined : Math.max(...groups.map(({ last }) => last)),
        byRecipient: groups
          .map(({ recipient: text, count }) => ({ recipient: text, count }))
          .toSorted((a, b) => b.count - a.count || (a.recipient < b.recipient ? -1 : 1)),
      }
    },

    readAfter: (position, limit) =>
      query<StoredRegistration>(`${select} WHERE position > $1 ORDER BY position LIMIT $2`, [
        position,
        limit,
      ]),

    *find(addressHash) {
      const rows = yield* query<StoredRegistration>(`${select} WHERE address_hash = $1`, [
        addressHash,
      ])
      return rows[0]
    },

    *erase(addressHash) {
      const rows = yield* query<ErasedRegistration>(
        `DELETE FROM ${table} WHERE address_hash = $1
          RETURNING ticket, registered_at_ms AS "registeredAtMs"`,
        [addressHash],
      )
      return rows[0]
    },

    *expire(beforeMs, limit) {
      const rows = yield* query(
        `DELETE FROM ${table} WHERE position IN (
          SELECT position FROM ${table} WHERE registered_at_ms < $1 ORDER BY position LIMIT $2
        ) RETURNING position`,
        [beforeMs, limit],
      )
      return rows.length
    },

    *reseal(seals) {
      const update = `
        UPDATE ${table} SET ${recipient.column} = ${recipient.of('$1')}, sealed = $2
        WHERE position = $3 AND ${recipient.column} = ${recipient.of('$4')} RETURNING position`
      let resealed = 0
      for (const { position, fromRecipient, recipient: text, sealed } of seals) {
        yield* addRecipient(text)
        resealed += (yield* query(update, [text, sealed, position, fromRecipient])).length
      }
      return resealed
    },
  }
}

function apiKeySteps({ schema, keyEnd, lockKeys }: Dialect): StoreSteps['apiKeys'] {
  const table = `${schema}.api_keys`
  const columns = `key_id AS "keyId", key_hash AS "keyHash", secret_id AS "secretId", label,
    created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs", revoked_at_ms AS "revokedAtMs"`
  return {
    // Equal work for known and unknown keys. The query finds the last row up to the key ID: the key itself, or the row
    // before it. Every lookup thus descends the tree once and reads one full row; only a comparison of two ids
    // distinguishes them. The row with the empty id precedes every key.
    *find(keyId) {
      // PostgreSQL stores no NUL in a text; an id with one matches no key.
      const text = keyId.replaceAll('\0', '')
      const [key] = yield* query<StoredApiKey>(
        `SELECT ${columns} FROM ${table} WHERE key_id <= $1 ORDER BY key_id DESC LIMIT 1`,
        [text],
      )
      return key?.keyId === keyId && keyId !== '' ? key : undefined
    },

    *add(key, maxActive) {
      const { keyId, keyHash, secretId, label, createdAtMs, expiresAtMs, revokedAtMs } = key
      if (lockKeys !== undefined) yield* query(lockKeys)
      const [row] = yield* query<{ readonly active: number }>(
        `SELECT count(*) AS active FROM (
          SELECT 1 FROM ${table} WHERE ends_at_ms > $1 AND revoked_at_ms IS NULL LIMIT $2
        ) AS active_keys`,
        [createdAtMs, maxActive],
      )
      if (Number(row?.active) >= maxActive) return 'full'
      const added = yield* query(
        `INSERT INTO ${table} (
          key_id, key_hash, secret_id, label, created_at_ms, expires_at_ms, revoked_at_ms
          ${keyEnd === undefined ? '' : ', ends_at_ms'}
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7 ${keyEnd?.ofNew ?? ''})
        ON CONFLICT (key_id) DO NOTHING RETURNING key_id`,
        [keyId, keyHash, secretId, label, createdAtMs, expiresAtMs, revokedAtMs],
      )
      return added.length === 1 ? 'added' : 'taken'
    },

    *revoke(keyId, nowMs) {
      const [row] = yield* query<{ readonly revokedAtMs: number }>(
        `UPDATE ${table} SET revoked_at_ms = coalesce(revoked_at_ms, $1) ${keyEnd?.ofRevoked ?? ''}
          WHERE key_id = $2 AND key_id <> '' RETURNING revoked_at_ms AS "revokedAtMs"`,
        [nowMs, keyId],
      )
      return row?.revokedAtMs
    },

    *rehash({ keyId, fromSecretId, secretId, keyHash }) {
      const rows = yield* query(
        `UPDATE ${table} SET secret_id = $1, key_hash = $2
          WHERE key_id = $3 AND secret_id = $4 AND key_id <> '' RETURNING key_id`,
        [secretId, keyHash, keyId, fromSecretId],
      )
      return rows.length === 1
    },

    *count(nowMs) {
      const [row] = yield* query<ApiKeyCount>(
        `SELECT
          count(*) FILTER (WHERE revoked_at_ms IS NULL AND ends_at_ms > $1) AS active,
          count(*) FILTER (WHERE revoked_at_ms IS NULL AND ends_at_ms <= $1) AS expired,
          count(revoked_at_ms) AS revoked
        FROM ${table} WHERE key_id <> ''`,
        [nowMs],
      )
      return row ?? { active: 0, expired: 0, revoked: 0 }
    },

    readAfter: (keyId, limit) =>
      query<StoredApiKey>(
        `SELECT ${columns} FROM ${table} WHERE key_id > $1 ORDER BY key_id LIMIT $2`,
        [keyId, limit],
      ),

    *purge(beforeMs, limit) {
      const rows = yield* query(
        `DELETE FROM ${table} WHERE key_id IN (
          SELECT key_id FROM ${table} WHERE ends_at_ms < $1 ORDER BY ends_at_ms LIMIT $2
        ) RETURNING key_id`,
        [beforeMs, limit],
      )
      return rows.length
    },
  }
}
