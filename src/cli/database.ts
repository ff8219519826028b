import path from 'node:path'
import { CommandFailure, UsageError } from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import { ConfigError } from '../config-mistake.ts'
import { type Config, inspectConfig } from '../config.ts'
import { NO_QUOTES } from '../environment-reader.ts'
import { formatLocation, openStorage } from '../storage/open-storage.ts'
import { StorageError } from '../storage/stores/storage-error.ts'
import type { DatabaseLocation, Storage } from '../storage/stores/storage.ts'
import { ownerAdvice } from './folder-owner.ts'
import { chooseFolder } from './service-environment.ts'

/** `--database` of the commands that read or change the database. */
export const DATABASE_OPTION = textOption(
  'FILE: the database (default: the one of the configuration)',
)

/** The variables that the database commands read. */
const DATABASE_VARIABLES = ['SVC_DATA_DIR', 'SVC_DATABASE_URL', 'SVC_SECRETS_DIR']

/** The configuration for a command. Ignores mistakes in other variables, except quotation marks. Throws a ConfigError. */
export function readConfig(variables: readonly string[] = DATABASE_VARIABLES): Config {
  const { config, mistakes } = inspectConfig(process.env, process.cwd())
  const ours = mistakes.filter(
    ({ variable, expected }) => variables.includes(variable) || expected === NO_QUOTES,
  )
  if (ours.length > 0) throw new ConfigError(ours)
  if (variables.includes('SVC_SECRETS_DIR')) {
    chooseFolder(undefined, 'SVC_SECRETS_DIR', config.secretsDir)
  }
  return config
}

/** The database of `--database`: a file, or the value of SVC_DATABASE_URL by default. Throws a ConfigError. */
export function databaseLocation(option: string | undefined): DatabaseLocation {
  if (option === undefined) return readConfig().database
  if (!/^(?:sqlite|postgres|postgresql):/i.test(option)) {
    return { kind: 'sqlite', file: path.resolve(option) }
  }
  const { config, mistakes } = inspectConfig(
    { ...process.env, SVC_DATABASE_URL: option },
    process.cwd(),
  )
  const ours = mistakes.filter(({ variable }) => variable === 'SVC_DATABASE_URL')
  if (ours.length > 0) {
    throw new ConfigError(ours.map((each) => ({ ...each, variable: '--database' })))
  }
  return config.database
}

/** Where the database of `--database` is, without its password. Throws a ConfigError. */
export const databasePlace = (option: string | undefined): string =>
  formatLocation(databaseLocation(option))

/** The file of an embedded database. Throws a UsageError for PostgreSQL that names the tool to use instead. */
export function requireSqlite(location: DatabaseLocation, tool: string): string {
  if (location.kind === 'sqlite') return location.file
  throw new UsageError(`expected an embedded database; use ${tool} for PostgreSQL`)
}

/** Adds to a failure that the database belongs to another user, if that explains it. */
async function openForCommand(location: DatabaseLocation, mode: 'read-only' | 'read-write') {
  try {
    return await openStorage(location, mode)
  } catch (error) {
    if (location.kind !== 'sqlite' || !(error instanceof StorageError)) throw error
    const advice = ownerAdvice(path.dirname(location.file))
    throw advice === undefined
      ? error
      : new CommandFailure(error.code, `${error.message}; ${advice}`)
  }
}

/** Opens the database of `--database`, or at a location, runs `work`, and closes it in any case. Rejects with a StorageError. */
export async function withDatabase<Result>(
  database: DatabaseLocation | string | undefined,
  mode: 'read-only' | 'read-write',
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const location = typeof database === 'object' ? database : databaseLocation(database)
  const storage = await openForCommand(location, mode)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}
