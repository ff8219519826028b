import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { SYSTEM_CLOCK } from '../src/service/clock.ts'
import { createMemoryCounters } from '../src/storage/counters/memory-counters.ts'
import { openValkeyCounters } from '../src/storage/counters/valkey-counters.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import type { Storage } from '../src/storage/stores/storage.ts'
import { startRedis } from '../test/storage/counters/redis-server.ts'
import { makeRegistration } from '../test/storage/waitlist-fixture.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { issueInto } from '../test/support/stored-keys.ts'
import { judge, showProgress, twoDigits, type Table } from './report.ts'
import { TIME_HEADING, timeCalls, timeCells } from './timing.ts'
import type { Workspace } from './workspace.ts'

const CALLS = 2000
const MAX_REGISTRATION_RATIO = 2

const WINDOWS = ['bench:actor', 'bench:all'].map((key) => ({
  key,
  requests: 1_000_000,
  windowSeconds: 60,
}))

type Call = () => Promise<unknown>

/** The calls of a database that a registration and the check of an API key need. */
async function callsOver(name: string, { waitlist, apiKeys }: Storage) {
  const { keyId } = await issueInto(apiKeys)
  const nextNumber = () => randomBytes(4).readUInt32BE()
  return {
    [`registration, ${name}`]: () => waitlist.add(makeRegistration(nextNumber())),
    [`key lookup, ${name}`]: () => apiKeys.find(keyId),
  }
}

/**
 * Registrations, lookups of an API key, and counts, over SQLite and memory, PostgreSQL and Valkey, in turn. Everything is
 * on this machine and writes are synced to the disk.
 */
export async function measureDatabases(workspace: Workspace): Promise<readonly Table[]> {
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
      ...(await callsOver('SQLite', sqlite)),
      ...(await callsOver('PostgreSQL', postgres)),
      'count over two windows, memory': () => memory.count(WINDOWS),
      'count over two windows, PostgreSQL': () => shared.count(WINDOWS),
      'count over two windows, Valkey': () => valkey.count(WINDOWS),
    }
    const times = await timeCalls(calls, CALLS)
    const title = 'registration: PostgreSQL / SQLite'
    const medianTime = (name: string) => times[`registration, ${name}`]?.median ?? Number.NaN
    const ratio = medianTime('PostgreSQL') / medianTime('SQLite')
    return [
      {
        title: `Databases and counters: latency of one call, without HTTP (${CALLS} calls)`,
        heading: `call|ms: ${TIME_HEADING}`,
        rows: Object.entries(times).map(([name, each]) => [name, ...timeCells(each, twoDigits)]),
      },
      {
        title: 'Target of a shared database',
        heading: 'ratio|median|target|',
        rows: [
          [
            title,
            twoDigits(ratio),
            judge(title, ratio, { atMost: MAX_REGISTRATION_RATIO }, twoDigits),
          ],
        ],
      },
    ]
  } finally {
    for (const end of ends) await end()
  }
}
