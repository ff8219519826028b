/** An API key as it is stored: without its secret (spec 5.6). */
export interface StoredApiKey {
  /** The public part: 16 lower-case hexadecimal digits. */
  readonly keyId: string
  /** HMAC-SHA256 of the whole key, 32 bytes. */
  readonly keyHash: Uint8Array
  /** Identifies the hash secret of `keyHash` without revealing it. */
  readonly secretId: string
  readonly label: string | null
  /** Milliseconds since the epoch, as are the next two times. */
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Null while the key is not revoked. */
  readonly revokedAtMs: number | null
}

/** A new hash for a stored key. */
export interface Rehash extends Pick<StoredApiKey, 'keyId' | 'keyHash' | 'secretId'> {
  /** The hash secret that the key had when it was read. A key with another hash secret is left unchanged. */
  readonly fromSecretId: string
}

export interface ApiKeyCount {
  readonly active: number
  readonly expired: number
  readonly revoked: number
}

/**
 * The API keys. Every call may reject with a StorageError, and then nothing was changed. A change is durable when its call
 * resolves, and every later `find` sees it, in every process.
 */
export interface ApiKeyStore {
  /** The key with this id. Both outcomes cost the same: response times must not reveal whether it exists (spec 5.4). */
  find(keyId: string): Promise<StoredApiKey | undefined>
  /**
   * Stores a key unless `maxActive` keys are neither revoked nor expired at its creation. The limit holds for concurrent
   * calls from any number of processes. `taken`: a key with this id exists, and nothing was changed.
   */
  add(key: StoredApiKey, maxActive: number): Promise<'added' | 'full' | 'taken'>
  /** Revokes a key permanently. Resolves with the time of the first revocation, or undefined for an unknown key. */
  revoke(keyId: string, nowMs: number): Promise<number | undefined>
  /** Replaces a hash. False if the key no longer has the hash secret `fromSecretId`. */
  rehash(rehash: Rehash): Promise<boolean>
  count(nowMs: number): Promise<ApiKeyCount>
  /** Up to `limit` keys after a key ID ('' for the first page), ordered by id. */
  readAfter(keyId: string, limit: number): Promise<readonly StoredApiKey[]>
  /** Deletes up to `limit` keys that expired or were revoked before this time. Resolves with their number. */
  purge(beforeMs: number, limit: number): Promise<number>
}
