import { readFileSync, realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '@public-api/cli-kit/command'
import { isQuoted, NO_QUOTES } from '../environment-reader.ts'
import { EnvironmentFileMistake, parseEnvironmentFile } from './environment-file.ts'

/** The variables of the service on a machine with the systemd units. */
const SERVICE_FILE = '/etc/public-api/environment'
const PROGRAM_FOLDER = fileURLToPath(new URL('../../', import.meta.url))
/** Where an installation has its files, unless the variables of the service say otherwise. */
const DEFAULTS_FILE = path.join(PROGRAM_FOLDER, 'deploy', 'systemd', 'defaults.env')

/** The variables of a file; undefined if it does not exist. Throws a UsageError for one that cannot be read as systemd does. */
function readVariables(file: string): NodeJS.Dict<string> | undefined {
  try {
    return parseEnvironmentFile(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof EnvironmentFileMistake) throw new UsageError(`${file}, ${error.message}`)
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new UsageError(
      `${file} cannot be read (${code}), and it has the settings of the service here; expected a file that ${userInfo().username} can read (chmod 640 and its group), or another one in SVC_ENVIRONMENT_FILE`,
    )
  }
}

/**
 * Adds the variables of the service on this machine to an environment, in which those that are set win. The file is
 * `SVC_ENVIRONMENT_FILE`; an empty one means none. Returns a line for a person; undefined without a file. Throws a UsageError
 * if the file that it names does not exist, or if a file cannot be read: a command must not fall back to other settings.
 */
export function addServiceVariables(env: NodeJS.ProcessEnv): string | undefined {
  const named = env['SVC_ENVIRONMENT_FILE']
  const file = named ?? SERVICE_FILE
  if (file === '') return undefined
  const variables = readVariables(file)
  if (variables === undefined) {
    if (named === undefined) return undefined
    throw new UsageError(`SVC_ENVIRONMENT_FILE names ${file}, which does not exist`)
  }
  Object.assign(env, { ...readVariables(DEFAULTS_FILE), ...variables, ...env })
  env['SVC_ENVIRONMENT_FILE'] = file
  return `Using the settings of ${file}`
}

function resolved(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return path.resolve(folder)
  }
}

/**
 * The folder of an option, else of its variable, else the default. Throws a UsageError for one in the program's own
 * checkout on a machine that has a service, unless the variable names it: what is there belongs to another organization.
 */
export function chooseFolder(
  option: string | undefined,
  variable: string,
  fallback: string,
): string {
  const { env } = process
  const configured = env[variable]?.trim() ?? ''
  if (isQuoted(configured)) throw new UsageError(`${variable}: expected ${NO_QUOTES}`)
  if (option === undefined && configured !== '') return configured
  const folder = option ?? fallback
  const file = env['SVC_ENVIRONMENT_FILE'] ?? ''
  if (file === '' && env['SVC_RUNTIME'] !== 'production') return folder
  const relative = path.relative(resolved(PROGRAM_FOLDER), resolved(folder))
  if (relative.startsWith('..') || path.isAbsolute(relative)) return folder
  const found = file === '' ? 'SVC_RUNTIME is production' : `${file} configures a service here`
  throw new UsageError(
    `${folder} belongs to the program itself, and ${found}; name another one (${variable}), or use it with --checkout`,
  )
}
