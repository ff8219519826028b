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
import type { BenchContext } from './load.ts'
import { withoutLimits } from './boundless-counters.ts'
import { medianOf, ratioCells, spreadCells, twoDigits, type PartReport } from './report.ts'

const CALLS = 300
const MAX_REGISTRATION_RATIO = 2

const QUIET_LOG = new Proxy({}, { get: () => () => {} }) as Parameters<
  typeof createStoredServices
>[0]['log']

const WINDOWS = ['bench:actor', 'bench:all'].map((key) => ({
  key,
  limit: 1_000_000,
  windowSeconds: 60,
}))

type Call = (index: number) => Promise<unknown>

/** The calls over a database that are measured. */
interface Calls {
  readonly register: Call
  readonly checkKey: Call
}

/** Median time of a call in milliseconds, one call after the other. */
async function measureCalls(call: Call): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < CALLS; index += 1) {
    const startedMs = performance.now()
    await call(index)
    times.push(performance.now() - startedMs)
  }
  return medianOf(times)
}

/** The services over a database, with the limits out of reach. */
async function callsOver(storage: Storage, counters: Counters): Promise<Calls> {
  const { recipient } = await generateIdentity()
  const secret = randomBytes(32).toString('hex')
  const { waitlist, apiKeys } = createStoredServices({
    storage,
    counters: withoutLimits(counters),
    clock: SYSTEM_CLOCK,
    challenge: createTestChallenge(),
    secrets: {
      addressHashSecret: secret,
      keyHashSecret: secret,
      previousKeyHashSecrets: [],
      waitlistRecipient: recipient,
    },
    log: QUIET_LOG,
  })
  const { key } = await apiKeys.issue({ label: null, ttlDays: 1 })
  return {
    register() {
      const email = parseEmailAddress(`${randomBytes(8).toString('hex')}@bench.example`)
      if (email === undefined) throw new Error('expected an email address')
      return waitlist.register({
        email,
        locale: 'en',
        interests: ['api'],
        useCase: undefined,
        consentText: 'I agree.',
        challengeToken: TEST_TOKEN,
      })
    },
    checkKey: () => apiKeys.check(key),
  }
}

/** The median of each round in milliseconds, by the name of a row. */
type Medians = Map<string, readonly number[]>

/** The tables of a run. */
function databasesReport(registrations: Medians, keyChecks: Medians, counts: Medians): PartReport {
  const [embedded = [], shared = []] = registrations.values()
  const title = 'registration: PostgreSQL / SQLite'
  return {
    tables: [
      {
        title: `Databases: median latency of one call, without HTTP (${CALLS} calls a round)`,
        heading: 'database|registration ms|spread|key check ms|spread',
        rows: [...registrations].map(([name, times]) => [
          name,
          ...spreadCells(times, twoDigits),
          ...spreadCells(keyChecks.get(name) ?? [], twoDigits),
        ]),
      },
      {
        title: 'Counters: median latency of one count over two windows',
        heading: 'counters in|ms|spread',
        rows: [...counts].map(([name, times]) => [name, ...spreadCells(times, twoDigits)]),
      },
      {
        title: 'Target of a shared database',
        heading: 'ratio|median|spread|target|',
        rows: [
          [title, ...ratioCells(title, [shared, embedded], { atMost: MAX_REGISTRATION_RATIO })],
        ],
      },
    ],
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
    const file = path.join(workspace.folder, 'databases.sqlite')
    const sqlite = await openStorage({ kind: 'sqlite', file })
    lifetime.after(() => sqlite.close())
    const shared = await openStorage({ kind: 'postgres', url: postgres.url })
    lifetime.after(() => shared.close())
    const counters = { memory, PostgreSQL: shared.counters ?? memory, Valkey: valkey }
    const calls = {
      'SQLite, counters in memory': await callsOver(sqlite, memory),
      'PostgreSQL, counters in it': await callsOver(shared, counters.PostgreSQL),
      'PostgreSQL, counters in Valkey': await callsOver(shared, valkey),
    }
    const registrations: Medians = new Map()
    const keyChecks: Medians = new Map()
    const counts: Medians = new Map()
    // The first round compiles.
    for (let round = 0; round <= options.rounds; round += 1) {
      progress(`databases: round ${round} of ${options.rounds}`)
      const measure = async (medians: Medians, name: string, call: Call) => {
        const median = await measureCalls(call)
        medians.set(name, round === 0 ? [] : [...(medians.get(name) ?? []), median])
      }
      for (const [name, { register, checkKey }] of Object.entries(calls)) {
        await measure(registrations, name, register)
        await measure(keyChecks, name, checkKey)
      }
      for (const [name, each] of Object.entries(counters)) {
        await measure(counts, name, () => each.count(WINDOWS))
      }
    }
    return databasesReport(registrations, keyChecks, counts)
  } finally {
    for (const end of ends) await end()
  }
}
