/** An API key as it is kept: its secret cannot be found out from it (spec 5.6). */
export interface StoredApiKey {
  /** The public part: 16 lower-case hexadecimal digits. */
  readonly keyId: string
  /** HMAC-SHA256 of the whole key, 32 bytes. */
  readonly keyHash: Uint8Array
  /** Which hash secret `keyHash` was made with; says nothing of the secret itself. */
  readonly secretId: string
  readonly label: string | null
  /** Milliseconds since the epoch, like the two below. */
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Null until it is revoked. */
  readonly revokedAtMs: number | null
}

/** Another hash for a key that is kept already. */
export interface Rehash {
  readonly keyId: string
  /** The secret it was hashed with when it was read; a row that has another by now is left alone. */
  readonly fromSecretId: string
  readonly secretId: string
  readonly keyHash: Uint8Array
}

/** How many keys there are. */
export interface ApiKeyCount {
  readonly active: number
  readonly expired: number
  readonly revoked: number
}

/**
 * The API keys. Every call may reject with a StorageError, and then nothing was changed. What a call changed is durable
 * when it resolves, and every later `find` sees it, in whatever process.
 */
export interface ApiKeyStore {
  /**
   * The key with this id, or undefined. Whether there is one costs the same, since an unknown key must not be told from
   * a wrong one by the time it takes (spec 5.4).
   */
  find(keyId: string): Promise<StoredApiKey | undefined>
  /**
   * A number that is another one as soon as anything was changed, in whatever process: what a `find` gave after it was
   * asked for holds while it stays the same. Throws a StorageError. Left out where to tell it takes as long as a `find`.
   */
  revision?(): number
  /**
   * Keeps a new key unless as many as `maxActive` are neither revoked nor expired at its creation; of calls at one time,
   * in whatever processes, no more get in. Rejects for a key id that is taken.
   */
  add(key: StoredApiKey, maxActive: number): Promise<'added' | 'full'>
  /**
   * Revokes a key for good. Resolves with when it was revoked (the first time counts), or undefined where there is no
   * such key.
   */
  revoke(keyId: string, nowMs: number): Promise<number | undefined>
  /** Replaces a hash; false when the row has another secret's by now. */
  rehash(rehash: Rehash): Promise<boolean>
  count(nowMs: number): Promise<ApiKeyCount>
  /** Up to `limit` keys behind a key id ('' for the first), in the order of their ids. */
  readAfter(keyId: string, limit: number): Promise<readonly StoredApiKey[]>
  /**
   * Removes the keys that expired or were revoked before this time; resolves with how many. Done in steps, so that nobody
   * waits long to write: unlike the other calls, one that rejects may have removed some.
   */
  purge(beforeMs: number): Promise<number>
}
