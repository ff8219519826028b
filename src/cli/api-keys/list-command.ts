import { createCommand, EXIT_CODES } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { choiceOption } from '@public-api/cli-kit/option-values'
import { flag } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import { formatInstant } from '@public-api/contract/text/instant'
import { hashSecretIdOf } from '../../service/api-keys/api-keys.ts'
import type { ApiKeyStore, StoredApiKey } from '../../storage/stores/api-key-store.ts'
import { DATABASE_OPTION, databasePlace, readConfig, withDatabase } from '../database.ts'
import { readHashSecret } from '../hash-secret.ts'
import { readKeyPages } from '../read-pages.ts'
import { writeToStandardOutput } from '../standard-output.ts'

const KEY_STATUSES = ['active', 'expired', 'revoked'] as const

type KeyStatus = (typeof KEY_STATUSES)[number]

/** A key as `--json` prints it. A revoked key stays revoked when it expires. */
function describeKey(key: StoredApiKey, nowMs: number) {
  const { keyId, label, createdAtMs, expiresAtMs, revokedAtMs } = key
  const unrevoked: KeyStatus = nowMs < expiresAtMs ? 'active' : 'expired'
  const status: KeyStatus = revokedAtMs === null ? unrevoked : 'revoked'
  const [createdAt, expiresAt] = [formatInstant(createdAtMs), formatInstant(expiresAtMs)]
  const revokedAt = revokedAtMs === null ? null : formatInstant(revokedAtMs)
  return { keyId, label, status, createdAt, expiresAt, revokedAt }
}

/** What to list and where to write it. */
export interface ListOptions {
  readonly store: Pick<ApiKeyStore, 'readAfter'>
  /** The time for which the status is computed. */
  readonly nowMs: number
  /** Only keys with this status. */
  readonly status: KeyStatus | undefined
  /** Only keys that are hashed with another secret than this one. */
  readonly hashSecretId: string | undefined
  /** `lines` is one JSON object per line; `table` is for a person, with times to the minute. */
  readonly format: 'table' | 'lines'
  /** Takes the next part. Resolves with `false` when the reader has closed. */
  readonly write: (part: string) => Promise<boolean>
}

const STATUS_WIDTH = 7
const MINUTE_WIDTH = '2026-11-21T09:00Z'.length
const HEADER = `${'KEY ID'.padEnd(16)}  ${'STATUS'.padEnd(STATUS_WIDTH)}  ${['CREATED', 'EXPIRES', 'REVOKED'].map((name) => name.padEnd(MINUTE_WIDTH)).join('  ')}  LABEL\n`

function formatRow(described: ReturnType<typeof describeKey>): string {
  const { keyId, label, status, createdAt, expiresAt, revokedAt } = described
  const times = [createdAt, expiresAt, revokedAt ?? '-']
    .map((time) => time.replace(/:\d\d\.\d+Z$/, 'Z').padEnd(MINUTE_WIDTH))
    .join('  ')
  // The contract allows ASCII labels only. One in a manipulated database could act on the terminal.
  const shown = (label ?? '').replace(/[^ -~]/g, '\uFFFD')
  return `${keyId}  ${status.padEnd(STATUS_WIDTH)}  ${times}  ${shown}`.trimEnd()
}

/**
 * Writes the keys in the order of their ids. `count` includes the keys that were left out; `isComplete` is false when the
 * reader closed before the end. Rejects with an error of the store or of `write`.
 */
export async function listKeys(options: ListOptions) {
  const { store, nowMs, status: wanted, hashSecretId, format, write } = options
  const count = { active: 0, expired: 0, revoked: 0 }
  let listed = 0
  for await (const page of readKeyPages(store)) {
    let text = ''
    for (const key of page) {
      const described = describeKey(key, nowMs)
      const { status } = described
      count[status] += 1
      if (wanted !== undefined && status !== wanted) continue
      if (hashSecretId !== undefined && key.secretId === hashSecretId) continue
      if (listed === 0 && format === 'table') text += HEADER
      listed += 1
      text += `${format === 'table' ? formatRow(described) : formatJson(described)}\n`
    }
    if (text !== '' && !(await write(text))) return { listed, count, isComplete: false }
  }
  return { listed, count, isComplete: true }
}

export const command = createCommand({
  usage: 'api-keys list [options]',
  about: `Lists the API keys by id: status, the times when each was created, expires and
was revoked (UTC), and its label. The list contains neither keys nor hashes. The
number of keys goes to standard error.

Changes nothing. Works while the service runs, and with a copy of the database.`,
  options: {
    status: choiceOption(
      `STATUS: only keys that are active, expired or revoked; one that was revoked
      stays revoked when it expires`,
      KEY_STATUSES,
    ),
    'old-hash-secret': flag(`only keys hashed with a previous secret. They stop working
      when that secret is removed. Requires the key-hash secret
      (SVC_API_KEY_HASH_SECRET or its file in the secrets folder)`),
    database: DATABASE_OPTION,
  },
  json: 'print one JSON object per line and key',
  // Standard output contains the keys.
  printsFailuresAsJson: false,
  async run({ values }, output) {
    const { status, 'old-hash-secret': isOldOnly } = values
    const hashSecretId = isOldOnly
      ? hashSecretIdOf(readHashSecret(readConfig(), 'keyHashSecret').secret)
      : undefined
    const { listed, count, isComplete } = await withDatabase(
      values.database,
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
    if (isComplete) {
      const shown =
        isOldOnly || status !== undefined ? `${pluralOf(listed, 'key')} listed, of ` : ''
      const total = pluralOf(count.active + count.expired + count.revoked, 'key')
      const counts = KEY_STATUSES.map((each) => `${count[each]} ${each}`).join(', ')
      output.error(`${shown}${total} in ${databasePlace(values.database)}: ${counts}.`)
    }
    return EXIT_CODES.done
  },
})
