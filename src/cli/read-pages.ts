import type { ApiKeyStore, StoredApiKey } from '../storage/api-key-store.ts'
import type { StoredRegistration, WaitlistStore } from '../storage/waitlist-store.ts'

/** A list that is read by the key of the previous row, as with the stores' `readAfter`. */
export interface PagedList<Key, Row> {
  readonly readAfter: (key: Key, limit: number) => Promise<readonly Row[]>
  readonly keyOf: (row: Row) => Key
  /** A value before the key of every row. */
  readonly start: Key
  /** The maximum number of rows in a page, at least 1. */
  readonly pageRows: number
}

/**
 * All rows in the order of their keys, page by page, each page by its own query, so that memory does not grow with the list.
 * Rows that are added or deleted meanwhile may be included or not.
 */
export async function* readPages<Key, Row>({
  readAfter,
  keyOf,
  start,
  pageRows,
}: PagedList<Key, Row>): AsyncGenerator<readonly Row[], void, undefined> {
  let key = start
  for (;;) {
    const page = await readAfter(key, pageRows)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    key = keyOf(last)
  }
}

/** All registrations in the order of registering, page by page. */
export function readRegistrationPages(store: Pick<WaitlistStore, 'readAfter'>, pageRows: number) {
  return readPages({
    readAfter: (position, limit) => store.readAfter(position, limit),
    keyOf: ({ position }: StoredRegistration) => position,
    start: 0,
    pageRows,
  })
}

/** All keys in the order of their ids, page by page. */
export function readKeyPages(store: Pick<ApiKeyStore, 'readAfter'>, pageRows = 1000) {
  return readPages({
    readAfter: (keyId, limit) => store.readAfter(keyId, limit),
    keyOf: ({ keyId }: StoredApiKey) => keyId,
    start: '',
    pageRows,
  })
}
