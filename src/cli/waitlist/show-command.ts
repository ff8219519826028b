import { createDecryptor } from '../../crypto/age-file.ts'
import { formatLocation } from '../../storage/open-storage.ts'
import { createCommand, EXIT_CODES, UsageError } from '../../../packages/cli/src/command/command.ts'
import { textOption, textOptions } from '../../../packages/cli/src/command/options.ts'
import { DATABASE_OPTION, databaseLocation, readConfig, withStorage } from '../database.ts'
import {
  findRegistration,
  hashAddressArgument,
  parseRegistrationArguments,
} from './address-argument.ts'
import { formatEntryAsJson, formatShownEntry } from './export-rows.ts'
import { readIdentities } from './identities.ts'
import { openRow } from './open-rows.ts'

/** `svc waitlist show`. */
export const command = createCommand({
  usage: 'waitlist show [ADDRESS] [options]',
  about: `Prints everything that is stored about one person, to answer a request for
access: the registration and the consent statement that the person agreed to.
Requires the identity, and the address-hash secret of the service
(SVC_ADDRESS_HASH_SECRET or its file in the secrets folder).

Without ADDRESS, or with -, the address is read from standard input, so that it
does not appear in the shell history.`,
  options: {
    ticket: textOption('TICKET: print only if the registration has this ticket'),
    identity:
      textOptions(`FILE: file with age identities; repeatable (default: waitlist-identity.txt
      in the secrets folder)`),
    database: DATABASE_OPTION,
  },
  json: 'print the registration as one JSON object',
  exit: '0 done, 1 not on the list, another ticket or failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }, output) {
    const { given, ticket } = parseRegistrationArguments(positionals, values.ticket)
    if (given === '-' && values.identity?.includes('-') === true) {
      throw new UsageError('standard input cannot be both the address and the identity')
    }
    const database = databaseLocation(values.database)
    const decryptor = await createDecryptor(await readIdentities(values.identity ?? [], readConfig))
    const address = await hashAddressArgument(given, 'Address to show: ')
    const row = await withStorage(database, 'read-only', ({ waitlist }) =>
      findRegistration(waitlist, address, ticket, formatLocation(database)),
    )
    const { entry } = await openRow(row, decryptor)
    const lines = values.json ? [formatEntryAsJson(entry)] : formatShownEntry(entry)
    for (const line of lines) output.out(line)
    return EXIT_CODES.done
  },
})
