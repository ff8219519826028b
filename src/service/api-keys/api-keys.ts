import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '@public-api/contract/errors/api-error'
import {
  API_KEY_BYTES,
  formatApiKey,
  apiKeyIdOf,
  sliceKeyId,
} from '@public-api/contract/keys/api-key'
import type { KeyRequest } from '@public-api/contract/keys/key-request'
import type { DataOf } from '@public-api/contract/registry/schemas'
import { LIMITS } from '@public-api/contract/terms/limits'
import { DAY_MS, formatInstant } from '@public-api/contract/text/instant'
import { createKeyedHash } from '../../crypto/keyed-hash.ts'
import type { Counters } from '../../storage/counters/counters.ts'
import type { ApiKeyStore, StoredApiKey } from '../../storage/stores/api-key-store.ts'
import type { Clock } from '../clock.ts'
import { admitRequest, secondsUntil } from '../waitlist/rate-limits.ts'

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
class TooManyKeysError extends Error {
  override readonly name = 'TooManyKeysError'
  override readonly message = `The maximum of ${LIMITS.maxActiveKeys} active keys is reached`
}

/** Labels of the keyed hashes: of a key, and of the id of a hash secret. */
const KEY_HASH_LABEL = 'svc-api-key-v1'
const SECRET_ID_LABEL = 'svc-api-key-secret-v1'
const SECRET_ID_CHARACTERS = 16

const NO_HASH = new Uint8Array(32)

interface ApiKeysOptions {
  readonly store: ApiKeyStore
  readonly counters: Counters
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
  /** Called when the hash of a key could not be replaced. It is retried with the next use of the key. */
  readonly onRehashFailure: (error: unknown) => void
  readonly hashSecret: string
  /** Secrets from before a rotation. Keys hashed with them are still accepted, and rehashed when they are used. */
  readonly previousHashSecrets: readonly string[]
}

/** The `secretId` of a hash secret in the store. It identifies the secret without revealing it. */
export function hashSecretIdOf(secret: string): string {
  return createKeyedHash(secret, SECRET_ID_LABEL)('').toString('hex').slice(0, SECRET_ID_CHARACTERS)
}

function createHashSecret(secret: string) {
  return { id: hashSecretIdOf(secret), hash: createKeyedHash(secret, KEY_HASH_LABEL) }
}

function metadataOf({ keyId, label, createdAtMs, expiresAtMs }: StoredApiKey) {
  return {
    keyId,
    scope: 'read',
    label,
    status: 'active',
    createdAt: formatInstant(createdAtMs),
    expiresAt: formatInstant(expiresAtMs),
  } as const
}

/** Turns any failure other than an ApiError into KEYS_UNAVAILABLE. */
export async function orKeysUnavailable<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (cause) {
    throw cause instanceof ApiError ? cause : new ApiError('KEYS_UNAVAILABLE', { cause })
  }
}

