import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { withStorage } from '../src/cli/database.ts'
import { createStoredApiKeys } from '../src/service/stored-api-keys.ts'
import { createMemoryCounters } from '../src/storage/memory-counters.ts'
import type { Workspace } from './workspace.ts'

/** Stores a key in the database of a workspace's service, past the pause of the endpoint. Returns the whole key. */
export async function issueSoakKey({ folder }: Workspace): Promise<string> {
  const clock = { nowMs: Date.now }
  const secretFile = path.join(folder, 'secrets', 'key-hash-secret.txt')
  const file = path.join(folder, 'data', 'service.sqlite')
  return withStorage({ kind: 'sqlite', file }, 'read-write', async ({ apiKeys: store }) => {
    const keys = createStoredApiKeys({
      store,
      counters: createMemoryCounters({ clock }),
      clock,
      randomBytes,
      hashSecret: readFileSync(secretFile, 'utf8').trim(),
      previousHashSecrets: [],
      onRehashFailure(error) {
        throw error
      },
    })
    return (await keys.issue({ label: null, ttlDays: 1 })).key
  })
}
