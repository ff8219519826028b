import { hashSecretIdOf } from '../../service/stored-api-keys.ts'
import {
  type Command,
  createCommand,
  EXIT_CODES,
} from '../../../packages/cli/src/command/command.ts'
import { databaseLocation, readConfig, withStorage } from '../database.ts'
import { readHashSecret } from '../hash-secret.ts'
import { parseChoice } from '../../../packages/cli/src/command/option-values.ts'
import { writeToStandardOutput } from '../standard-output.ts'
import { pluralOf } from '../../../packages/cli/src/command/wording.ts'
import { formatKeyCount, KEY_STATUSES } from './key-status.ts'
import { listKeys, type ListResult } from './list-keys.ts'

const HELP = `Usage: svc keys list [options]

Lists the API keys in the order of their ids: status, when each was made,
expires and was revoked (UTC), and its label. No key is in it, nor a hash of
one. How many keys there are is told on standard error.

Reads only: also while the service runs, and from a copied database.

Options:
  --status STATUS    only keys that are active, expired or revoked; one that was
                     revoked stays revoked when it expires
  --old-hash-secret  only keys that are hashed with another secret than the one
                     of today: those that stop working when the secret from
                     before a rotation is dropped. Needs the key-hash secret
                     (SVC_KEY_HASH_SECRET or its file in the secrets folder)
  --database FILE    the database (default: the one of the configuration)
  --json             print JSON lines, one object a key, and nothing else
  -h, --help         print this text

Exit code: 0 done, 1 failure, 2 wrong usage.`

const OPTIONS = {
  status: { type: 'string' },
  'old-hash-secret': { type: 'boolean', default: false },
  database: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

function formatSummary({ listed, count }: ListResult, isFiltered: boolean): string {
  const all = formatKeyCount(count)
  if (!isFiltered) return `${all}.`
  return `${pluralOf(listed, 'key')} listed, of ${all}.`
}

/** `svc keys list`. */
export const listCommand: Command = createCommand({
  help: HELP,
  options: OPTIONS,
  // It would stand among the keys.
  printsFailuresAsJson: false,
  async run({ values }, output) {
    const status =
      values.status === undefined ? undefined : parseChoice('--status', values.status, KEY_STATUSES)
    const isOldOnly = values['old-hash-secret']
    const hashSecretId = isOldOnly
      ? hashSecretIdOf(readHashSecret(readConfig(), 'keyHashSecret').secret)
      : undefined
    const result = await withStorage(
      databaseLocation(values.database),
      'read-only',
      ({ apiKeys }) =>
        listKeys({
          store: apiKeys,
          nowMs: Date.now(),
          status,
          hashSecretId,
          format: values.json ? 'lines' : 'table',
          write: writeToStandardOutput,
        }),
    )
    // Nobody waits for a word on what they did not want to see the end of.
    if (result.isComplete) output.error(formatSummary(result, status !== undefined || isOldOnly))
    return EXIT_CODES.done
  },
})
