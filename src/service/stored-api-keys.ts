import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../contract/api-error.ts'
import { API_KEY_BYTES, formatApiKey, keyIdOf, sliceKeyId } from '../contract/api-key.ts'
import { DAY_MS, formatInstant } from '../contract/instant.ts'
import { LIMITS } from '../contract/limits.ts'
import { createKeyedHash } from '../crypto/keyed-hash.ts'
import type { ApiKeyStore, StoredApiKey } from '../storage/api-key-store.ts'
import type { Counters } from '../storage/counters.ts'
import {
  KeyQuotaError,
  orKeysUnavailable,
  TooManyKeysError,
  type ApiKeys,
  type CheckedKey,
  type KeyQuota,
} from './api-keys.ts'
import type { Clock } from './clock.ts'
import { secondsUntil, createWindow } from './counted-window.ts'

/** Labels of the keyed hashes: of a key, and of the id of a hash secret. */
const KEY_HASH_LABEL = 'svc-api-key-v1'
const SECRET_ID_LABEL = 'svc-api-key-secret-v1'
const SECRET_ID_CHARACTERS = 16

const NO_HASH = new Uint8Array(32)
/** The catalog limits the Retry-After of RATE_LIMITED, although the window of issuance is longer (spec section 7). */
const MAX_WAIT_SECONDS = LIMITS.registrationPerActor.windowSeconds

interface StoredApiKeysOptions {
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
  return {
    id: hashSecretIdOf(secret),
    hash: createKeyedHash(secret, KEY_HASH_LABEL),
  }
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

/** The API keys over their store and the shared counters. Nothing about a key is remembered between requests. */
export function createStoredApiKeys({
  store,
  counters,
  clock,
  randomBytes,
  onRehashFailure,
  hashSecret,
  previousHashSecrets,
}: StoredApiKeysOptions): ApiKeys {
  const current = createHashSecret(hashSecret)
  const previous = previousHashSecrets.map(createHashSecret)
  const { requests: limit, windowSeconds } = LIMITS.keyedRequests
  const rehashing = new Set<string>()

  /**
   * The stored key of a presented text. Throws KEY_INVALID. Every invalid text takes the same path: one look-up in the
   * store, the same hashes, one comparison in constant time, the same error (spec 5.4).
   */
  async function authenticate(presented: string, currentHash: Buffer): Promise<StoredApiKey> {
    const keyId = keyIdOf(presented)
    // A malformed key is looked up by the text in place of its id, so that it costs a look-up in the same part of the
    // index as a well-formed one. A constant id would always hit the same cached page.
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
    const outcome = await counters.count([createWindow(`key:${key.keyId}`, LIMITS.keyedRequests)])
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
    check: (presented) => orKeysUnavailable(() => check(presented)),

    async revoke(keyId) {
      const revokedAtMs = await orKeysUnavailable(() => store.revoke(keyId, clock.nowMs()))
      // The key was verified a moment ago, so it was purged in between.
      if (revokedAtMs === undefined) throw new ApiError('KEY_INVALID')
      return { keyId, status: 'revoked', revokedAt: formatInstant(revokedAtMs) }
    },

    async issue({ label, ttlDays }) {
      const createdAtMs = clock.nowMs()
      const { isAdmitted, windows } = await orKeysUnavailable(() =>
        counters.count([createWindow('issue-key', LIMITS.keyIssuance)]),
      )
      if (!isAdmitted) {
        const endsAtMs = windows[0]?.endsAtMs ?? createdAtMs
        const retryAfterSeconds = secondsUntil(endsAtMs, createdAtMs, MAX_WAIT_SECONDS)
        throw new ApiError('RATE_LIMITED', { retryAfterSeconds })
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
      const outcome = await orKeysUnavailable(() => store.add(stored, LIMITS.maxActiveKeys))
      if (outcome !== 'added') {
        const cause =
          outcome === 'full' ? new TooManyKeysError() : new Error('The random key id is in use')
        throw new ApiError('KEYS_UNAVAILABLE', { cause })
      }
      return { key, ...metadataOf(stored) }
    },
  }
}
