import { fileURLToPath } from 'node:url'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import { ERRORS } from '../src/contract/errors.ts'
import { HEADERS } from '../src/contract/headers.ts'
import { startChild } from './children.ts'
import { boundTo } from './cores.ts'
import { CONNECTIONS, measureUnderLoad, type CostParts, type Sample } from './cost.ts'
import { removeDatabase } from './filled-database.ts'
import { unknownKey } from './key-timing-classes.ts'
import { measureKeyTiming } from './key-timing.ts'
import { summarizeKeys, type KeysResult, type LookupTimes } from './keys-result.ts'
import { makeKeyStore, type KeyStoreFile } from './made-keys.ts'
import { startService } from './server.ts'
import { whole } from './table.ts'

/** Keys that are presented in turn where none of them is kept. */
const UNKNOWN_KEYS = 10_000

/** A store with what was found out about it, round by round. */
interface Measured {
  readonly store: KeyStoreFile
  readonly keyed: Sample[]
  readonly refused: Sample[]
  readonly lookups: LookupTimes[]
}

/** Measures a fresh process of the service on a store, asked with these keys in turn, or without any. */
async function measureRead(
  { workspace, cores, generator, options }: CostParts,
  { file }: KeyStoreFile,
  keys: readonly string[] | undefined,
  expectedStatus: number,
): Promise<Sample> {
  const server = await startService(workspace, cores.server, file)
  try {
    const { method, path: target } = ENDPOINTS.status
    const rotating = keys === undefined ? {} : { rotating: { name: HEADERS.key, values: keys } }
    const load = { method, target, headers: {}, expectedStatus, ...rotating }
    return await measureUnderLoad(generator, server, load, {
      warmUpRequests: options.keyWarmUpRequests,
      measuredRequests: options.keyRequests,
    })
  } finally {
    await server.end()
  }
}

/** The store's `find` by itself. */
async function measureLookup(
  { cores, options }: CostParts,
  { file }: KeyStoreFile,
): Promise<LookupTimes> {
  const program = fileURLToPath(new URL('key-lookup.ts', import.meta.url))
  const args = [program, file, String(options.keyLookups)]
  const child = startChild(boundTo(cores.server, [process.execPath, ...args]), { ipc: false })
  try {
    return await child.firstLine((line) =>
      line.startsWith('{') ? (JSON.parse(line) as LookupTimes) : undefined,
    )
  } finally {
    await child.end()
  }
}

function nameOf({ active, dead }: KeyStoreFile): string {
  return `${whole(active)} active keys and ${whole(dead)} others`
}

/**
 * Measures what a key costs: reads with a valid one and with an unknown one on stores of several sizes beside a read with
 * none, each in a fresh process once a round; the look-up by itself; and whether the time of a refusal tells its reason.
 */
export async function measureKeys(parts: CostParts): Promise<KeysResult> {
  const { workspace, options, progress } = parts
  const measured: Measured[] = []
  try {
    for (const counts of options.keyStores) {
      const store = await makeKeyStore(workspace, counts, (made) =>
        progress(`keys: making a store, ${made} of ${counts.active + counts.dead} keys`),
      )
      measured.push({ store, keyed: [], refused: [], lookups: [] })
    }
    const last = measured.at(-1)
    if (last === undefined) throw new RangeError('expected at least one store of keys')
    const strangers = Array.from({ length: UNKNOWN_KEYS }, unknownKey)
    const anonymous: Sample[] = []
    for (let round = 1; round <= options.keyRounds; round += 1) {
      const told = `keys: round ${round} of ${options.keyRounds}`
      progress(`${told}, without a key`)
      anonymous.push(
        await measureRead(parts, last.store, undefined, ENDPOINTS.status.success.status),
      )
      for (const { store, keyed, refused, lookups } of measured) {
        progress(`${told}, ${nameOf(store)}`)
        const { activeKeys } = store
        if (activeKeys.length > 0) {
          keyed.push(await measureRead(parts, store, activeKeys, ENDPOINTS.status.success.status))
        }
        refused.push(await measureRead(parts, store, strangers, ERRORS.KEY_INVALID.status))
        lookups.push(await measureLookup(parts, store))
      }
    }
    progress('keys: the time of a refusal')
    return summarizeKeys({
      connections: CONNECTIONS,
      requestsPerRound: options.keyRequests,
      anonymous,
      stores: measured.map(({ store: { active, dead }, ...samples }) => ({
        active,
        dead,
        ...samples,
      })),
      timing: await measureKeyTiming(parts, last.store),
    })
  } finally {
    for (const { store } of measured) removeDatabase(store.file)
  }
}
