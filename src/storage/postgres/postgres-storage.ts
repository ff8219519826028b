import { isTransient, type StorageError } from '../stores/storage-error.ts'
import type { Storage, StorageMode } from '../stores/storage.ts'
import { createStores, type StoreCall, stepsOf } from '../stores/store-calls.ts'
import { createStoreSteps } from '../stores/store-steps.ts'
import { createPostgresCounters } from './postgres-counters.ts'
import { assertMigrated, migratePostgres } from './postgres-migrations.ts'
import {
  createPostgresSession,
  type PostgresOptions,
  type PostgresSession,
  type Queryable,
} from './postgres-session.ts'

/** The advisory lock under which active keys are counted, so that concurrent additions keep the limit. */
const ADD_LOCK = 0x53_56_43_4b

const STEPS = createStoreSteps({
  schema: 'svc',
  recipient: { column: 'recipient', text: 'recipient', of: (parameter) => parameter },
  lockKeys: `SELECT pg_advisory_xact_lock(${ADD_LOCK})`,
})

async function runCall(session: PostgresSession, call: StoreCall): Promise<unknown> {
  async function perform(client: Queryable): Promise<unknown> {
    const steps = stepsOf(STEPS, call)
    let step = steps.next([])
    while (step.done !== true) {
      step = steps.next(await client.query(step.value.sql, step.value.values))
    }
    return step.value
  }
  if (call.effect === 'read') return perform(session)
  const result = await session.transact('durable', perform)
  if (call.effect !== 'write' && Boolean(result)) {
    // Frees the space of old rows, so that it is soon overwritten. Backups and the WAL are up to the operator.
    await session.query('VACUUM svc.registrations').catch(() => {
      // Autovacuum will free the space later.
    })
  }
  return result
}

/**
 * Opens a database. With `onUnavailable` an unreachable server is
 * reported and the storage opens anyway: calls reject until `ping` has migrated. Rejects with a StorageError for anything
 * that waiting does not change: credentials, an unknown database, an old server, a database of a newer version.
 */
export async function openPostgres(
  options: PostgresOptions,
  mode: StorageMode,
  onUnavailable?: (error: StorageError) => void,
): Promise<Storage> {
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
    ...createStores((call) => runCall(session, call)),
    counters: createPostgresCounters(session, { nowMs: Date.now }),
    ping: open,
    close: () => session.close(),
  }
}
