import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../contract/api-error.ts'
import { API_KEY_BYTES, formatApiKey, keyIdOf, keyIdPlaceOf } from '../contract/api-key.ts'
import { ERRORS } from '../contract/errors.ts'
import { DAY_MS, formatInstant } from '../contract/instant.ts'
import { LIMITS } from '../contract/limits.ts'
import { createKeyedHash } from '../crypto/keyed-hash.ts'
import type { ApiKeyStore, StoredApiKey } from '../storage/api-key-store.ts'
import type { Counters, CountOutcome } from '../storage/counters.ts'
import { createAcceptedKeys, type AcceptedKey } from './accepted-keys.ts'
import {
  KeyQuotaError,
  TooManyKeysError,
  type ApiKeys,
  type CheckedKey,
  type KeyQuota,
} from './api-keys.ts'
import type { Clock } from './clock.ts'
import { secondsUntil, windowOf } from './counted-window.ts'

/** Labels of the keyed hashes: of a key, and of the name that a secret goes by in the store. */
const KEY_HASH_LABEL = 'svc-api-key-v1'
const SECRET_ID_LABEL = 'svc-api-key-secret-v1'
const SECRET_ID_CHARACTERS = 16

const NO_HASH = new Uint8Array(32)
/** The catalog bounds what RATE_LIMITED tells, though issuance has a longer window (spec section 7). */
const MAX_WAIT_SECONDS = ERRORS.RATE_LIMITED.retryAfterSeconds

/** A secret that keys are hashed with. */
interface HashSecret {
  /** Its name in the store. */
  readonly id: string
  readonly hash: (key: string) => Buffer
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

function hashSecretOf(secret: string): HashSecret {
  return {
    id: hashSecretIdOf(secret),
    hash: createKeyedHash(secret, KEY_HASH_LABEL),
  }
}

function factsOf({ keyId, label, createdAtMs, expiresAtMs }: AcceptedKey) {
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
function failureOf(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : new ApiError('KEYS_UNAVAILABLE', { cause })
}

async function reach<Value>(call: Value | Promise<Value>): Promise<Value> {
  try {
    return await call
  } catch (cause) {
    throw failureOf(cause)
  }
}

/** The API keys over their store and the shared counters. */
export function createStoredApiKeys(parts: StoredApiKeysParts): ApiKeys {
  const { store, counters, clock, randomBytes, onRehashFailure } = parts
  const current = hashSecretOf(parts.hashSecret)
  const previous = parts.previousHashSecrets.map(hashSecretOf)
  const accepted = createAcceptedKeys(LIMITS.maxActiveKeys)
  const { requests: limit, windowSeconds } = LIMITS.keyedRequests
  const renewing = new Set<string>()

  /**
   * The stored key that a text with this hash is the whole of, or KEY_INVALID. Whatever is wrong with the text, the store
   * is asked once, the same hashes are made, one is compared in constant time, and there is one way to refuse: no failure
   * can be told from another (spec 5.4).
   */
  async function authenticate(presented: string, currentHash: Buffer): Promise<StoredApiKey> {
    const keyId = keyIdOf(presented)
    // A text that is no key is looked for by what stands where its id would, so that it costs a look-up in the same places
    // as a key does; an id that no key has would always end on one page, which is at hand when others are not.
    const stored = await store.find(keyIdPlaceOf(presented))
    // Under every secret, since which one a key was hashed with would say that there is such a key.
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

  /**
   * Hashes a key with the secret of today, once it has proved itself under an older one. Nobody waits for it, and while
   * one is under way a key asks for no other.
   */
  function renewHash({ keyId, secretId }: StoredApiKey, keyHash: Uint8Array): void {
    if (renewing.has(keyId)) return
    renewing.add(keyId)
    store
      .rehash({ keyId, fromSecretId: secretId, secretId: current.id, keyHash })
      .catch(onRehashFailure)
      .finally(() => renewing.delete(keyId))
  }

  function countedKey(
    key: AcceptedKey,
    { isAdmitted, windows }: CountOutcome,
    nowMs: number,
  ): CheckedKey {
    const [window] = windows
    if (window === undefined) throw new Error('A window was counted and none was told of')
    const resetSeconds = secondsUntil(window.endsAtMs, nowMs, windowSeconds)
    const quota: KeyQuota = { limit, remaining: window.remaining, resetSeconds }
    if (!isAdmitted) throw new KeyQuotaError(quota)
    return {
      keyId: key.keyId,
      quota,
      metadata: () => ({ ...factsOf(key), quota: { ...quota, windowSeconds } }),
    }
  }

  /** Counts a request with a key that is the right one, unless its time is over. */
  function admit(key: AcceptedKey): CheckedKey | Promise<CheckedKey> {
    const nowMs = clock.nowMs()
    if (nowMs >= key.expiresAtMs) throw new ApiError('KEY_EXPIRED')
    const outcome = counters.count([windowOf(`key:${key.keyId}`, LIMITS.keyedRequests)])
    return outcome instanceof Promise
      ? outcome.then((counted) => countedKey(key, counted, nowMs))
      : countedKey(key, outcome, nowMs)
  }

  /** `hash` is of today's secret; the revision is what the store told before it was asked for the key. */
  async function checkStored(
    presented: string,
    hash: Buffer,
    name: string,
    revision: number | undefined,
  ): Promise<CheckedKey> {
    const stored = await authenticate(presented, hash)
    const isOld = stored.secretId !== current.id
    if (!isOld && revision !== undefined) accepted.add(name, revision, stored)
    const checked = await admit(stored)
    if (isOld) renewHash(stored, hash)
    return checked
  }

  return {
    check(presented) {
      try {
        const hash = current.hash(presented)
        const name = hash.toString('latin1')
        const revision = store.revision?.()
        const known = revision === undefined ? undefined : accepted.find(name, revision)
        const checked =
          known === undefined ? checkStored(presented, hash, name, revision) : admit(known)
        return checked instanceof Promise ? reach(checked) : checked
      } catch (error) {
        return Promise.reject(failureOf(error))
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
      const outcome = await reach(store.add(stored, LIMITS.maxActiveKeys))
      if (outcome === 'full') {
        throw new ApiError('KEYS_UNAVAILABLE', { cause: new TooManyKeysError() })
      }
      return { key, ...factsOf(stored) }
    },
  }
}
