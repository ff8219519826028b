import { formatInstant } from '../../contract/instant.ts'
import { formatLocation } from '../../storage/open-storage.ts'
import { createCommand } from '../../../packages/cli/src/command/command.ts'
import { flag, textOption } from '../../../packages/cli/src/command/options.ts'
import { DATABASE_OPTION, databaseLocation, withStorage } from '../database.ts'
import {
  findRegistration,
  hashAddressArgument,
  parseRegistrationArguments,
} from './address-argument.ts'

/** `svc waitlist erase`. */
export const command = createCommand({
  usage: 'waitlist erase [ADDRESS] [options]',
  about: `Deletes the registration of an address from the waitlist and from the database
files. Requires the address-hash secret of the service (SVC_ADDRESS_HASH_SECRET
or its file in the secrets folder), but no identity. Backups keep the row.

Without ADDRESS, or with -, the address is read from standard input, so that it
does not appear in the shell history.

A person proves a request by the address and the ticket: with --ticket, nothing
is deleted unless both belong together.`,
  options: {
    ticket: textOption('TICKET: delete only if the registration has this ticket'),
    'dry-run': flag('check whether the address is listed; delete nothing'),
    database: DATABASE_OPTION,
  },
  exit: '0 done, 1 not on the list, another ticket or failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    const { given, ticket } = parseRegistrationArguments(positionals, values.ticket)
    const dryRun = values['dry-run']
    const database = databaseLocation(values.database)
    const address = await hashAddressArgument(given, 'Address to erase: ')
    const found = await withStorage(
      database,
      dryRun ? 'read-only' : 'read-write',
      async ({ waitlist }) => {
        const row = await findRegistration(waitlist, address, ticket, formatLocation(database))
        if (!dryRun) await waitlist.erase(address.addressHash)
        return row
      },
    )
    const registeredAt = formatInstant(found.registeredAtMs)
    const done = dryRun ? 'Would erase' : 'Erased'
    return {
      json: { erased: !dryRun, ticket: found.ticket, registeredAt },
      lines: [`${done} the registration ${found.ticket} of ${registeredAt}.`],
    }
  },
})
