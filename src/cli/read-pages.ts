import type { ApiKeyStore, StoredApiKey } from '../storage/stores/api-key-store.ts'
import type { StoredRegistration, WaitlistStore } from '../storage/stores/waitlist-store.ts'

/** Rows per query. They may all be decrypted at the same time. */
const PAGE_ROWS = 128

/**
 * All rows of a list in the order of their keys, page by page, each page by its own query, so that memory does not grow
 * with the list. `start` precedes every key. Rows that are added or deleted meanwhile may be included or not.
 */
export async function* readPages<Key, Row>(
  readAfter: (key: Key) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  start: Key,
): AsyncGenerator<readonly Row[], void, undefined> {
  let key = start
  for (;;) {
    const page = await readAfter(key)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    key = keyOf(last)
  }
}

/** All registrations in the order of registering, page by page. */
export function readRegistrationPages(store: Pick<WaitlistStore, 'readAfter'>) {
  const readAfter = (position: number) => store.readAfter(position, PAGE_ROWS)
  return readPages(readAfter, ({ position }: StoredRegistration) => position, 0)
}

/** All keys in the order of their ids, page by page. */
export function readKeyPages(store: Pick<ApiKeyStore, 'readAfter'>) {
  return readPages(
    (id) => store.readAfter(id, PAGE_ROWS),
    ({ keyId }: StoredApiKey) => keyId,
    '',
  )
}

/** The number of rows that meet a condition. */
export async function countRows<Row>(
  pages: AsyncIterable<readonly Row[]>,
  isCounted: (row: Row) => boolean,
): Promise<number> {
  let count = 0
  for await (const page of pages) count += page.filter(isCounted).length
  return count
}

/** Rows per transaction, so that other writers do not wait long. */
const BATCH_ROWS = 500

/**
 * Deletes rows in batches with a function that deletes up to `limit` of them. An interrupted run has deleted some, and a
 * second one deletes the rest. Resolves with their number.
 */
export async function deleteInBatches(
  deleteSome: (limit: number) => Promise<number>,
): Promise<number> {
  let deleted = 0
  for (;;) {
    const count = await deleteSome(BATCH_ROWS)
    deleted += count
    if (count < BATCH_ROWS) return deleted
  }
}
