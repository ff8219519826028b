import { createCommand } from '@public-api/cli-kit/command'
import { checkDatabase } from '../../storage/sqlite/sqlite-backup.ts'
import { DATABASE_OPTION, databaseLocation, requireSqlite } from '../database.ts'

export const command = createCommand({
  usage: 'db check [options]',
  about: `Checks every page, index and reference of the embedded database, also while the
service runs. It changes nothing. 'svc db backup' does the same check first.

For PostgreSQL use pg_amcheck.`,
  options: {
    database: DATABASE_OPTION,
  },
  async run({ values }) {
    const file = requireSqlite(databaseLocation(values.database), 'pg_amcheck')
    checkDatabase(file)
    return { json: { file, intact: true }, lines: [`${file} is intact.`] }
  },
})
