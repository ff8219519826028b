import path from 'node:path'

import { type Config, ConfigError, inspectConfig } from '../config.ts'
import { openSqliteStorageHere } from '../storage/sqlite-here.ts'
import type { Storage } from '../storage/storage.ts'

/** The variables that the commands on the database read. */
const DATABASE_VARIABLES = ['SVC_DATA_DIR', 'SVC_DATABASE_URL', 'SVC_SECRETS_DIR']

/**
 * The configuration, as far as a command needs it: a mistake in another variable than these is the service's to tell.
 * Throws a ConfigError.
 */
export function readConfig(variables: readonly string[] = DATABASE_VARIABLES): Config {
  const { config, mistakes } = inspectConfig(process.env, process.cwd())
  const ours = mistakes.filter((each) => variables.some((name) => each.startsWith(`${name}:`)))
  if (ours.length > 0) throw new ConfigError(ours)
  return config
}

/** The database that `--database` names, else the configured one, as an absolute path. Throws a ConfigError. */
export function databaseFile(option: string | undefined): string {
  if (option !== undefined) return path.resolve(option)
  const { database } = readConfig()
  if (database.kind === 'sqlite') return database.file
  throw new ConfigError(['SVC_DATABASE_URL: PostgreSQL is not supported yet'])
}

/** Opens a database for some work and closes it after, whatever comes of the work. Rejects with a StorageError. */
export async function withStorage<Result>(
  file: string,
  mode: 'read-only' | 'read-write',
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await openSqliteStorageHere({ file, mode })
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}
