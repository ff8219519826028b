import { isTransient, type StorageError } from '../stores/storage-error.ts'
import type { Storage } from '../stores/storage.ts'
import type { SealedRegistration } from '../stores/waitlist-store.ts'
import { createPostgresApiKeys } from './postgres-api-keys.ts'
import { createPostgresCounters } from './postgres-counters.ts'
import { assertMigrated, migratePostgres } from './postgres-migrations.ts'
import { createPostgresSession, type PostgresOptions } from './postgres-session.ts'
import { createPostgresWaitlist, importRegistrations } from './postgres-waitlist.ts'

/**
 * Opens a database. `read-write` migrates it; `read-only` changes nothing. With `onUnavailable` an unreachable server is
 * reported and the storage opens anyway: calls reject until `ping` has migrated. Rejects with a StorageError for anything
 * that waiting does not change: credentials, an unknown database, an old server, a database of a newer version.
 */
export async function openPostgres(
  options: PostgresOptions,
  mode: 'read-only' | 'read-write',
  onUnavailable?: (error: StorageError) => void,
): Promise<Storage & { importRegistrations(rows: readonly SealedRegistration[]): Promise<void> }> {
  const session = createPostgresSession(options)
  const open = () =>
    (mode === 'read-only' ? assertMigrated : migratePostgres)(session, options.where)
  try {
    await open()
  } catch (error) {
    if (!isTransient(error) || onUnavailable === undefined) {
      await session.close()
      throw error
    }
    onUnavailable(error)
  }
  return {
    waitlist: createPostgresWaitlist(session),
    apiKeys: createPostgresApiKeys(session),
    counters: createPostgresCounters(session, { nowMs: Date.now }),
    importRegistrations: (rows) => importRegistrations(session, rows),
    ping: open,
    close: () => session.close(),
  }
}

export type PostgresStorage = Awaited<ReturnType<typeof openPostgres>>
