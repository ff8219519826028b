import { randomBytes } from 'node:crypto'
import { type AvailabilityOptions, retryOpening } from '../availability.ts'
import { StorageError } from '../storage-error.ts'
import type { Storage } from '../storage.ts'
import type { SealedRegistration } from '../waitlist-store.ts'
import { createPostgresApiKeys } from './postgres-api-keys.ts'
import { createPostgresCounters } from './postgres-counters.ts'
import { assertMigrated, migratePostgres } from './postgres-migrations.ts'
import {
  createPostgresSession,
  type PostgresOptions,
  type PostgresSession,
} from './postgres-session.ts'
import { createPostgresWaitlist, importRegistrations } from './postgres-waitlist.ts'

/** An open PostgreSQL database. */
export interface PostgresStorage extends Storage {
  /** Adds registrations of another database in their order, all or none; those with a listed address hash are left out. */
  importRegistrations(registrations: readonly SealedRegistration[]): Promise<void>
}

function createStorage(session: PostgresSession, stopRetrying: () => void): PostgresStorage {
  return {
    waitlist: createPostgresWaitlist(session, randomBytes),
    apiKeys: createPostgresApiKeys(session),
    counters: createPostgresCounters({ session, clock: { nowMs: Date.now }, randomBytes }),
    importRegistrations: (registrations) => importRegistrations(session, registrations),
    async ping() {
      await session.query('SELECT 1 FROM svc.schema_version')
    },
    async close() {
      stopRetrying()
      await session.close()
    },
  }
}

/**
 * Opens the database of a server and migrates it. With `onUnavailable`, waits for an unreachable server while calls
 * reject. Rejects with a StorageError for permanent problems: credentials, an unknown database, an old server, or a
 * database of a newer version.
 */
export async function openPostgresServer(
  options: PostgresOptions & AvailabilityOptions,
): Promise<PostgresStorage> {
  const { where, onUnavailable } = options
  const session = createPostgresSession(options)
  const migrate = () => migratePostgres(session, where)
  let stopRetrying = () => {}
  try {
    await migrate()
  } catch (error) {
    if (onUnavailable === undefined || !(error instanceof StorageError) || !error.isTransient) {
      await session.close()
      throw error
    }
    onUnavailable(error)
    stopRetrying = retryOpening(migrate, options)
  }
  return createStorage(session, () => stopRetrying())
}

/**
 * Opens the database for a command. `read-write` migrates first; `read-only` changes nothing. Rejects with a StorageError.
 */
export async function openPostgresForCommand(
  options: PostgresOptions,
  mode: 'read-only' | 'read-write',
): Promise<PostgresStorage> {
  const session = createPostgresSession(options)
  try {
    await (mode === 'read-only' ? assertMigrated : migratePostgres)(session, options.where)
  } catch (error) {
    await session.close()
    throw error
  }
  return createStorage(session, () => {})
}
