import { formatInstant } from '../../contract/instant.ts'
import type { ApiKeyCount, ApiKeyStore, StoredApiKey } from '../../storage/api-key-store.ts'
import { readKeyPages } from '../read-pages.ts'
import { type KeyStatus, statusOf } from './key-status.ts'

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

/** The result of a listing. */
export interface ListResult {
  readonly listed: number
  /** All keys that were read, including those left out. */
  readonly count: ApiKeyCount
  /** False when the reader closed before the end. */
  readonly isComplete: boolean
}

const STATUS_WIDTH = 7
const MINUTE_WIDTH = '2026-11-21T09:00Z'.length
const HEADER = `${'KEY ID'.padEnd(16)}  ${'STATUS'.padEnd(STATUS_WIDTH)}  ${['CREATED', 'EXPIRES', 'REVOKED'].map((name) => name.padEnd(MINUTE_WIDTH)).join('  ')}  LABEL\n`

function formatMinute(epochMs: number | null): string {
  return epochMs === null
    ? '-'.padEnd(MINUTE_WIDTH)
    : formatInstant(epochMs).replace(/:\d\d\.\d+Z$/, 'Z')
}

function formatRow(key: StoredApiKey, status: KeyStatus): string {
  const { keyId, label, createdAtMs, expiresAtMs, revokedAtMs } = key
  const times = [createdAtMs, expiresAtMs, revokedAtMs].map(formatMinute).join('  ')
  // The contract allows ASCII labels only. One in a manipulated database could act on the terminal.
  const shown = (label ?? '').replace(/[^ -~]/g, '\uFFFD')
  return `${`${keyId}  ${status.padEnd(STATUS_WIDTH)}  ${times}  ${shown}`.trimEnd()}\n`
}

function formatLine(key: StoredApiKey, status: KeyStatus): string {
  const { keyId, label, createdAtMs, expiresAtMs, revokedAtMs } = key
  return `${JSON.stringify({
    keyId,
    label,
    status,
    createdAt: formatInstant(createdAtMs),
    expiresAt: formatInstant(expiresAtMs),
    revokedAt: revokedAtMs === null ? null : formatInstant(revokedAtMs),
  })}\n`
}

/** Writes the keys in the order of their ids and counts them. Rejects with an error of the store or of `write`. */
export async function listKeys(options: ListOptions): Promise<ListResult> {
  const { store, nowMs, status: wanted, hashSecretId, format, write } = options
  const formatKey = format === 'table' ? formatRow : formatLine
  const count = { active: 0, expired: 0, revoked: 0 }
  let listed = 0
  for await (const page of readKeyPages(store)) {
    let text = ''
    for (const key of page) {
      const status = statusOf(key, nowMs)
      count[status] += 1
      if (wanted !== undefined && status !== wanted) continue
      if (hashSecretId !== undefined && key.secretId === hashSecretId) continue
      if (listed === 0 && format === 'table') text += HEADER
      listed += 1
      text += formatKey(key, status)
    }
    if (text !== '' && !(await write(text))) return { listed, count, isComplete: false }
  }
  return { listed, count, isComplete: true }
}
