/** A list that is read by the key of the row before, as the stores' `readAfter` does. */
export interface PagedList<Key, Row> {
  readonly readAfter: (key: Key, limit: number) => Promise<readonly Row[]>
  readonly keyOf: (row: Row) => Key
  /** Before the key of every row. */
  readonly start: Key
  /** Most rows of a page, at least 1. */
  readonly pageRows: number
}

/**
 * All rows in the order of their keys, a page at a time, each by a query of its own, so that memory stays the same however
 * many there are. Rows that come or go meanwhile may be among them or not.
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
