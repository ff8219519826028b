import { formatInstant } from '../../contract/instant.ts'
import type { WaitlistCount } from '../../storage/waitlist-store.ts'
import { createCommand } from '../../../packages/cli/src/command/command.ts'
import { DATABASE_OPTION, databaseLocation, withStorage } from '../database.ts'
import { pluralOf } from '../../../packages/cli/src/command/wording.ts'
import { shortRecipient } from './format-row.ts'

function formatCount({
  total,
  firstRegisteredAtMs,
  lastRegisteredAtMs,
  byRecipient,
}: WaitlistCount) {
  if (total === 0 || firstRegisteredAtMs === undefined || lastRegisteredAtMs === undefined) {
    return ['The waitlist is empty.']
  }
  const width = String(total).length
  return [
    `${pluralOf(total, 'registration')} on the waitlist.`,
    `First: ${formatInstant(firstRegisteredAtMs)}`,
    `Last:  ${formatInstant(lastRegisteredAtMs)}`,
    'Encrypted to:',
    ...byRecipient.map(
      ({ recipient, count }) => `  ${String(count).padStart(width)}  ${shortRecipient(recipient)}`,
    ),
  ]
}

/** `svc waitlist count`. */
export const command = createCommand({
  usage: 'waitlist count [options]',
  about: `Prints the number of registrations on the waitlist, the times of the first and
the last one, and their age recipients. Requires no secret.`,
  options: {
    database: DATABASE_OPTION,
  },
  async run({ values }) {
    const count = await withStorage(
      databaseLocation(values.database),
      'read-only',
      ({ waitlist }) => waitlist.count(),
    )
    const { total, firstRegisteredAtMs, lastRegisteredAtMs, byRecipient } = count
    const momentOrNull = (ms: number | undefined) => (ms === undefined ? null : formatInstant(ms))
    return {
      json: {
        total,
        firstRegisteredAt: momentOrNull(firstRegisteredAtMs),
        lastRegisteredAt: momentOrNull(lastRegisteredAtMs),
        byRecipient,
      },
      lines: formatCount(count),
    }
  },
})
