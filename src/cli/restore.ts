import { formatInstant } from '../contract/instant.ts'
import { restoreDatabase } from '../storage/sqlite-backup.ts'
import { createCommand, UsageError } from '../../packages/cli/src/command/command.ts'
import { databaseLocation, requireSqlite, withStorage } from './database.ts'
import { pluralOf } from '../../packages/cli/src/command/wording.ts'

const HELP = `Usage: svc restore FILE [options]

Replaces the content of the embedded database with a backup, in one transaction,
also while the service runs. FILE is checked first and not changed. An existing
database is refused without --force: everything in it is lost.

Registrations that were erased and keys that were revoked after the backup was
made are back. Erase and revoke them again.

For PostgreSQL use pg_restore.

Options:
  --force          replace an existing database
  --database FILE  the database (default: the one of the configuration)
  --json           print the result as one JSON object
  -h, --help       print this text

Exit code: 0 done, 1 failure, 2 wrong usage.`

const OPTIONS = {
  force: { type: 'boolean', default: false },
  database: { type: 'string' },
} as const

/** `svc restore`. */
export const restoreCommand = createCommand({
  help: HELP,
  options: OPTIONS,
  takesArguments: true,
  async run({ values, positionals }) {
    const [file, ...others] = positionals
    if (file === undefined || others.length > 0) throw new UsageError('expected one FILE')
    const location = databaseLocation(values.database)
    await restoreDatabase(file, requireSqlite(location, 'pg_restore'), { force: values.force })
    // Opening for writing migrates a backup of an older version.
    const { total, lastRegisteredAtMs } = await withStorage(
      location,
      'read-write',
      ({ waitlist }) => waitlist.count(),
    )
    const newest = lastRegisteredAtMs === undefined ? null : formatInstant(lastRegisteredAtMs)
    const until = newest === null ? '' : `, the newest of ${newest}`
    return {
      json: { file, registrations: total, newest },
      lines: [
        `Restored ${pluralOf(total, 'registration')}${until}.`,
        'Erase and revoke again what was erased or revoked after the backup was made.',
      ],
    }
  },
})
