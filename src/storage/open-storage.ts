import type { AvailabilityOptions } from './availability.ts'
import { openSqliteInThread, openSqliteServer } from './sqlite-storage.ts'
import type { DatabaseLocation, Storage } from './storage.ts'

/** Opens the database of a server, which keeps serving while the database is unavailable. Rejects with a StorageError. */
export async function openStorage(
  location: DatabaseLocation,
  options: AvailabilityOptions = {},
): Promise<Storage> {
  if (location.kind === 'postgres') {
    // Loaded on demand, because SQLite deployments do not need the driver.
    const { openPostgresServer } = await import('./postgres/postgres-storage.ts')
    return openPostgresServer({ url: location.url, where: formatLocation(location), ...options })
  }
  return openSqliteServer({ file: location.file, ...options })
}

/**
 * Opens an existing database for a command. `read-only` changes nothing; `read-write` migrates first. Rejects with a
 * StorageError.
 */
export async function openStorageForCommand(
  location: DatabaseLocation,
  mode: 'read-only' | 'read-write',
): Promise<Storage> {
  if (location.kind === 'postgres') {
    const { openPostgresForCommand } = await import('./postgres/postgres-storage.ts')
    return openPostgresForCommand({ url: location.url, where: formatLocation(location) }, mode)
  }
  return openSqliteInThread({ file: location.file, mode })
}

/** The database as messages name it: never with a user or password. */
export function formatLocation(location: DatabaseLocation): string {
  if (location.kind === 'sqlite') return location.file
  const { host, pathname } = new URL(location.url)
  return `postgres://${host}${pathname}`
}
