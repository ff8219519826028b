import type { ApiKeyStore, StoredApiKey } from '../../src/storage/stores/api-key-store.ts'
import { bytesOf } from './waitlist-fixture.ts'

/** When every key of these tests was made, unless it says otherwise. */
export const CREATED_AT_MS = 1_900_000_000_000
const DAY_MS = 86_400_000

/** When they expire. */
export const EXPIRES_AT_MS = CREATED_AT_MS + 90 * DAY_MS

/** A key whose every part follows from its number; `changes` replaces some of them. */
export function makeKey(number: number, changes: Partial<StoredApiKey> = {}): StoredApiKey {
  return {
    keyId: Buffer.from(bytesOf(`key ID ${number}`, 8)).toString('hex'),
    keyHash: bytesOf(`key hash ${number}`, 32),
    secretId: 'first-secret',
    label: number % 2 === 0 ? null : `key ${number}`,
    createdAtMs: CREATED_AT_MS,
    expiresAtMs: EXPIRES_AT_MS,
    revokedAtMs: null,
    ...changes,
  }
}

/** A key with a plain array of bytes, to be compared with what was added. */
export function plainKey(key: StoredApiKey): StoredApiKey {
  return { ...key, keyHash: new Uint8Array(key.keyHash) }
}

/** Every key, in the order of the ids. */
export async function readAllKeys(store: ApiKeyStore): Promise<readonly StoredApiKey[]> {
  return (await store.readAfter('', 100_000)).map(plainKey)
}

/** Keys in the order of their ids. */
export function inOrder(keys: readonly StoredApiKey[]): readonly StoredApiKey[] {
  return keys.toSorted((one, other) => (one.keyId < other.keyId ? -1 : 1))
}
