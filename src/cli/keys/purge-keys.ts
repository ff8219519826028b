import type { ApiKeyStore } from '../../storage/api-key-store.ts'
import { readKeyPages } from '../read-pages.ts'
import { endOf } from './key-status.ts'

/** Keys per transaction, so that other writers do not wait long. */
const PURGE_BATCH = 500

/** The number of keys that expired or were revoked before this time. */
export async function countEndedKeys(
  store: Pick<ApiKeyStore, 'readAfter'>,
  beforeMs: number,
): Promise<number> {
  let count = 0
  for await (const page of readKeyPages(store)) {
    count += page.filter((key) => endOf(key) < beforeMs).length
  }
  return count
}

/**
 * Deletes the keys that expired or were revoked before this time, in batches. An interrupted run has deleted some, and a
 * second one deletes the rest. Resolves with their number.
 */
export async function purgeKeys(
  store: Pick<ApiKeyStore, 'purge'>,
  beforeMs: number,
  onProgress: (keys: number) => void,
): Promise<number> {
  let removed = 0
  for (;;) {
    const count = await store.purge(beforeMs, PURGE_BATCH)
    removed += count
    onProgress(count)
    if (count < PURGE_BATCH) return removed
  }
}
