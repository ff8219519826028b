import type { Client } from '../client.ts'
import type { VersionEntry } from '../resources.ts'
import type { ReadOptions, Verified } from '../verified.ts'
import { readSignedEntry } from './audit-round.ts'
import { createHistoryFailure, readIndex } from './history-failure.ts'
import { findChangesFinding } from './history-proofs.ts'
import { entriesOf } from './history-statement.ts'

/**
 * Iterates over all versions, newest first, as the index lists them when the iteration starts. An entry is read when it is
 * needed, and yielded after its signature, hash, link to the previous entry and changes match. The history is not
 * compared with an earlier audit.
 *
 * Throws a HistoryError with evidence if signed responses are malformed or contradict each other, an UnlinkedKeysError if
 * unrelated keys signed them, and otherwise what the client throws.
 *
 * @example
 * ```ts
 * import { createClient } from '@public-api/client'
 * import { history } from '@public-api/client/audit'
 *
 * const client = createClient({ baseUrl: 'https://api.example.org', pinnedKeyIds: ['kPrK_qmx…'] })
 * for await (const { data } of history(client)) {
 *   console.log(data.snapshotId, data.createdAt, data.note)
 * }
 * ```
 */
export async function* history(
  client: Client,
  options: ReadOptions = {},
): AsyncGenerator<Verified<VersionEntry>, void, undefined> {
  const index = await readIndex(client, options)
  const summaries = entriesOf(index.data)
  const readAt = async (place: number): Promise<Verified<VersionEntry> | undefined> => {
    const summary = summaries[place]
    if (summary === undefined) return undefined
    const reading = { client, readOptions: options }
    return readSignedEntry(reading, index, summary)
  }
  let entry = await readAt(0)
  for (let place = 1; entry !== undefined; place += 1) {
    const before = await readAt(place)
    const finding = findChangesFinding(before?.data, entry.data)
    if (finding !== undefined) {
      const responses = before === undefined ? [entry.response] : [before.response, entry.response]
      throw await createHistoryFailure(client, 'CHANGES_FALSE', responses, finding)
    }
    yield entry
    entry = before
  }
}
