import { openSqlite } from './sqlite/sqlite-storage.ts'
import { isTransient, StorageError } from './stores/storage-error.ts'
import type { DatabaseLocation, Storage } from './stores/storage.ts'

/** The interval between attempts to open a database that was unavailable at the start. */
const RETRY_INTERVAL_MS = 5000

/** Loads the driver on demand: a deployment on SQLite does not pay for it. */
async function openPostgres(
  location: Extract<DatabaseLocation, { kind: 'postgres' }>,
  mode: 'read-only' | 'read-write',
  onUnavailable?: (error: StorageError) => void,
): Promise<Storage> {
  const postgres = await import('./postgres/postgres-storage.ts')
  const options = { url: location.url, where: formatLocation(location) }
  return postgres.openPostgres(options, mode, onUnavailable)
}

/** Opens the database of a server, which keeps serving while the database is unavailable. Rejects with a StorageError. */
export async function openStorage(
  location: DatabaseLocation,
  {
    onUnavailable,
    onRecovered,
  }: {
    /**
     * Called when the database cannot be opened for a transient reason. The storage then opens anyway and retries until the
     * database opens or fails permanently. Without this callback, opening rejects.
     */
    readonly onUnavailable?: (error: StorageError) => void
    readonly onRecovered?: () => void
  } = {},
): Promise<Storage> {
  let timer: NodeJS.Timeout | undefined
  function retryLater(): void {
    timer = setTimeout(() => {
      storage.ping().then(
        () => onRecovered?.(),
        (error: unknown) => {
          if (isTransient(error)) retryLater()
          else if (error instanceof StorageError && error.code !== 'CLOSED') onUnavailable?.(error)
        },
      )
    }, RETRY_INTERVAL_MS).unref()
  }
  const reportAndRetry = (error: StorageError): void => {
    onUnavailable?.(error)
    retryLater()
  }
  const report = onUnavailable && reportAndRetry
  const storage =
    location.kind === 'sqlite'
      ? await openSqlite('create', { file: location.file }, report)
      : await openPostgres(location, 'read-write', report)
  return {
    ...storage,
    async close() {
      clearTimeout(timer)
      await storage.close()
    },
  }
}

/** Opens an existing database for a command; `read-write` migrates it. Rejects with a StorageError. */
export async function openStorageForCommand(
  location: DatabaseLocation,
  mode: 'read-only' | 'read-write',
): Promise<Storage> {
  if (location.kind === 'postgres') return openPostgres(location, mode)
  return openSqlite(mode, { file: location.file })
}

/** The database as messages name it: never with a user or password. */
export function formatLocation(location: DatabaseLocation): string {
  if (location.kind === 'sqlite') return location.file
  const { host, pathname } = new URL(location.url)
  return `postgres://${host}${pathname}`
}
