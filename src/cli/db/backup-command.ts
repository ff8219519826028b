import { createCommand } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { pluralOf } from '@public-api/cli-kit/wording'
import { backUpDatabase } from '../../storage/sqlite/sqlite-backup.ts'
import { DATABASE_OPTION, databaseLocation, requireSqlite, withDatabase } from '../database.ts'

export const command = createCommand({
  usage: 'db backup FILE [options]',
  about: `Copies the embedded database to a new file, readable by its owner only, while
the service runs. The backup is consistent, verified, and contains no erased
data. An existing file is never overwritten.

For PostgreSQL use pg_dump.`,
  options: {
    database: DATABASE_OPTION,
  },
  takesArguments: true,
  async run({ values, positionals }) {
    const file = onlyArgument(positionals, 'FILE')
    const source = requireSqlite(databaseLocation(values.database), 'pg_dump')
    await backUpDatabase(source, file)
    const { total, keys } = await withDatabase(
      { kind: 'sqlite', file },
      'read-only',
      async ({ waitlist, apiKeys }) => {
        const { active, expired, revoked } = await apiKeys.count(Date.now())
        return { total: (await waitlist.count()).total, keys: active + expired + revoked }
      },
    )
    return {
      json: { file, registrations: total, keys },
      lines: [
        `Backed up ${pluralOf(total, 'registration')} and ${pluralOf(keys, 'key')} of ${source} to ${file}.`,
      ],
    }
  },
})
