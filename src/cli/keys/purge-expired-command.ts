import { DAY_MS, formatInstant } from '../../contract/instant.ts'
import type { ApiKeyStore } from '../../storage/api-key-store.ts'
import { createCommand } from '../../../packages/cli/src/command/command.ts'
import { databaseLocation, withStorage } from '../database.ts'
import { parseWholeNumber } from '../../../packages/cli/src/command/option-values.ts'
import { withProgress } from '../../../packages/cli/src/command/progress.ts'
import { pluralOf } from '../../../packages/cli/src/command/wording.ts'
import { countEndedKeys, purgeKeys } from './purge-keys.ts'

const DEFAULT_DAYS = 30
const OLDER_THAN_DAYS = { unit: 'days', least: 0, most: 3650 }

const HELP = `Usage: svc keys purge-expired [options]

Deletes the API keys that expired or were revoked more than ${DEFAULT_DAYS} days ago, also
while the service runs. Until then "svc keys list" shows when each one ended,
and the service reports it as expired; a deleted key is unknown. Active keys are
never deleted. Backups keep the rows.

Options:
  --older-than DAYS  the minimum number of days since the end; 0 for all ended
                     keys (default: ${DEFAULT_DAYS})
  --dry-run          count the keys; delete nothing
  --database FILE    the database (default: the one of the configuration)
  --json             print the result as one JSON object
  -h, --help         print this text

Exit code: 0 done, also with nothing to delete, 1 failure, 2 wrong usage.`

const OPTIONS = {
  'older-than': { type: 'string', default: String(DEFAULT_DAYS) },
  'dry-run': { type: 'boolean', default: false },
  database: { type: 'string' },
} as const

async function purge(store: ApiKeyStore, beforeMs: number): Promise<number> {
  const total = await countEndedKeys(store, beforeMs)
  return withProgress({ label: 'Deleting', total }, (progress) =>
    purgeKeys(store, beforeMs, (keys) => progress.advance(keys)),
  )
}

/** `svc keys purge-expired`. */
export const purgeExpiredCommand = createCommand({
  help: HELP,
  options: OPTIONS,
  async run({ values }) {
    const olderThanDays = parseWholeNumber('--older-than', values['older-than'], OLDER_THAN_DAYS)
    const beforeMs = Date.now() - olderThanDays * DAY_MS
    const dryRun = values['dry-run']
    const keys = await withStorage(
      databaseLocation(values.database),
      dryRun ? 'read-only' : 'read-write',
      async ({ apiKeys }) =>
        dryRun ? countEndedKeys(apiKeys, beforeMs) : purge(apiKeys, beforeMs),
    )
    const before = formatInstant(beforeMs)
    return {
      json: { dryRun, keys, before },
      lines: [
        `${dryRun ? 'Would delete' : 'Deleted'} ${pluralOf(keys, 'key')} that expired or ${keys === 1 ? 'was' : 'were'} revoked before ${before}.`,
      ],
    }
  },
})
