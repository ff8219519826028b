import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where units are copied to (docs/operating.md). */
export const UNITS_FOLDER = '/etc/systemd/system'
/** The folder of the program that the units name. */
const DOCUMENTED_FOLDER = '/opt/public-api'

const UNIT = /^public-api[\w-]*@?\.(?:service|timer)$/

/** The names in a folder; none if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const listUnits = (folder: string) => namesIn(folder).filter((name) => UNIT.test(name))

function readUnit(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Timers that are enabled, by the names of their links. */
const enabledTimers = (installed: string) =>
  namesIn(path.join(installed, 'timers.target.wants')).filter((name) =>
    /^public-api.*\.timer$/.test(name),
  )

/** A warning if the timer that backs up SQLite is enabled with another database: its service fails each night. */
export function backupTimerWarnings(
  database: 'sqlite' | 'postgres',
  installed: string = UNITS_FOLDER,
): readonly string[] {
  const timer = 'public-api-backup.timer'
  if (database === 'sqlite' || !enabledTimers(installed).includes(timer)) return []
  return [
    `${timer} in ${installed} is enabled and backs up SQLite alone, so nothing backs up PostgreSQL by it; sudo systemctl disable --now ${timer}, and see docs/postgresql.md#backups`,
  ]
}

/**
 * Warnings about units of this service in systemd's folder that are not those of the program: copies of an older release
 * call commands that have another name now, or run as another user.
 */
export function installedUnitWarnings(
  installed: string = UNITS_FOLDER,
  program: string = fileURLToPath(new URL('../../', import.meta.url)),
): readonly string[] {
  const shipped = path.join(program, 'deploy', 'systemd')
  const current = new Set(listUnits(shipped))
  const folder = realpathSync(program)
  const changed = listUnits(installed)
    .filter((name) => current.has(name))
    .filter((name) => {
      const text = readUnit(path.join(installed, name))
      const expected = readUnit(path.join(shipped, name))
      return text !== undefined && text.replaceAll(folder, DOCUMENTED_FOLDER) !== expected
    })
  const unitOf = (timer: string) => timer.replace(/@.*\.timer$/, '@.timer')
  const gone = new Set([
    ...listUnits(installed).filter((name) => !current.has(name)),
    ...enabledTimers(installed).filter((timer) => !current.has(unitOf(timer))),
  ])
  return [
    changed.length > 0 &&
      `${changed.join(', ')} in ${installed} differ from ${shipped}, so an older release may have written them; copy them again, then sudo systemctl daemon-reload (changes of yours belong into sudo systemctl edit UNIT)`,
    ...[...gone].map((name) => {
      const perUser = name.replace('.', '@.')
      const advice = current.has(perUser) ? `, and enable ${name.replace('.', '@USER.')}` : ''
      return `${name} in ${installed} does not exist in this release; sudo systemctl disable --now ${name}, then remove the file${advice}`
    }),
  ].filter((each) => each !== false)
}
