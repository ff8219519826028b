import { parseEmailAddress } from '../../contract/email-address.ts'
import { formatInstant } from '../../contract/instant.ts'
import { createKeyedHash } from '../../crypto/keyed-hash.ts'
import { formatLocation } from '../../storage/open-storage.ts'
import { ADDRESS_HASH_LABEL } from '../../service/waitlist-entry.ts'
import { type Command, createCommand, EXIT_CODES, UsageError } from '../command.ts'
import { CommandFailure } from '../command-failure.ts'
import { databaseLocation, readConfig, withStorage } from '../database.ts'
import { readHashSecret } from '../hash-secret.ts'
import { readOneLine } from '../standard-input.ts'

const HELP = `Usage: svc waitlist erase [ADDRESS] [options]

Takes the registration of an address off the waitlist, and out of the database
file. Needs the address-hash secret of the service (SVC_ADDRESS_HASH_SECRET or
its file in the secrets folder), and no identity.

Without ADDRESS, or with -, the address is read from standard input, so that it
does not stand in the shell's history. Copies and backups keep the row.

Options:
  --dry-run        look whether the address is on the list; erase nothing
  --database FILE  the database (default: the one of the configuration)
  --json           print the result as one JSON object
  -h, --help       print this text

Exit code: 0 done, 1 not on the list or failure, 2 wrong usage.`

const OPTIONS = {
  'dry-run': { type: 'boolean', default: false },
  database: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

/** The address that was given, or with `-` the one of the input, normalized. Rejects with a UsageError that does not repeat it. */
async function readAddress(given: string): Promise<string> {
  const text = given === '-' ? await readOneLine('address', 'Address to erase: ') : given
  const address = parseEmailAddress(text)
  if (address !== undefined) return address.normalized
  throw new UsageError('expected an e-mail address, such as ada@example.org')
}

/** `svc waitlist erase`. */
export const eraseCommand: Command = createCommand({
  help: HELP,
  options: OPTIONS,
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [given = '-', ...others] = positionals
    if (others.length > 0) throw new UsageError('expected one address')
    const dryRun = values['dry-run']
    const { secret, place } = readHashSecret(readConfig(), 'addressHashSecret')
    const database = databaseLocation(values.database)
    const normalized = await readAddress(given)
    const addressHash = createKeyedHash(secret, ADDRESS_HASH_LABEL)(normalized)
    const found = await withStorage(database, dryRun ? 'read-only' : 'read-write', ({ waitlist }) =>
      dryRun ? waitlist.find(addressHash) : waitlist.erase(addressHash),
    )
    if (found === undefined) {
      throw new CommandFailure(
        'NOT_ON_LIST',
        `the address is not on the list in ${formatLocation(database)}, judged by the secret in ${place}`,
      )
    }
    const registeredAt = formatInstant(found.registeredAtMs)
    if (values.json) {
      output.out(JSON.stringify({ ok: true, erased: !dryRun, ticket: found.ticket, registeredAt }))
    } else {
      const done = dryRun ? 'Would erase' : 'Erased'
      output.out(`${done} the registration ${found.ticket} of ${registeredAt}.`)
    }
    return EXIT_CODES.done
  },
})
