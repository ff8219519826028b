import { randomBytes } from 'node:crypto'

import { ApiError } from '../../contract/api-error.ts'
import { API_KEY_LABEL_PATTERN } from '../../contract/api-key.ts'
import { type Issuance, ISSUANCE } from '../../contract/issuance.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { DataOf } from '../../contract/schemas.ts'
import { SYSTEM_CLOCK } from '../../service/clock.ts'
import { TooManyKeysError } from '../../service/api-keys.ts'
import { createStoredApiKeys } from '../../service/stored-api-keys.ts'
import type { ApiKeyStore } from '../../storage/api-key-store.ts'
import { createMemoryCounters } from '../../storage/memory-counters.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'
import {
  type Command,
  createCommand,
  EXIT_CODES,
  UsageError,
} from '../../../packages/cli/src/command/command.ts'
import { databaseLocation, readConfig, withStorage } from '../database.ts'
import { readHashSecret } from '../hash-secret.ts'
import { parseWholeNumber } from '../../../packages/cli/src/command/option-values.ts'
import { writeToStandardOutput } from '../standard-output.ts'

const { minTtlDays, maxTtlDays, defaultTtlDays, maxActiveKeys, maxLabelLength } = LIMITS

const HELP = `Usage: svc keys issue [options]

Makes an API key and prints it, this once: only its hash is kept. The key stands
alone on standard output; what else there is to say goes to standard error.

Obeys the registry: while issuing is paused there, no key is made. No option,
variable or file changes that, only a reviewed change of the registry does.

Needs the key-hash secret of the service (SVC_KEY_HASH_SECRET or its file in the
secrets folder). At most ${maxActiveKeys} keys are active at one time, those that the
service issued included. The hourly limit of the service is counted in its own
process and does not hold here: whoever can run this can write to the database.

Options:
  --label LABEL      a name for the key: 1 to ${maxLabelLength} letters, digits, spaces, "."
                     "_" and "-" (default: none)
  --ttl-days DAYS    how long it is good, ${minTtlDays} to ${maxTtlDays} days (default: ${defaultTtlDays})
  --database FILE    the database (default: the one of the configuration)
  --json             print the key and what is known of it as one JSON object
  -h, --help         print this text

Exit code: 0 done, 1 issuing is paused or failure, 2 wrong usage.`

const OPTIONS = {
  label: { type: 'string' },
  'ttl-days': { type: 'string', default: String(defaultTtlDays) },
  database: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

const TTL_DAYS = { unit: 'days', least: minTtlDays, most: maxTtlDays }
const LABEL = new RegExp(API_KEY_LABEL_PATTERN)

type IssuedKey = DataOf<'IssuedKey'>

function parseLabel(text: string | undefined): string | null {
  if (text === undefined) return null
  if (LABEL.test(text)) return text
  throw new UsageError(
    `--label expects 1 to ${maxLabelLength} letters, digits, spaces, ".", "_" and "-"`,
  )
}

/** Makes a key as the service does. Rejects with a CommandFailure, or with what the store rejects with. */
async function issueKey(
  store: ApiKeyStore,
  hashSecret: string,
  wanted: { readonly label: string | null; readonly ttlDays: number },
): Promise<IssuedKey> {
  const apiKeys = createStoredApiKeys({
    store,
    counters: createMemoryCounters({ clock: SYSTEM_CLOCK }),
    clock: SYSTEM_CLOCK,
    hashSecret,
    // Asked for in checks alone, and nothing is checked here.
    previousHashSecrets: [],
    randomBytes,
    onRehashFailure: () => undefined,
  })
  try {
    return await apiKeys.issue(wanted)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // The service tells its callers no more than a code; the reason travels behind it.
    if (error.cause instanceof StorageError) throw error.cause
    if (!(error.cause instanceof TooManyKeysError)) throw error
    throw new CommandFailure(
      'FULL',
      `${maxActiveKeys} keys are active, and no more may be; revoke one, or wait until one expires`,
    )
  }
}

function tellFacts({ keyId, label, expiresAt }: IssuedKey, reference: string): string {
  const name = label === null ? keyId : `${keyId} (${label})`
  return `Issued the key ${name}, good until ${expiresAt}, under ${reference}. It is shown this once.`
}

/** `svc keys issue`, under what the registry says of issuance. The program knows one such value, the registry's own. */
export function createIssueCommand(issuance: Issuance): Command {
  return createCommand({
    help: HELP,
    options: OPTIONS,
    async run({ values }, output) {
      // Before anything is looked at, opened or made, as the service answers it before any other check.
      if (!issuance.enabled) {
        throw new CommandFailure(
          'ISSUANCE_PAUSED',
          `issuing keys is paused in the registry (${issuance.reason}); only a reviewed change of the registry lifts that (src/contract/issuance.ts), and no option, variable or file`,
        )
      }
      const wanted = {
        label: parseLabel(values.label),
        ttlDays: parseWholeNumber('--ttl-days', values['ttl-days'], TTL_DAYS),
      }
      const { secret } = readHashSecret(readConfig(), 'keyHashSecret')
      const issued = await withStorage(databaseLocation(values.database), 'read-write', (storage) =>
        issueKey(storage.apiKeys, secret, wanted),
      )
      const text = values.json ? JSON.stringify({ ok: true, ...issued }) : issued.key
      if (!(await writeToStandardOutput(`${text}\n`))) {
        throw new CommandFailure(
          'UNREAD',
          `the key ${issued.keyId} was made and nobody read it, and it cannot be shown again; revoke it`,
        )
      }
      if (!values.json) output.error(tellFacts(issued, issuance.reference))
      return EXIT_CODES.done
    },
  })
}

/** `svc keys issue`. */
export const issueCommand: Command = createIssueCommand(ISSUANCE)
