import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { createInterface } from 'node:readline/promises'

import { type Config, SECRET_VARIABLES } from '../../config.ts'
import { parseEmailAddress } from '../../contract/email-address.ts'
import { createKeyedHash } from '../../crypto/keyed-hash.ts'
import { inspectSecrets } from '../../secrets.ts'
import { ADDRESS_HASH_LABEL } from '../../service/waitlist-entry.ts'
import type { ErasedRegistration, WaitlistStore } from '../../storage/storage.ts'
import { type Command, EXIT_CODES, parseCommandArgs, UsageError } from '../command.ts'
import { CommandFailure, tellingFailures } from './command-failure.ts'
import { databaseFile, readConfig, withWaitlist } from './database.ts'
import { formatMoment } from './wording.ts'

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

const PAGE_ROWS = 1000

async function readInput(): Promise<string> {
  if (!process.stdin.isTTY) return readAll(process.stdin)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question('Address to erase: ')
  } finally {
    terminal.close()
  }
}

/** The one address of the arguments or the input, normalized. Rejects with a UsageError that does not repeat it. */
async function readAddress(positionals: readonly string[]): Promise<string> {
  if (positionals.length > 1) throw new UsageError('expected one address')
  const [given = '-'] = positionals
  const text = given === '-' ? await readInput() : given
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1) throw new UsageError('expected one address on standard input')
  const address = parseEmailAddress(lines[0] ?? '')
  if (address !== undefined) return address.normalized
  throw new UsageError('expected an e-mail address, such as ada@example.org')
}

/** The secret under which addresses are hashed, and where it stands. Throws a CommandFailure. */
function readHashSecret(config: Config): { readonly secret: string; readonly place: string } {
  const { variable, file } = SECRET_VARIABLES.addressHashSecret
  const inFolder = path.join(config.secretsDir, file)
  const { secrets, mistakes } = inspectSecrets(config)
  if (secrets.addressHashSecret !== undefined) {
    const isInVariable = config.secretVariables.addressHashSecret !== undefined
    return { secret: secrets.addressHashSecret, place: isInVariable ? variable : inFolder }
  }
  const mistake = mistakes.find((each) =>
    [variable, inFolder].some((at) => each.startsWith(`${at}:`)),
  )
  throw new CommandFailure(
    'ADDRESS_HASH_SECRET',
    mistake ?? `expected the address-hash secret in ${variable} or ${inFolder}, found neither`,
  )
}

/** The registration with a hash, by reading the list: the store itself finds only what it erases. */
async function find(
  store: WaitlistStore,
  addressHash: Uint8Array,
): Promise<ErasedRegistration | undefined> {
  let position = 0
  for (;;) {
    const page = await store.readAfter(position, PAGE_ROWS)
    const row = page.find((each) => Buffer.from(each.addressHash).equals(addressHash))
    const last = page.at(-1)
    if (row !== undefined || last === undefined) return row
    position = last.position
  }
}

/** `svc waitlist erase`. */
export const eraseCommand: Command = {
  help: HELP,
  async run(args, output) {
    const { values, positionals } = parseCommandArgs(args, OPTIONS, true)
    if (values.help === true) {
      output.out(HELP)
      return EXIT_CODES.done
    }
    const dryRun = values['dry-run']
    return tellingFailures('erase', values.json, output, async () => {
      const { secret, place } = readHashSecret(readConfig())
      const database = databaseFile(values.database)
      const normalized = await readAddress(positionals)
      const addressHash = createKeyedHash(secret, ADDRESS_HASH_LABEL)(normalized)
      const found = await withWaitlist(database, dryRun ? 'read-only' : 'read-write', (store) =>
        dryRun ? find(store, addressHash) : store.erase(addressHash),
      )
      if (found === undefined) {
        throw new CommandFailure(
          'NOT_ON_LIST',
          `the address is not on the list in ${database}, as far as the secret in ${place} can tell`,
        )
      }
      const registeredAt = formatMoment(found.registeredAtMs)
      if (values.json) {
        output.out(
          JSON.stringify({ ok: true, erased: !dryRun, ticket: found.ticket, registeredAt }),
        )
      } else {
        const done = dryRun ? 'Would erase' : 'Erased'
        output.out(`${done} the registration ${found.ticket} of ${registeredAt}.`)
      }
      return EXIT_CODES.done
    })
  },
}
