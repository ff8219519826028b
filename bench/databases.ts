import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { parseEmailAddress } from '@public-api/contract/waitlist/email-address'
import { generateIdentity } from '../src/crypto/age-file.ts'
import { createStoredServices } from '../src/process/stored-services.ts'
import { createTestChallenge, TEST_TOKEN } from '../src/service/challenge/challenge.ts'
import { SYSTEM_CLOCK } from '../src/service/clock.ts'
import type { Counters } from '../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../src/storage/counters/memory-counters.ts'
import { openValkeyCounters } from '../src/storage/counters/valkey-counters.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import type { Storage } from '../src/storage/stores/storage.ts'
import { startRedis } from '../test/storage/counters/redis-server.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import type { BenchOptions } from './options.ts'
import { medianOf, ratioCells, showProgress, spreadCells, twoDigits, type Table } from './report.ts'
import { withoutLimits } from './waitlist-fixture.ts'
import type { Workspace } from './workspace.ts'

const CALLS = 300
const MAX_REGISTRATION_RATIO = 2

const QUIET_LOG = new Proxy({}, { get: () => () => {} }) as Parameters<
  typeof createStoredServices
>[0]['log']

const WINDOWS = ['bench:actor', 'bench:all'].map((key) => ({
  key,
  requests: 1_000_000,
  windowSeconds: 60,
}))

type Call = () => Promise<unknown>

/** Median time of a call in milliseconds, one call after the other. */
async function measureCalls(call: Call): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < CALLS; index += 1) {
    const startedMs = performance.now()
    await call()
    times.push(performance.now() - startedMs)
  }
  return medianOf(times)
}

/** The calls over a database that are measured, with the limits out of reach. */
async function callsOver(name: string, storage: Storage, counters: Counters) {
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
  const register = () => {
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
  }
  return { [`registration, ${name}`]: register, [`key check, ${name}`]: () => apiKeys.check(key) }
}

/**
 * Registrations, checks of an API key, and counts, over SQLite and memory, PostgreSQL and Valkey, in turn. Everything is
 * on this machine and writes are synced to the disk.
 */
export async function measureDatabases(
  workspace: Workspace,
  { rounds }: BenchOptions,
): Promise<readonly Table[]> {
  const ends: (() => unknown)[] = []
  const lifetime = { after: (end: () => unknown) => void ends.unshift(end) }
  try {
    showProgress('databases: starting PostgreSQL and Valkey')
    const { url } = await startPostgres(lifetime, { fsync: 'on' })
    const redis = await startRedis(lifetime)
    const valkey = await openValkeyCounters({ url: redis.url })
    lifetime.after(() => valkey.close())
    const memory = createMemoryCounters({ clock: SYSTEM_CLOCK })
    const file = path.join(workspace.folder, 'databases.sqlite')
    const sqlite = await openStorage({ kind: 'sqlite', file })
    lifetime.after(() => sqlite.close())
    const postgres = await openStorage({ kind: 'postgres', url })
    lifetime.after(() => postgres.close())
    const shared = postgres.counters ?? memory
    const calls: { readonly [name: string]: Call } = {
      ...(await callsOver('SQLite', sqlite, memory)),
      ...(await callsOver('PostgreSQL', postgres, shared)),
      ...(await callsOver('PostgreSQL and Valkey', postgres, valkey)),
      'count over two windows, memory': () => memory.count(WINDOWS),
      'count over two windows, PostgreSQL': () => shared.count(WINDOWS),
      'count over two windows, Valkey': () => valkey.count(WINDOWS),
    }
    const medians = new Map<string, readonly number[]>()
    // The first round compiles.
    for (let round = 0; round <= rounds; round += 1) {
      showProgress(`databases: round ${round} of ${rounds}`)
      for (const [name, call] of Object.entries(calls)) {
        const median = await measureCalls(call)
        medians.set(name, round === 0 ? [] : [...(medians.get(name) ?? []), median])
      }
    }
    const title = 'registration: PostgreSQL / SQLite'
    const ratio = ['PostgreSQL', 'SQLite'].map((name) => medians.get(`registration, ${name}`) ?? [])
    return [
      {
        title: `Databases and counters: median latency of one call, without HTTP (${CALLS} calls a round)`,
        heading: 'call|ms|spread',
        rows: [...medians].map(([name, times]) => [name, ...spreadCells(times, twoDigits)]),
      },
      {
        title: 'Target of a shared database',
        heading: 'ratio|median|spread|target|',
        rows: [[title, ...ratioCells(title, ratio, { atMost: MAX_REGISTRATION_RATIO })]],
      },
    ]
  } finally {
    for (const end of ends) await end()
  }
}
