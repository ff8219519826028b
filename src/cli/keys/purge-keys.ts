import type { ApiKeyStore } from '../../storage/api-key-store.ts'
import { readKeyPages } from './key-pages.ts'
import { endOf } from './key-status.ts'

const HOUR_MS = 3_600_000
/** After about how many keys it is told how far the work is. */
const KEYS_BETWEEN_NEWS = 2000

/** How many keys end in each hour. Hours rather than keys: they stay few, however many keys there are. */
export type EndedKeys = ReadonlyMap<number, number>

/** Counts the keys that expired or were revoked before a moment, by the hour of their end. */
export async function countEndedKeys(
  store: Pick<ApiKeyStore, 'readAfter'>,
  beforeMs: number,
): Promise<EndedKeys> {
  const hours = new Map<number, number>()
  for await (const page of readKeyPages(store)) {
    for (const key of page) {
      const endMs = endOf(key)
      if (endMs >= beforeMs) continue
      const hour = Math.floor(endMs / HOUR_MS)
      hours.set(hour, (hours.get(hour) ?? 0) + 1)
    }
  }
  return hours
}

/** How many keys were counted. */
export function totalOf(ended: EndedKeys): number {
  return ended.values().reduce((sum, count) => sum + count, 0)
}

/**
 * Removes the keys that expired or were revoked before a moment, the longest gone first. Stopped half-way it has removed some, and another run removes the rest. Resolves with how many.
 */
export async function purgeKeys(
  store: Pick<ApiKeyStore, 'purge'>,
  ended: EndedKeys,
  beforeMs: number,
  onProgress: (keys: number) => void,
): Promise<number> {
  let [removed, gathered] = [0, 0]
  const purge = async (untilMs: number): Promise<void> => {
    const count = await store.purge(untilMs)
    removed += count
    onProgress(count)
  }
  for (const [hour, count] of [...ended].toSorted(([one], [other]) => one - other)) {
    if (gathered > 0 && gathered + count > KEYS_BETWEEN_NEWS) {
      await purge(hour * HOUR_MS)
      gathered = 0
    }
    gathered += count
  }
  await purge(beforeMs)
  return removed
}
