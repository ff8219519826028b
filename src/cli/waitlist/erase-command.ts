import { createCommand } from '@public-api/cli-kit/command'
import { flag, textOption } from '@public-api/cli-kit/options'
import { formatInstant } from '@public-api/contract/text/instant'
import { DATABASE_OPTION } from '../database.ts'
import { withRegistration } from './with-registration.ts'

const PROMPT = 'Address to erase: '

export const command = createCommand({
  usage: 'waitlist erase [ADDRESS] [options]',
  about: `Deletes the registration of an address from the waitlist and from the database
files. Requires the address-hash secret of the service (SVC_ADDRESS_HASH_SECRET
or its file in the secrets folder), but no identity. Backups keep the row.

Without ADDRESS, or with -, the address is read from standard input, so that it
does not appear in the shell history.

To verify a request, ask for the address and the ticket: with --ticket, nothing
is deleted unless both belong together.`,
  options: {
    ticket: textOption('TICKET: delete only if the registration has this ticket'),
    'dry-run': flag('check whether the address is listed; delete nothing'),
    database: DATABASE_OPTION,
  },
  exit: '0 done, 1 not on the list, another ticket or failure, 2 wrong usage',
  takesArguments: true,
  async run(parsed) {
    const dryRun = parsed.values['dry-run']
    const { ticket, registeredAtMs } = dryRun
      ? await withRegistration(parsed, PROMPT, 'read-only')
      : await withRegistration(parsed, PROMPT, 'read-write', (waitlist, addressHash) =>
          waitlist.erase(addressHash),
        )
    const registeredAt = formatInstant(registeredAtMs)
    return {
      json: { erased: !dryRun, ticket, registeredAt },
      lines: [
        `${dryRun ? 'Would erase' : 'Erased'} the registration ${ticket} of ${registeredAt}.`,
      ],
    }
  },
})
