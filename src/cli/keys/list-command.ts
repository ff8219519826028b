import { hashSecretIdOf } from '../../service/stored-api-keys.ts'
import { createCommand, EXIT_CODES } from '../../../packages/cli/src/command/command.ts'
import { flag, textOption } from '../../../packages/cli/src/command/options.ts'
import { DATABASE_OPTION, databaseLocation, readConfig, withStorage } from '../database.ts'
import { readHashSecret } from '../hash-secret.ts'
import { parseChoice } from '../../../packages/cli/src/command/option-values.ts'
import { writeToStandardOutput } from '../standard-output.ts'
import { pluralOf } from '../../../packages/cli/src/command/wording.ts'
import { formatKeyCount, KEY_STATUSES } from './key-status.ts'
import { listKeys, type ListResult } from './list-keys.ts'

function formatSummary({ listed, count }: ListResult, isFiltered: boolean): string {
  const all = formatKeyCount(count)
  if (!isFiltered) return `${all}.`
  return `${pluralOf(listed, 'key')} listed, of ${all}.`
}

/** `svc keys list`. */
export const command = createCommand({
  usage: 'keys list [options]',
  about: `Lists the API keys by id: status, the times when each was created, expires and
was revoked (UTC), and its label. The list contains neither keys nor hashes. The
number of keys goes to standard error.

Changes nothing. Works while the service runs, and with a copy of the database.`,
  options: {
    status: textOption(`STATUS: only keys that are active, expired or revoked; one that was revoked
      stays revoked when it expires`),
    'old-hash-secret': flag(`only keys hashed with a previous secret. They stop working
      when that secret is removed. Requires the key-hash secret
      (SVC_KEY_HASH_SECRET or its file in the secrets folder)`),
    database: DATABASE_OPTION,
  },
  json: 'print one JSON object per line and key',
  // Standard output contains the keys.
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
    // The reader closed standard output, so a summary is not wanted.
    if (result.isComplete) output.error(formatSummary(result, status !== undefined || isOldOnly))
    return EXIT_CODES.done
  },
})
