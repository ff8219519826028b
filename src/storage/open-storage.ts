import { openSqlite } from './sqlite/sqlite-storage.ts'
import { isTransient, StorageError } from './stores/storage-error.ts'
import type { DatabaseLocation, Storage, StorageMode } from './stores/storage.ts'

/** The interval between attempts to open a database that was unavailable at the start. */
const RETRY_INTERVAL_MS = 5000

/** Opens the database of a service or of a command. Rejects with a StorageError. */
export async function openStorage(
  location: DatabaseLocation,
  mode: StorageMode,
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
  const storage = await (location.kind === 'sqlite'
    ? openSqlite(mode, { file: location.file }, report)
    : // Loaded on demand: a deployment on SQLite does not pay for the driver.
      import('./postgres/postgres-storage.ts').then(({ openPostgres }) =>
        openPostgres({ url: location.url, where: formatLocation(location) }, mode, report),
      ))
  return {
    ...storage,
    async close() {
      clearTimeout(timer)
      await storage.close()
    },
  }
}

/** The database as messages name it: never with a user or password. */
export function formatLocation(location: DatabaseLocation): string {
  if (location.kind === 'sqlite') return location.file
  const { host, pathname } = new URL(location.url)
  return `postgres://${host}${pathname}`
}
