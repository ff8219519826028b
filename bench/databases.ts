import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { parseEmailAddress } from '../src/contract/email-address.ts'
import { generateIdentity } from '../src/crypto/age-file.ts'
import { createStoredServices } from '../src/process/stored-services.ts'
import { SYSTEM_CLOCK } from '../src/service/clock.ts'
import { createTestChallenge, TEST_TOKEN } from '../src/service/test-challenge.ts'
import type { Counters } from '../src/storage/counters.ts'
import { createMemoryCounters } from '../src/storage/memory-counters.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { openValkeyCounters } from '../src/storage/valkey-counters.ts'
import { startRedis } from '../test/storage/redis-server.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import type { BenchContext } from './cost.ts'
import { judge, targetCells, type PartReport } from './report.ts'
import { spreadOf, type Spread } from './statistics.ts'
import { spreadCells, twoDigits } from './table.ts'

const CALLS = 300
const MAX_REGISTRATION_RATIO = 2

const QUIET_LOG = new Proxy({}, { get: () => () => {} }) as Parameters<
  typeof createStoredServices
>[0]['log']

/** Median time of a call in milliseconds, one call after the other. */
async function medianOf(call: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < CALLS; index += 1) {
    const startedMs = performance.now()
    await call(index)
    times.push(performance.now() - startedMs)
  }
  return spreadOf(times).median
}

/** The services over a database, with the limits of registrations out of reach. */
async function servicesOver(storage: Storage, counters: Counters) {
  const { recipient } = await generateIdentity()
  const secret = randomBytes(32).toString('hex')
  const boundless = createMemoryCounters({ clock: SYSTEM_CLOCK })
  const dependencies = {
    storage,
    clock: SYSTEM_CLOCK,
    challenge: createTestChallenge(),
    secrets: {
      addressHashSecret: secret,
      keyHashSecret: secret,
      previousKeyHashSecrets: [],
      waitlistRecipient: recipient,
    },
    log: QUIET_LOG,
  }
  const { waitlist } = createStoredServices({ ...dependencies, counters: boundless })
  const { apiKeys } = createStoredServices({
    ...dependencies,
    // A quota that is never used up.
    counters: {
      ...counters,
      count: (windows) => counters.count(windows.map((each) => ({ ...each, limit: 1_000_000 }))),
    },
  })
  return { waitlist, apiKeys }
}

interface Sample {
  readonly registration: number
  readonly keyCheck: number
}

async function measureDatabase(
  { waitlist, apiKeys }: Awaited<ReturnType<typeof servicesOver>>,
  prefix: string,
): Promise<Sample> {
  const { key } = await apiKeys.issue({ label: null, ttlDays: 1 })
  const register = (index: number) => {
    const email = parseEmailAddress(`${prefix}-${index}@bench.example`)
    if (email === undefined) throw new Error('expected an email address')
    return waitlist.register({
      email,
      locale: 'en',
      interests: ['api'],
      useCase: undefined,
      consentText: 'I agree.',
      challengeToken: TEST_TOKEN,
    })
  }
  return {
    registration: await medianOf(register),
    keyCheck: await medianOf(() => apiKeys.check(key)),
  }
}

/**
 * Registrations, checks of an API key, and counts, over SQLite and memory, PostgreSQL and Valkey, in turn. Everything is
 * on this machine and writes are synced to the disk.
 */
export async function measureDatabases({
  workspace,
  options,
  progress,
}: BenchContext): Promise<PartReport> {
  const ends: (() => unknown)[] = []
  const lifetime = { after: (end: () => unknown) => void ends.unshift(end) }
  try {
    progress('databases: starting PostgreSQL and Valkey')
    const postgres = await startPostgres(lifetime, { fsync: 'on' })
    const redis = await startRedis(lifetime)
    const valkey = await openValkeyCounters({ url: redis.url })
    lifetime.after(() => valkey.close())
    const memory = createMemoryCounters({ clock: SYSTEM_CLOCK })
    const sqlite = await openStorage({
      kind: 'sqlite',
      file: path.join(workspace.folder, 'databases.sqlite'),
    })
    lifetime.after(() => sqlite.close())
    const shared = await openStorage({ kind: 'postgres', url: postgres.url })
    lifetime.after(() => shared.close())
    const counters = {
      memory,
      PostgreSQL: shared.counters ?? memory,
      Valkey: valkey,
    }
    const subjects = [
      ['SQLite, counters in memory', await servicesOver(sqlite, memory)],
      ['PostgreSQL, counters in it', await servicesOver(shared, counters.PostgreSQL)],
      ['PostgreSQL, counters in Valkey', await servicesOver(shared, valkey)],
    ] as const
    const samples = subjects.map((): Sample[] => [])
    const counts = Object.keys(counters).map((): number[] => [])
    // The first round compiles.
    for (let round = 0; round <= options.rounds; round += 1) {
      progress(`databases: round ${round} of ${options.rounds}`)
      for (const [index, [, services]] of subjects.entries()) {
        const sample = await measureDatabase(services, `s${index}r${round}`)
        if (round > 0) samples[index]?.push(sample)
      }
      const windows = [
        { key: 'bench:actor', limit: 1_000_000, windowSeconds: 60 },
        { key: 'bench:all', limit: 1_000_000, windowSeconds: 60 },
      ]
      for (const [index, each] of Object.values(counters).entries()) {
        const median = await medianOf(() => each.count(windows))
        if (round > 0) counts[index]?.push(median)
      }
    }
    return databasesReport(
      subjects.map(([title]) => title),
      samples,
      Object.keys(counters),
      counts,
    )
  } finally {
    for (const end of ends) await end()
  }
}

/** The tables from the medians of each round. */
function databasesReport(
  titles: readonly string[],
  samples: readonly (readonly Sample[])[],
  stores: readonly string[],
  counts: readonly (readonly number[])[],
): PartReport {
  const spread = (of: readonly Sample[] | undefined, what: keyof Sample): Spread =>
    spreadOf((of ?? []).map((sample) => sample[what]))
  const [embedded, shared] = samples
  const ratios = (shared ?? []).map(
    ({ registration }, round) => registration / (embedded?.[round]?.registration ?? Number.NaN),
  )
  const ratio = spreadOf(ratios)
  const title = 'registration: PostgreSQL / SQLite'
  const target = judge(title, ratio.median, { atMost: MAX_REGISTRATION_RATIO }, twoDigits)
  return {
    tables: [
      {
        title: `Databases: median latency of one call, without HTTP (${CALLS} calls a round)`,
        heading: 'database|registration ms|spread|key check ms|spread',
        rows: titles.map((name, index) => [
          name,
          ...spreadCells(spread(samples[index], 'registration'), twoDigits),
          ...spreadCells(spread(samples[index], 'keyCheck'), twoDigits),
        ]),
      },
      {
        title: 'Counters: median latency of one count over two windows',
        heading: 'counters in|ms|spread',
        rows: stores.map((name, index) => [
          name,
          ...spreadCells(spreadOf(counts[index] ?? []), twoDigits),
        ]),
      },
      {
        title: 'Target of a shared database',
        heading: 'ratio|median|spread|target|',
        rows: [[title, ...spreadCells(ratio, twoDigits), ...targetCells(target)]],
      },
    ],
    targets: [target],
  }
}
