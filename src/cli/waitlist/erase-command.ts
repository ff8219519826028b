import { type CommandResult, createCommand, UsageError } from '@public-api/cli-kit/command'
import { flag, textOption } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import { formatInstant } from '@public-api/contract/text/instant'
import { formatLocation } from '../../storage/open-storage.ts'
import type { DatabaseLocation } from '../../storage/stores/storage.ts'
import { DATABASE_OPTION, databaseLocation, databasePlace, withDatabase } from '../database.ts'
import { deleteInBatches } from '../read-pages.ts'
import { confirm } from '../standard-input.ts'
import { withRegistration } from './with-registration.ts'

const PROMPT = 'Address to erase: '

const countIn = (database: DatabaseLocation) =>
  withDatabase(database, 'read-only', async ({ waitlist }) => (await waitlist.count()).total)

/** Erases every registration, also those that arrive meanwhile: the service may run. */
async function eraseAll(
  database: DatabaseLocation,
  dryRun: boolean,
  ask: (question: string) => Promise<void>,
): Promise<CommandResult> {
  const place = formatLocation(database)
  const found = await countIn(database)
  if (dryRun || found === 0) {
    const line = `Would erase ${pluralOf(found, 'registration')} in ${place}.`
    return {
      json: { erased: false, registrations: found },
      lines: [dryRun ? line : `The waitlist in ${place} is empty.`],
    }
  }
  await ask(
    `This erases ${pluralOf(found, 'registration')} in ${place}. Nothing can bring them back but a backup. Continue? (yes/no) `,
  )
  const registrations = await withDatabase(database, 'read-write', ({ waitlist }) =>
    // Every time is before it, also one of a clock that was wrong.
    deleteInBatches((limit) => waitlist.expire(Number.MAX_SAFE_INTEGER, limit)),
  )
  return {
    json: { erased: true, registrations },
    lines: [
      `Erased ${pluralOf(registrations, 'registration')} in ${place}.`,
      'Backups, exports and other copies still have them: erase them there too, or let them expire.',
      'The service accepts new registrations until early-access.yaml closes the waitlist.',
    ],
  }
}

export const command = createCommand({
  usage: ['waitlist erase [ADDRESS] [options]', 'waitlist erase --all [options]'],
  about: `Deletes the registration of an address from the waitlist and from the database
files. Requires the address-hash secret of the service (SVC_ADDRESS_HASH_SECRET
or its file in the secrets folder), but no identity. Backups keep the row.

Without ADDRESS, or with -, the address is read from standard input, so that it
does not appear in the shell history.

To verify a request, ask for the address and the ticket: with --ticket, nothing
is deleted unless both belong together.

With --all, deletes every registration, for a controller who ends the purpose.
It shows their number and asks. It requires no secret.`,
  options: {
    ticket: textOption('TICKET: delete only if the registration has this ticket'),
    all: flag('delete every registration'),
    yes: flag('with --all: delete without asking'),
    'dry-run': flag('check whether the address is listed, or count all; delete nothing'),
    database: DATABASE_OPTION,
  },
  exit: `0 done, 1 not on the list, another ticket, not confirmed or failure,
  2 wrong usage`,
  takesArguments: true,
  async run(parsed) {
    const { all, yes, ticket: wanted, 'dry-run': dryRun, database } = parsed.values
    if (all) {
      if (parsed.positionals.length > 0 || wanted !== undefined) {
        throw new UsageError('expected either --all or an address')
      }
      return eraseAll(databaseLocation(database), dryRun, async (question) => {
        if (!yes) await confirm(question, 'nothing was erased')
      })
    }
    if (yes) throw new UsageError('--yes needs --all')
    const { ticket, registeredAtMs } = dryRun
      ? await withRegistration(parsed, PROMPT, 'read-only')
      : await withRegistration(parsed, PROMPT, 'read-write', (waitlist, addressHash) =>
          waitlist.erase(addressHash),
        )
    const registeredAt = formatInstant(registeredAtMs)
    return {
      json: { erased: !dryRun, ticket, registeredAt },
      lines: [
        `${dryRun ? 'Would erase' : 'Erased'} the registration ${ticket} of ${registeredAt} in ${databasePlace(database)}.`,
      ],
    }
  },
})
