import { createCommand } from '@public-api/cli-kit/command'
import { pluralOf } from '@public-api/cli-kit/wording'
import { formatInstant } from '@public-api/contract/text/instant'
import { DATABASE_OPTION, databasePlace, withDatabase } from '../database.ts'

export const command = createCommand({
  usage: 'waitlist count [options]',
  about: `Prints the number of registrations on the waitlist, the times of the first and
the last one, and their age recipients. Requires no secret.`,
  options: {
    database: DATABASE_OPTION,
  },
  async run({ values }) {
    const { total, byRecipient, ...times } = await withDatabase(
      values.database,
      'read-only',
      ({ waitlist }) => waitlist.count(),
    )
    const [first, last] = [times.firstRegisteredAtMs, times.lastRegisteredAtMs].map((ms) =>
      ms === undefined ? null : formatInstant(ms),
    )
    const place = databasePlace(values.database)
    const width = String(total).length
    const lines = [
      `${pluralOf(total, 'registration')} on the waitlist in ${place}.`,
      `First: ${first}`,
      `Last:  ${last}`,
      'Encrypted to:',
      ...byRecipient.map(
        ({ recipient, count }) => `  ${String(count).padStart(width)}  ${recipient}`,
      ),
    ]
    return {
      json: { total, firstRegisteredAt: first, lastRegisteredAt: last, byRecipient },
      lines: total === 0 ? [`The waitlist in ${place} is empty.`] : lines,
    }
  },
})
