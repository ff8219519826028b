import { isDeepStrictEqual } from 'node:util'
import { CommandFailure, createCommand, UsageError } from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import { withProgress, type Progress } from '@public-api/cli-kit/progress'
import { pluralOf } from '@public-api/cli-kit/wording'
import { formatLocation } from '../../storage/open-storage.ts'
import type { Storage } from '../../storage/stores/storage.ts'
import { databaseLocation, readConfig, withDatabase } from '../database.ts'
import { readKeyPages, readRegistrationPages } from '../read-pages.ts'

/** Copies all existing keys, even if there are more than the limit of active keys. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

/**
 * Copies every row and compares it with its copy. Counts the rows of the source, and those that differ in the target.
 * Rejects with a StorageError. Rows that were copied before stay.
 */
export async function copyStorage(
  source: Storage,
  target: Storage,
  progress: Pick<Progress, 'advance'>,
) {
  const result = { registrations: 0, keys: 0, differing: 0 }
  for await (const page of readRegistrationPages(source.waitlist)) {
    for (const row of page) {
      await target.waitlist.add(row)
      const copied = await target.waitlist.find(row.addressHash)
      // Every database assigns the position itself.
      const expected = { ...row, position: copied?.position }
      result.differing += Number(!isDeepStrictEqual(copied, expected))
    }
    result.registrations += page.length
    progress.advance(page.length)
  }
  for await (const page of readKeyPages(source.apiKeys)) {
    for (const key of page) {
      await target.apiKeys.add(key, NO_LIMIT)
      result.differing += Number(!isDeepStrictEqual(await target.apiKeys.find(key.keyId), key))
    }
    result.keys += page.length
    progress.advance(page.length)
  }
  return result
}

export const command = createCommand({
  usage: 'db copy --from FILE [options]',
  about: `Copies the waitlist and the API keys from an SQLite database FILE into the
PostgreSQL database of SVC_DATABASE_URL, in the same order, and compares
every row. Stop the service first, because rows stored during the copy may be
missed. FILE is only read. Another run copies missing rows.

Tickets, encrypted content, hashes and dates do not change, so keep the same
secrets.`,
  options: {
    from: textOption('FILE: the SQLite database to copy'),
  },
  exit: '0 every row matches, 1 a row differs or failure, 2 wrong usage',
  async run({ values }) {
    if (values.from === undefined) throw new UsageError('expected --from FILE')
    const from = databaseLocation(values.from)
    if (from.kind !== 'sqlite') throw new UsageError('--from expects an SQLite database file')
    const { database: to } = readConfig()
    if (to.kind !== 'postgres') {
      throw new CommandFailure(
        'TARGET',
        `expected a postgres:// URL in SVC_DATABASE_URL, found the SQLite database ${to.file}`,
      )
    }
    const where = formatLocation(to)
    const { registrations, keys, differing } = await withDatabase(from, 'read-only', (source) =>
      withDatabase(to, 'read-write', async (target) => {
        const { total } = await source.waitlist.count()
        return withProgress('Copying', total, (progress) => copyStorage(source, target, progress))
      }),
    )
    if (differing > 0) {
      throw new CommandFailure(
        'DIFFERS',
        `${pluralOf(differing, 'row')} in ${where} differ from ${from.file}; both databases have a row of the same address or key ID`,
      )
    }
    return {
      json: { registrations, keys },
      lines: [
        `Copied ${pluralOf(registrations, 'registration')} and ${pluralOf(keys, 'API key')} to ${where}; every row matches.`,
      ],
    }
  },
})
