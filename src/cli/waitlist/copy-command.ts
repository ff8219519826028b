import { copyDatabase } from '../../storage/sqlite-copy.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { type Command, createCommand, EXIT_CODES, UsageError } from '../command.ts'
import { databaseLocation, withStorage } from '../database.ts'
import { pluralOf } from '../wording.ts'

const HELP = `Usage: svc waitlist copy FILE [options]

Copies the database to a new file, readable by its owner alone, while the
service goes on: to take to the machine that has the identity, or as a backup.
The copy is of one moment. An existing file is never overwritten.

Options:
  --database FILE  the database (default: the one of the configuration)
  --json           print the result as one JSON object
  -h, --help       print this text

Exit code: 0 done, 1 failure, 2 wrong usage.`

/** How many registrations a copy holds; null where it is of an older version, which is copied as it is and not read. */
async function countIn(file: string): Promise<number | null> {
  try {
    const copy = { kind: 'sqlite', file } as const
    const { total } = await withStorage(copy, 'read-only', ({ waitlist }) => waitlist.count())
    return total
  } catch (error) {
    if (error instanceof StorageError && error.code === 'OLDER') return null
    throw error
  }
}

/** `svc waitlist copy`. */
export const copyCommand: Command = createCommand({
  help: HELP,
  options: { database: { type: 'string' }, json: { type: 'boolean', default: false } },
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [file, ...others] = positionals
    if (file === undefined || others.length > 0)
      throw new UsageError('expected one FILE to copy to')
    const database = databaseLocation(values.database)
    if (database.kind === 'postgres') {
      throw new UsageError('expected an SQLite database; use pg_dump for PostgreSQL')
    }
    await copyDatabase(database.file, file)
    const total = await countIn(file)
    if (values.json) output.out(JSON.stringify({ ok: true, file, total }))
    else
      output.out(
        `Copied ${total === null ? 'the database' : pluralOf(total, 'registration')} to ${file}.`,
      )
    return EXIT_CODES.done
  },
})
