import { createCommand } from '@public-api/cli-kit/command'
import { numberOption } from '@public-api/cli-kit/option-values'
import { flag } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import { DAY_MS, formatInstant } from '@public-api/contract/text/instant'
import type { ApiKeyStore } from '../../storage/stores/api-key-store.ts'
import { DATABASE_OPTION, databasePlace, withDatabase } from '../database.ts'
import { countRows, deleteInBatches, readKeyPages } from '../read-pages.ts'

const DEFAULT_DAYS = 30

/** The number of keys that expired or were revoked before this time. */
export function countEndedKeys(store: Pick<ApiKeyStore, 'readAfter'>, beforeMs: number) {
  return countRows(
    readKeyPages(store),
    ({ expiresAtMs, revokedAtMs }) => Math.min(revokedAtMs ?? expiresAtMs, expiresAtMs) < beforeMs,
  )
}

export const command = createCommand({
  usage: 'api-keys purge-expired [options]',
  about: `Deletes the API keys that expired or were revoked more than ${DEFAULT_DAYS} days ago, also
while the service runs. Until then "svc api-keys list" shows when each one ended,
and the service reports it as expired; a deleted key is unknown. Active keys are
never deleted. Backups keep the rows.`,
  options: {
    'older-than': {
      ...numberOption(
        `DAYS: the minimum number of days since the end; 0 for all
      ended keys`,
        [0, 3650],
      ),
      default: String(DEFAULT_DAYS),
    },
    'dry-run': flag('count the keys; delete nothing'),
    database: DATABASE_OPTION,
  },
  exit: '0 done, also with nothing to delete, 1 failure, 2 wrong usage',
  async run({ values }) {
    const beforeMs = Date.now() - values['older-than'] * DAY_MS
    const dryRun = values['dry-run']
    const keys = await withDatabase(
      values.database,
      dryRun ? 'read-only' : 'read-write',
      async ({ apiKeys }) =>
        dryRun
          ? countEndedKeys(apiKeys, beforeMs)
          : deleteInBatches((limit) => apiKeys.purge(beforeMs, limit)),
    )
    const before = formatInstant(beforeMs)
    return {
      json: { dryRun, keys, before },
      lines: [
        `${dryRun ? 'Would delete' : 'Deleted'} ${pluralOf(keys, 'key')} that expired or ${keys === 1 ? 'was' : 'were'} revoked before ${before} in ${databasePlace(values.database)}.`,
      ],
    }
  },
})
