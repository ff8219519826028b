import { ApiError } from '../contract/api-error.ts'
import type { KeyRequest } from '../contract/key-request.ts'
import { LIMITS } from '../contract/limits.ts'
import type { DataOf } from '../contract/schemas.ts'

/** What a key may still ask, as the three rate-limit headers tell it. */
export interface KeyQuota {
  /** Requests in one window. */
  readonly limit: number
  /** Requests left in this window. */
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** A key that was checked and counted; what the answer to its request needs of it. */
export interface CheckedKey {
  readonly keyId: string
  /** What its holder may know of it; put together where it is asked for, since few requests want it. */
  metadata(): DataOf<'KeyMetadata'>
  readonly quota: KeyQuota
}

/** A key used up its quota: the request is refused, and the answer still carries the rate-limit headers. */
export class KeyQuotaError extends ApiError {
  readonly quota: KeyQuota

  constructor(quota: KeyQuota) {
    super('KEY_RATE_LIMITED', { retryAfterSeconds: Math.max(1, quota.resetSeconds) })
    this.quota = quota
  }
}

/** As many keys are active as may be (spec section 8): the cause of a KEYS_UNAVAILABLE that no outage is behind. */
export class TooManyKeysError extends Error {
  constructor() {
    super(`As many keys are active as may be: ${LIMITS.maxActiveKeys}`)
    this.name = 'TooManyKeysError'
  }
}

/** The key check and what a key's holder may do with it. */
export interface ApiKeys {
  /**
   * Checks what a request presented and counts the request against the key's quota. Throws ApiError: KEY_INVALID for
   * malformed, unknown, wrong and revoked keys alike, KEY_EXPIRED, KEYS_UNAVAILABLE when the store is down, and
   * KeyQuotaError past the quota. These come as a rejection always, and the key at once where nothing has to be waited
   * for.
   */
  check(presented: string): CheckedKey | Promise<CheckedKey>
  /** Revokes a key for good; later checks refuse it. Throws ApiError KEYS_UNAVAILABLE. */
  revoke(keyId: string): Promise<DataOf<'RevokedKey'>>
  /**
   * Makes a key, and gives it this once. Whether any may be made is not asked here: the registry decides (spec 5.5).
   * Throws ApiError RATE_LIMITED past the keys of an hour, and KEYS_UNAVAILABLE when as many as may be are active, or
   * the store is down.
   */
  issue(request: Omit<KeyRequest, 'challengeToken'>): Promise<DataOf<'IssuedKey'>>
}
