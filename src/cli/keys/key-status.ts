import type { ApiKeyCount, StoredApiKey } from '../../storage/api-key-store.ts'
import { pluralOf } from '../../../packages/cli/src/command/wording.ts'

/** The status of a key. A revoked key stays revoked when it expires. */
export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const

export type KeyStatus = (typeof KEY_STATUSES)[number]

/** The status of a key at a time, as the service sees it. */
export function statusOf({ revokedAtMs, expiresAtMs }: StoredApiKey, nowMs: number): KeyStatus {
  if (revokedAtMs !== null) return 'revoked'
  return nowMs < expiresAtMs ? 'active' : 'expired'
}

/** The end of a key's validity. */
export function endOf({ revokedAtMs, expiresAtMs }: StoredApiKey): number {
  return Math.min(revokedAtMs ?? expiresAtMs, expiresAtMs)
}

/** `3 keys: 1 active, 1 expired, 1 revoked`. */
export function formatKeyCount(count: ApiKeyCount): string {
  const total = count.active + count.expired + count.revoked
  const parts = KEY_STATUSES.map((status) => `${count[status]} ${status}`)
  return `${pluralOf(total, 'key')}: ${parts.join(', ')}`
}
