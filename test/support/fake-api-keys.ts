import { ApiError } from '@public-api/contract/errors/api-error'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { KeyQuotaError, type ApiKeys } from '../../src/service/api-keys/api-keys.ts'

const keyOf = (keyId: string, letter: string): string => `svk_${keyId}_${letter.repeat(43)}`

/** Keys that the fake store knows, by what happens to them. Any other text is KEY_INVALID. */
export const FAKE_KEYS = {
  good: keyOf('0123456789abcdef', 'g'),
  other: keyOf('fedcba9876543210', 'o'),
  expired: keyOf('00000000000000ee', 'e'),
  spent: keyOf('00000000000000ff', 's'),
} as const

/** Seconds until the fake window ends; it never ends. */
const FAKE_RESET_SECONDS = 42

/** API keys in memory that record their calls. */
export interface FakeApiKeys extends ApiKeys {
  /** Every key that was checked, in order. */
  readonly checked: readonly string[]
  readonly revoked: ReadonlySet<string>
}

/** A key store with a quota of 600 for each key, of which every request takes one. */
export function createFakeApiKeys(): FakeApiKeys {
  const checked: string[] = []
  const revoked = new Set<string>()
  const used = new Map<string, number>()
  return {
    checked,
    revoked,
    async check(presented) {
      checked.push(presented)
      const keyId = sliceKeyId(presented)
      if (presented === FAKE_KEYS.expired) throw new ApiError('KEY_EXPIRED')
      if (presented === FAKE_KEYS.spent) {
        throw new KeyQuotaError({ limit: 600, remaining: 0, resetSeconds: FAKE_RESET_SECONDS })
      }
      if ((presented !== FAKE_KEYS.good && presented !== FAKE_KEYS.other) || revoked.has(keyId)) {
        throw new ApiError('KEY_INVALID')
      }
      const count = (used.get(keyId) ?? 0) + 1
      used.set(keyId, count)
      const quota = { limit: 600, remaining: 600 - count, resetSeconds: FAKE_RESET_SECONDS }
      return {
        quota,
        keyId,
        metadata: () => ({
          keyId,
          scope: 'read',
          label: null,
          status: 'active',
          createdAt: '2026-11-01T00:00:00.000Z',
          expiresAt: '2027-01-30T00:00:00.000Z',
          quota: { ...quota, windowSeconds: 60 },
        }),
      }
    },
    issue: () => Promise.reject(new ApiError('KEYS_UNAVAILABLE')),
    async revoke(keyId) {
      revoked.add(keyId)
      return { keyId, status: 'revoked', revokedAt: '2026-11-21T09:00:00.123Z' }
    },
  }
}
