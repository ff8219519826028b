import { createCommand, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { textOption } from '@public-api/cli-kit/options'
import { createDecryptor } from '../../crypto/age-file.ts'
import { DATABASE_OPTION, readConfig } from '../database.ts'
import { formatEntryAsJson, formatShownEntry } from './export-rows.ts'
import { IDENTITY_OPTION, readIdentities } from './identities.ts'
import { openRow } from './open-rows.ts'
import { withRegistration } from './with-registration.ts'

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
    identity: IDENTITY_OPTION,
    database: DATABASE_OPTION,
  },
  json: 'print the registration as one JSON object',
  exit: '0 done, 1 not on the list, another ticket or failure, 2 wrong usage',
  takesArguments: true,
  async run(parsed, output) {
    const { values, positionals } = parsed
    const { identity = [] } = values
    if (onlyArgument(positionals, 'address', '-') === '-' && identity.includes('-')) {
      throw new UsageError('standard input cannot be both the address and the identity')
    }
    const decryptor = await createDecryptor(await readIdentities(identity, readConfig))
    const row = await withRegistration(parsed, 'Address to show: ', 'read-only')
    const { entry } = await openRow(row, decryptor)
    const lines = values.json ? [formatEntryAsJson(entry)] : formatShownEntry(entry)
    for (const line of lines) output.out(line)
    return EXIT_CODES.done
  },
})
