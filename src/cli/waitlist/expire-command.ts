import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { numberOption } from '@public-api/cli-kit/option-values'
import { flag } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import { DAY_MS, formatInstant } from '@public-api/contract/text/instant'
import { DATABASE_OPTION, databasePlace, withDatabase } from '../database.ts'
import { countRows, deleteInBatches, readRegistrationPages } from '../read-pages.ts'

export const command = createCommand({
  usage: 'waitlist expire --older-than DAYS [options]',
  about: `Deletes all registrations that are older than this, from the waitlist and from
the database files, also while the service runs: for the retention period that
the privacy page names. Requires no secret. Backups keep the rows.`,
  options: {
    'older-than': numberOption('DAYS: the age in days, 1 to 36500', [1, 36_500]),
    'dry-run': flag('count the registrations; delete nothing'),
    database: DATABASE_OPTION,
  },
  exit: '0 done, also with nothing to delete, 1 failure, 2 wrong usage',
  async run({ values }) {
    const given = values['older-than']
    if (given === undefined) throw new UsageError('expected --older-than DAYS')
    const beforeMs = Date.now() - given * DAY_MS
    const dryRun = values['dry-run']
    const registrations = await withDatabase(
      values.database,
      dryRun ? 'read-only' : 'read-write',
      ({ waitlist }) =>
        dryRun
          ? countRows(
              readRegistrationPages(waitlist),
              ({ registeredAtMs }) => registeredAtMs < beforeMs,
            )
          : deleteInBatches((limit) => waitlist.expire(beforeMs, limit)),
    )
    const before = formatInstant(beforeMs)
    const done = dryRun ? 'Would delete' : 'Deleted'
    return {
      json: { dryRun, registrations, before },
      lines: [
        `${done} ${pluralOf(registrations, 'registration')} from before ${before} in ${databasePlace(values.database)}.`,
      ],
    }
  },
})
