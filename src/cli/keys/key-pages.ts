import type { ApiKeyStore, StoredApiKey } from '../../storage/api-key-store.ts'

const PAGE_KEYS = 1000

/**
 * All keys in the order of their ids, a page at a time, so that memory stays the same however many there are. Keys that
 * come or go meanwhile may be among them or not.
 */
export async function* readKeyPages(
  store: Pick<ApiKeyStore, 'readAfter'>,
): AsyncGenerator<readonly StoredApiKey[], void, undefined> {
  let keyId = ''
  for (;;) {
    const page = await store.readAfter(keyId, PAGE_KEYS)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    keyId = last.keyId
  }
}
