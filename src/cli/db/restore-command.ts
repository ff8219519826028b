import { CommandFailure, createCommand } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { flag } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import { formatInstant } from '@public-api/contract/text/instant'
import { restoreDatabase } from '../../storage/sqlite/sqlite-backup.ts'
import { StorageError } from '../../storage/stores/storage-error.ts'
import {
  DATABASE_OPTION,
  databaseLocation,
  databasePlace,
  requireSqlite,
  withDatabase,
} from '../database.ts'

export const command = createCommand({
  usage: 'db restore FILE [options]',
  about: `Replaces the content of the embedded database with a backup, in one transaction,
also while the service runs. FILE is checked first and not changed. An existing
database is refused without --force: everything in it is lost.

This also restores registrations and keys that were erased or revoked after the
backup. Erase and revoke them again.

For PostgreSQL use pg_restore.`,
  options: {
    force: flag('replace an existing database'),
    database: DATABASE_OPTION,
  },
  takesArguments: true,
  async run({ values, positionals }) {
    const file = onlyArgument(positionals, 'FILE')
    const location = databaseLocation(values.database)
    await restoreDatabase(file, requireSqlite(location, 'pg_restore'), {
      force: values.force,
    }).catch((error: unknown) => {
      if (!(error instanceof StorageError) || error.code !== 'EXISTS') throw error
      throw new CommandFailure('EXISTS', `${error.message}; --force replaces it`)
    })
    // Opening for writing migrates a backup of an older version.
    const { total, lastRegisteredAtMs } = await withDatabase(
      location,
      'read-write',
      ({ waitlist }) => waitlist.count(),
    )
    const newest = lastRegisteredAtMs === undefined ? null : formatInstant(lastRegisteredAtMs)
    const until = newest === null ? '' : `, the newest of ${newest}`
    return {
      json: { file, registrations: total, newest },
      lines: [
        `Restored ${pluralOf(total, 'registration')}${until}, into ${databasePlace(values.database)}.`,
        'Erase and revoke again what was erased or revoked after the backup was made.',
      ],
    }
  },
})
