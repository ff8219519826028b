import { ApiError } from '../contract/api-error.ts'
import type { KeyRequest } from '../contract/key-request.ts'
import { LIMITS } from '../contract/limits.ts'
import type { DataOf } from '../contract/schemas.ts'

/** The quota of a key, as in the three rate-limit headers. */
export interface KeyQuota {
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

/** A verified key whose request was counted. */
export interface CheckedKey {
  readonly keyId: string
  /** Computed on demand, since few requests need it. */
  metadata(): DataOf<'KeyMetadata'>
  readonly quota: KeyQuota
}

/** A key exceeded its quota. The refusal still carries the rate-limit headers. */
export class KeyQuotaError extends ApiError {
  readonly quota: KeyQuota

  constructor(quota: KeyQuota) {
    super('KEY_RATE_LIMITED', { retryAfterSeconds: Math.max(1, quota.resetSeconds) })
    this.quota = quota
  }
}

/** The maximum number of active keys is reached (spec section 8): a cause of KEYS_UNAVAILABLE without an outage. */
export class TooManyKeysError extends Error {
  override readonly name = 'TooManyKeysError'
  override readonly message = `The maximum of ${LIMITS.maxActiveKeys} active keys is reached`
}

/** Turns any failure other than an ApiError into KEYS_UNAVAILABLE. */
export async function orKeysUnavailable<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (cause) {
    throw cause instanceof ApiError ? cause : new ApiError('KEYS_UNAVAILABLE', { cause })
  }
}

/** Checks keys, and serves their holders. */
export interface ApiKeys {
  /**
   * Checks the presented text and counts the request against the key's quota. Rejects with an ApiError: KEY_INVALID for
   * malformed, unknown, wrong and revoked keys alike, KEY_EXPIRED, KEYS_UNAVAILABLE when the store is down, and
   * KeyQuotaError beyond the quota.
   */
  check(presented: string): Promise<CheckedKey>
  /** Revokes a key permanently. Rejects with ApiError KEYS_UNAVAILABLE. */
  revoke(keyId: string): Promise<DataOf<'RevokedKey'>>
  /**
   * Creates a key and returns it, this once. The caller has checked that the registry allows it (spec 5.5). Rejects with
   * ApiError RATE_LIMITED beyond the hourly limit, and KEYS_UNAVAILABLE when the maximum number is active or the store is
   * down.
   */
  issue(request: Omit<KeyRequest, 'challengeToken'>): Promise<DataOf<'IssuedKey'>>
}
