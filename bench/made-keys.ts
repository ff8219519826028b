import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inspectConfig } from '../src/config.ts'
import { LIMITS } from '../src/contract/limits.ts'
import { openSecrets } from '../src/local-secrets.ts'
import { createStoredApiKeys } from '../src/service/stored-api-keys.ts'
import type { StoredApiKey } from '../src/storage/api-key-store.ts'
import { createMemoryCounters } from '../src/storage/memory-counters.ts'
import { prepareApiKeys } from '../src/storage/sqlite-api-keys.ts'
import { fillDatabase } from './filled-database.ts'
import type { Workspace } from './workspace.ts'

/** How many keys are kept. */
export interface KeyCounts {
  readonly active: number
  /** Revoked or expired, half of each. */
  readonly dead: number
}

/** A database with keys, and some of the keys in full. */
export interface KeyStoreFile extends KeyCounts {
  readonly file: string
  /** All that are active. */
  readonly activeKeys: readonly string[]
  /** As many revoked ones as there are active ones, or all. */
  readonly revokedKeys: readonly string[]
}

/** A key in full beside what is kept of it. */
interface MadeKey {
  readonly key: string
  readonly stored: StoredApiKey
}

/** Makes keys as the service does, with its own code and the secret that it has, but keeps none and counts none. */
async function openKeyMaker({ env, root }: Workspace): Promise<() => Promise<MadeKey>> {
  const { secrets } = await openSecrets(inspectConfig(env, root).config, Date.now())
  const clock = { nowMs: () => Date.now() }
  const made: StoredApiKey[] = []
  const notAsked = () => Promise.reject(new Error('Only issuing is expected here'))
  const apiKeys = createStoredApiKeys({
    store: {
      find: notAsked,
      revoke: notAsked,
      rehash: notAsked,
      count: notAsked,
      readAfter: notAsked,
      purge: notAsked,
      async add(key) {
        made.push(key)
        return 'added'
      },
    },
    counters: {
      ...createMemoryCounters({ clock }),
      count: async (windows) => ({
        isAdmitted: true,
        windows: windows.map(({ limit }) => ({ remaining: limit, endsAtMs: Date.now() })),
      }),
    },
    clock,
    hashSecret: secrets.keyHashSecret,
    previousHashSecrets: [],
    randomBytes,
    onRehashFailure: () => {},
  })
  return async () => {
    const { key } = await apiKeys.issue({ label: null, ttlDays: LIMITS.defaultTtlDays })
    const stored = made.pop()
    if (stored === undefined) throw new Error('A key was issued and none was to be kept')
    return { key, stored }
  }
}

const ROWS_PER_TRANSACTION = 10_000

/** A key that nobody asks for: what stands for its hash is looked into by no one. */
function unaskedKey({ secretId }: StoredApiKey, createdAtMs: number): StoredApiKey {
  return {
    keyId: randomBytes(8).toString('hex'),
    keyHash: randomBytes(32),
    secretId,
    label: null,
    createdAtMs,
    expiresAtMs: createdAtMs + 1,
    revokedAtMs: null,
  }
}

/**
 * Makes a database with so many keys, dead ones first, through the statement that the service adds them with. What is
 * dead had ended before the next was made, so that none of them stands in the way of the limit of active keys.
 */
export async function makeKeyStore(
  workspace: Workspace,
  { active, dead }: KeyCounts,
  onProgress: (made: number) => void,
): Promise<KeyStoreFile> {
  const makeKey = await openKeyMaker(workspace)
  const sample = (await makeKey()).stored
  const activeKeys: string[] = []
  const revokedKeys: string[] = []
  const revoked = Math.ceil(dead / 2)
  const beganMs = Date.now() - 2 * dead

  async function makeRow(index: number): Promise<StoredApiKey> {
    const createdAtMs = beganMs + 2 * index
    if (index >= dead) {
      const { key, stored } = await makeKey()
      activeKeys.push(key)
      return stored
    }
    if (index >= revoked) return unaskedKey(sample, createdAtMs)
    if (index >= active) {
      const { expiresAtMs } = sample
      return { ...unaskedKey(sample, createdAtMs), expiresAtMs, revokedAtMs: createdAtMs + 1 }
    }
    const { key, stored } = await makeKey()
    revokedKeys.push(key)
    return { ...stored, createdAtMs, revokedAtMs: createdAtMs + 1 }
  }

  async function* makeRows(): AsyncGenerator<readonly StoredApiKey[]> {
    for (let first = 0; first < active + dead; first += ROWS_PER_TRANSACTION) {
      const rows: StoredApiKey[] = []
      const count = Math.min(ROWS_PER_TRANSACTION, active + dead - first)
      for (let index = 0; index < count; index += 1) rows.push(await makeRow(first + index))
      yield rows
      onProgress(first + count)
      // Signals are heard between two batches.
      await nextTurn()
    }
  }

  const file = path.join(workspace.folder, `keys-${active}-${dead}.sqlite`)
  await fillDatabase(file, makeRows(), (database) => {
    const { add } = prepareApiKeys(database)
    return (key: StoredApiKey) => {
      const outcome = add(key, LIMITS.maxActiveKeys)
      if (outcome !== 'added') throw new Error(`expected every key to be added, found ${outcome}`)
    }
  })
  return { active, dead, file, activeKeys, revokedKeys }
}
