import { randomBytes } from 'node:crypto'
import { openSqliteStorage } from '../src/storage/sqlite-storage.ts'
import { spreadOf } from './statistics.ts'

// What the key store's `find` costs by itself, in a process that does nothing else, in CPU time of the thread that calls
// it: for key ids from all over the store, and for ids that are not in it. Arguments: the file, the ids of a kind. Tells
// the microseconds of one, or null for ids that are in it where there are none.

const ROUNDS = 3
const IDS_AT_ONCE = 100

const [file = '', idsOfKind] = process.argv.slice(2)
const count = Number(idsOfKind)
const { apiKeys, close } = await openSqliteStorage({ file })

function newId(): string {
  return randomBytes(8).toString('hex')
}

/** Ids that are kept, each behind a place that was drawn at random. */
async function keptIds(): Promise<readonly string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const pages = await Promise.all(
      Array.from({ length: IDS_AT_ONCE }, () => apiKeys.readAfter(newId(), 1)),
    )
    const found = pages.flat().map(({ keyId }) => keyId)
    if (found.length === 0) return []
    ids.push(...found)
  }
  return ids.slice(0, count)
}

async function findAll(ids: readonly string[], isKept: boolean): Promise<number> {
  const before = process.threadCpuUsage()
  let found = 0
  for (const id of ids) if ((await apiKeys.find(id)) !== undefined) found += 1
  const { user, system } = process.threadCpuUsage(before)
  const expected = isKept ? ids.length : 0
  if (found !== expected) throw new Error(`expected ${expected} keys, found ${found}`)
  return (user + system) / ids.length
}

const kept = await keptIds()
const missing = Array.from({ length: count }, newId)
const hits: number[] = []
const misses: number[] = []
// The first round is there for V8 and for the caches.
for (let round = 0; round <= ROUNDS; round += 1) {
  if (kept.length > 0) hits.push(await findAll(kept, true))
  misses.push(await findAll(missing, false))
}
await close()

/** The first one is left out; null where nothing was measured. */
function medianOf([, ...values]: readonly number[]): number | null {
  return values.length === 0 ? null : spreadOf(values).median
}

process.stdout.write(
  `${JSON.stringify({ hitMicros: medianOf(hits), missMicros: medianOf(misses) })}\n`,
)
