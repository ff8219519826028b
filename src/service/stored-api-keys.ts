import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../contract/api-error.ts'
import { formatApiKey, keyIdOf } from '../contract/api-key.ts'
import { ERRORS } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { createKeyedHash } from '../crypto/keyed-hash.ts'
import type { ApiKeyStore, StoredApiKey } from '../storage/api-key-store.ts'
import type { Counters } from '../storage/counters.ts'
import { KeyQuotaError, TooManyKeysError, type ApiKeys, type KeyQuota } from './api-keys.ts'
import { formatInstant, type Clock } from './clock.ts'
import { secondsUntil, windowOf } from './counted-window.ts'

/** Labels of the keyed hashes: of a key, and of the name that a secret goes by in the store. */
const KEY_HASH_LABEL = 'svc-api-key-v1'
const SECRET_ID_LABEL = 'svc-api-key-secret-v1'
const SECRET_ID_CHARACTERS = 16

const KEY_ID_BYTES = 8
const SECRET_BYTES = 32
/** Where the key id stands in a key (spec 2.5). */
const KEY_ID_BEGIN = 'svk_'.length
const DAY_MS = 86_400_000

const NO_HASH = new Uint8Array(32)
/** The catalog bounds what RATE_LIMITED tells, though issuance has a longer window (spec section 7). */
const MAX_WAIT_SECONDS = ERRORS.RATE_LIMITED.retryAfterSeconds

/** A secret that keys are hashed with. */
interface HashSecret {
  /** Its name in the store. */
  readonly id: string
  readonly hash: (key: string) => Uint8Array
}

/** What the keys work with. */
export interface StoredApiKeysParts {
  readonly store: ApiKeyStore
  readonly counters: Counters
  readonly clock: Clock
  /** The secret that new keys are hashed with. */
  readonly hashSecret: string
  /** Secrets from before a rotation, whose keys are accepted still and hashed anew when they are used. */
  readonly previousHashSecrets: readonly string[]
  /** So many random bytes. */
  readonly randomBytes: (count: number) => Uint8Array
  /** Told when a key could not be hashed anew; it is tried again at its next use. */
  readonly onRehashFailure: (error: unknown) => void
}

/** The name that a hash secret goes by in the store (`secretId`): it tells secrets apart and says nothing of them. */
export function hashSecretIdOf(secret: string): string {
  return createKeyedHash(secret, SECRET_ID_LABEL)('').toString('hex').slice(0, SECRET_ID_CHARACTERS)
}

/**
 * What is looked up for a text that is no key: what stands where its key id would. So it costs a look-up in the same
 * places as a key does; an id that no key has would always end on one page, which is at hand when others are not. What is
 * found for it does not count.
 */
function placeOf(presented: string): string {
  return presented.slice(KEY_ID_BEGIN, KEY_ID_BEGIN + 2 * KEY_ID_BYTES)
}

function hashSecretOf(secret: string): HashSecret {
  return {
    id: hashSecretIdOf(secret),
    hash: createKeyedHash(secret, KEY_HASH_LABEL),
  }
}

function factsOf({ keyId, label, createdAtMs, expiresAtMs }: StoredApiKey) {
  return {
    keyId,
    scope: 'read',
    label,
    status: 'active',
    createdAt: formatInstant(createdAtMs),
    expiresAt: formatInstant(expiresAtMs),
  } as const
}

/** Whatever keeps a key from being found, counted or changed is one failure to the caller. */
async function reach<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call
  } catch (cause) {
    throw cause instanceof ApiError ? cause : new ApiError('KEYS_UNAVAILABLE', { cause })
  }
}

