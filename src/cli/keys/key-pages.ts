import type { ApiKeyStore, StoredApiKey } from '../../storage/api-key-store.ts'
import { readPages } from '../read-pages.ts'

const PAGE_KEYS = 1000

/** All keys in the order of their ids, page by page. */
export function readKeyPages(
  store: Pick<ApiKeyStore, 'readAfter'>,
): AsyncGenerator<readonly StoredApiKey[], void, undefined> {
  return readPages({
    readAfter: (keyId, limit) => store.readAfter(keyId, limit),
    keyOf: ({ keyId }) => keyId,
    start: '',
    pageRows: PAGE_KEYS,
  })
}