/** The API keys over their store and the shared counters. Nothing about a key is remembered between requests. */
export function createApiKeys({
  store,
  counters,
  clock,
  randomBytes,
  onRehashFailure,
  hashSecret,
  previousHashSecrets,
}: ApiKeysOptions) {
  const current = createHashSecret(hashSecret)
  const previous = previousHashSecrets.map(createHashSecret)
  const { requests: limit, windowSeconds } = LIMITS.keyedRequests
  const rehashing = new Set<string>()

  /**
   * The stored key of a presented text. Throws KEY_INVALID. Every invalid text takes the same path: one lookup in the
   * store, the same hashes, one comparison in constant time, the same error (spec 5.4).
   */
  async function authenticate(presented: string, currentHash: Buffer): Promise<StoredApiKey> {
    const keyId = apiKeyIdOf(presented)
    // A malformed key is looked up by the text in place of its ID, so that it costs a lookup in the same part of the
    // index as a well-formed one. A constant ID would always hit the same cached page.
    const stored = await store.find(sliceKeyId(presented))
    // Hashed under every secret, since hashing under the key's own secret would reveal that the key exists.
    const olderHashes = previous.map(({ hash }) => hash(presented))
    const secretId = stored?.secretId ?? current.id
    const hash =
      secretId === current.id
        ? currentHash
        : olderHashes[previous.findIndex(({ id }) => id === secretId)]
    const isSame = timingSafeEqual(hash ?? currentHash, stored?.keyHash ?? NO_HASH)
    const isKnown = stored !== undefined && hash !== undefined && keyId !== undefined
    if (!isKnown || !isSame || stored.revokedAtMs !== null) throw new ApiError('KEY_INVALID')
    return stored
  }

  /** Replaces the hash of a key that was verified under an older secret. Runs in the background, once at a time per key. */
  function rehash({ keyId, secretId }: StoredApiKey, keyHash: Uint8Array): void {
    if (rehashing.has(keyId)) return
    rehashing.add(keyId)
    store
      .rehash({ keyId, fromSecretId: secretId, secretId: current.id, keyHash })
      .catch(onRehashFailure)
      .finally(() => rehashing.delete(keyId))
  }

  /** Counts a request with a verified key. Throws KEY_EXPIRED or KeyQuotaError. */
  async function admit(key: StoredApiKey): Promise<CheckedKey> {
    const nowMs = clock.nowMs()
    if (nowMs >= key.expiresAtMs) throw new ApiError('KEY_EXPIRED')
    const outcome = await counters.count([{ key: `key:${key.keyId}`, ...LIMITS.keyedRequests }])
    const [window] = outcome.windows
    if (window === undefined) throw new Error('expected the state of the counted window')
    const resetSeconds = secondsUntil(window.endsAtMs, nowMs, windowSeconds)
    const quota: KeyQuota = { limit, remaining: window.remaining, resetSeconds }
    if (!outcome.isAdmitted) throw new KeyQuotaError(quota)
    return {
      keyId: key.keyId,
      quota,
      metadata: () => ({ ...metadataOf(key), quota: { ...quota, windowSeconds } }),
    }
  }

  async function check(presented: string): Promise<CheckedKey> {
    const hash = current.hash(presented)
    const stored = await authenticate(presented, hash)
    const checked = await admit(stored)
    if (stored.secretId !== current.id) rehash(stored, hash)
    return checked
  }

  return {
    /**
     * Checks the presented text and counts the request against the key's quota. Rejects with an ApiError: KEY_INVALID
     * for malformed, unknown, wrong and revoked keys alike, KEY_EXPIRED, KEYS_UNAVAILABLE when the store is down, and
     * KeyQuotaError beyond the quota.
     */
    check: (presented: string): Promise<CheckedKey> => orKeysUnavailable(() => check(presented)),

    /** Revokes a key permanently. Rejects with ApiError KEYS_UNAVAILABLE. */
    async revoke(keyId: string): Promise<DataOf<'RevokedKey'>> {
      const revokedAtMs = await orKeysUnavailable(() => store.revoke(keyId, clock.nowMs()))
      // The key was verified a moment ago, so it was purged in between.
      if (revokedAtMs === undefined) throw new ApiError('KEY_INVALID')
      return { keyId, status: 'revoked', revokedAt: formatInstant(revokedAtMs) }
    },

    /**
     * Creates a key and returns it, this once. The caller has checked that the registry allows it (spec 5.5). Rejects
     * with ApiError RATE_LIMITED beyond the hourly limit, and KEYS_UNAVAILABLE when the maximum number is active or the
     * store is down.
     */
    async issue({
      label,
      ttlDays,
    }: Omit<KeyRequest, 'challengeToken'>): Promise<DataOf<'IssuedKey'>> {
      const createdAtMs = clock.nowMs()
      const window = { key: 'issue-key', ...LIMITS.keyIssuance }
      await orKeysUnavailable(() => admitRequest([window], counters, clock))
      const keyId = Buffer.from(randomBytes(API_KEY_BYTES.keyId)).toString('hex')
      const secret = Buffer.from(randomBytes(API_KEY_BYTES.secret)).toString('base64url')
      const key = formatApiKey(keyId, secret)
      const stored: StoredApiKey = {
        keyId,
        keyHash: current.hash(key),
        secretId: current.id,
        label,
        createdAtMs,
        expiresAtMs: createdAtMs + ttlDays * DAY_MS,
        revokedAtMs: null,
      }
      const outcome = await orKeysUnavailable(() => store.add(stored, LIMITS.maxActiveKeys))
      if (outcome !== 'added') {
        const cause =
          outcome === 'full' ? new TooManyKeysError() : new Error('The random key ID is in use')
        throw new ApiError('KEYS_UNAVAILABLE', { cause })
      }
      return { key, ...metadataOf(stored) }
    },
  }
}

export type ApiKeys = ReturnType<typeof createApiKeys>
