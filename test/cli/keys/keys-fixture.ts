import type { TestContext } from 'node:test'
import type { StoredApiKey } from '../../../src/storage/stores/api-key-store.ts'
import { type Outcome, type RunOptions, svcIn } from '../../support/run-svc.ts'
import {
  askDatabase,
  fillDatabase,
  makeServiceFolder,
  type ServiceFolder,
} from '../../support/service-folder.ts'

export const KEY_HASH_SECRET = 'the-secret-that-the-keys-of-a-test-are-hashed-with'

/** Far from any day on which a test runs: the program reads the machine's clock. */
export const LONG_AGO_MS: number = Date.UTC(2020, 0, 31, 12, 30, 15, 250)
export const FAR_AHEAD_MS: number = Date.UTC(2199, 0, 31, 12, 30, 15, 250)
const CREATED_MS = Date.UTC(2019, 10, 30, 8, 1, 2, 3)

/** The key of a number, active unless it is changed. Every hash is another. */
export function storedKey(number: number, changes: Partial<StoredApiKey> = {}): StoredApiKey {
  return {
    keyId: number.toString(16).padStart(16, '0'),
    keyHash: new Uint8Array(32).fill(number + 160),
    secretId: '5ec4e7005ec4e700',
    label: `key ${number}`,
    createdAtMs: CREATED_MS,
    expiresAtMs: FAR_AHEAD_MS,
    revokedAtMs: null,
    ...changes,
  }
}

/** One key of each status, in the order of their ids. */
export const ONE_OF_EACH: readonly StoredApiKey[] = [
  storedKey(1),
  storedKey(2, { expiresAtMs: LONG_AGO_MS, label: null }),
  storedKey(3, { revokedAtMs: LONG_AGO_MS }),
]

/** Makes a folder with the secret that keys are hashed with, and a database with these keys. */
export async function makeKeysDeployment(
  t: TestContext,
  stored: readonly StoredApiKey[] = [],
): Promise<ServiceFolder> {
  const made = makeServiceFolder(t, { 'key-hash-secret.txt': KEY_HASH_SECRET })
  await fillDatabase(made.database, ({ apiKeys }) =>
    stored.map((key) => apiKeys.add(key, Number.MAX_SAFE_INTEGER)),
  )
  return made
}

/** All keys of a database, in the order of their ids. */
export function readKeys(database: string): Promise<readonly StoredApiKey[]> {
  return askDatabase(database, ({ apiKeys }) => apiKeys.readAfter('', 1_000_000))
}

/** Runs `svc api-keys` in a folder. */
export function keys(
  folder: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  return svcIn(folder, ['api-keys', ...args], options)
}