/** The API keys over their store and the shared counters. */
export function createStoredApiKeys(parts: StoredApiKeysParts): ApiKeys {
  const { store, counters, clock, randomBytes, onRehashFailure } = parts
  const current = hashSecretOf(parts.hashSecret)
  const secrets = new Map(
    [current, ...parts.previousHashSecrets.map(hashSecretOf)].map((each) => [each.id, each]),
  )
  const { requests: limit, windowSeconds } = LIMITS.keyedRequests
  const renewing = new Set<string>()

  /**
   * The stored key that a text is the whole of, or KEY_INVALID. Whatever is wrong with the text, the store is asked once,
   * one hash is made and compared in constant time, and there is one way to refuse: no failure can be told from another
   * (spec 5.4).
   */
  async function authenticate(presented: string): Promise<StoredApiKey> {
    const keyId = keyIdOf(presented)
    const stored = await reach(store.find(keyId ?? placeOf(presented)))
    const secret = secrets.get(stored?.secretId ?? current.id)
    const hash = (secret ?? current).hash(presented)
    const isSame = timingSafeEqual(hash, stored?.keyHash ?? NO_HASH)
    const isKnown = stored !== undefined && secret !== undefined && keyId !== undefined
    if (!isKnown || !isSame || stored.revokedAtMs !== null) throw new ApiError('KEY_INVALID')
    return stored
  }

  /**
   * Hashes a key with the secret of today, once it has proved itself under an older one. Nobody waits for it, and while
   * one is under way a key asks for no other.
   */
  function renewHash({ keyId, secretId }: StoredApiKey, presented: string): void {
    if (renewing.has(keyId)) return
    renewing.add(keyId)
    store
      .rehash({
        keyId,
        fromSecretId: secretId,
        secretId: current.id,
        keyHash: current.hash(presented),
      })
      .catch(onRehashFailure)
      .finally(() => renewing.delete(keyId))
  }

  async function count(keyId: string, nowMs: number): Promise<KeyQuota> {
    const { isAdmitted, windows } = await reach(
      counters.count([windowOf(`key:${keyId}`, LIMITS.keyedRequests)]),
    )
    const [window] = windows
    if (window === undefined) throw new Error('A window was counted and none was told of')
    const resetSeconds = secondsUntil(window.endsAtMs, nowMs, windowSeconds)
    const quota = { limit, remaining: window.remaining, resetSeconds }
    if (!isAdmitted) throw new KeyQuotaError(quota)
    return quota
  }

  return {
    async check(presented) {
      const stored = await authenticate(presented)
      const nowMs = clock.nowMs()
      if (nowMs >= stored.expiresAtMs) throw new ApiError('KEY_EXPIRED')
      const quota = await count(stored.keyId, nowMs)
      if (stored.secretId !== current.id) renewHash(stored, presented)
      return {
        keyId: stored.keyId,
        quota,
        metadata: () => ({ ...factsOf(stored), quota: { ...quota, windowSeconds } }),
      }
    },

    async revoke(keyId) {
      const revokedAtMs = await reach(store.revoke(keyId, clock.nowMs()))
      // Its holder proved it a moment ago: it was purged meanwhile, and is gone as surely as a revoked one.
      if (revokedAtMs === undefined) throw new ApiError('KEY_INVALID')
      return { keyId, status: 'revoked', revokedAt: formatInstant(revokedAtMs) }
    },

    async issue({ label, ttlDays }) {
      const createdAtMs = clock.nowMs()
      const { isAdmitted, windows } = await reach(
        counters.count([windowOf('issue-key', LIMITS.keyIssuance)]),
      )
      if (!isAdmitted) {
        throw new ApiError('RATE_LIMITED', {
          retryAfterSeconds: secondsUntil(
            windows[0]?.endsAtMs ?? createdAtMs,
            createdAtMs,
            MAX_WAIT_SECONDS,
          ),
        })
      }
      const keyId = Buffer.from(randomBytes(KEY_ID_BYTES)).toString('hex')
      const secret = Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')
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
      const outcome = await reach(store.add(stored, LIMITS.maxActiveKeys))
      if (outcome === 'full') {
        throw new ApiError('KEYS_UNAVAILABLE', { cause: new TooManyKeysError() })
      }
      return { key, ...factsOf(stored) }
    },
  }
}
