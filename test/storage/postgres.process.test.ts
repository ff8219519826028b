import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, connect, type Socket } from 'node:net'
import path from 'node:path'
import { after, describe, test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { copyStorage } from '../../src/cli/db/copy-command.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { createPostgresCounters } from '../../src/storage/postgres/postgres-counters.ts'
import {
  migratePostgres,
  POSTGRES_MIGRATIONS,
} from '../../src/storage/postgres/postgres-migrations.ts'
import { createPostgresSession } from '../../src/storage/postgres/postgres-session.ts'
import { openPostgres } from '../../src/storage/postgres/postgres-storage.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import type { Storage } from '../../src/storage/stores/storage.ts'
import { makeContent } from '../publishing/content-fixture.ts'
import { eventually } from '../support/eventually.ts'
import { serveTcp } from '../support/loopback-server.ts'
import { pgbouncerMissing, startPgbouncer } from '../support/pgbouncer.ts'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { failedWith, succeeded, svc, svcIn } from '../support/run-svc.ts'
import { issueInto } from '../support/stored-keys.ts'
import { temporaryDatabase, temporaryFolder } from '../support/temporary-folder.ts'
import { testApiKeysBehavior } from './api-keys-behavior.ts'
import { assertKeepsKeysAsMemoryDoes } from './api-keys-model.ts'
import { setClock, testCounters } from './counters/counters-behavior.ts'
import { testWaitlistBehavior } from './waitlist-behavior.ts'
import { makeRegistration, readAll } from './waitlist-fixture.ts'

const WHERE = 'postgres://test'
/** A database as a busy machine needs it. */
const patient = (url: string) => ({ url, where: WHERE, timeoutMs: 120_000 })

async function runSql(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ readonly [column: string]: unknown }>(sql)
    return rows
  } finally {
    await client.end()
  }
}

/** An operator's server, with a role that may create databases, in place of the one that this file starts. */
const GIVEN_URL = process.env['TEST_POSTGRES_URL']
const skip = GIVEN_URL === undefined ? postgresMissing : undefined
const server =
  skip === undefined && GIVEN_URL === undefined ? await startPostgres({ after }) : undefined
let databases = 0

async function newDatabase(): Promise<string> {
  if (server !== undefined) return server.createDatabase()
  databases += 1
  const name = `svc_test_${process.pid}_${databases}`
  await runSql(GIVEN_URL ?? '', `CREATE DATABASE ${name}`)
  after(() => runSql(GIVEN_URL ?? '', `DROP DATABASE ${name} WITH (FORCE)`))
  const url = new URL(GIVEN_URL ?? '')
  url.pathname = `/${name}`
  return url.href
}

async function open(t: TestContext, url: string): Promise<Storage> {
  const storage = await openPostgres(patient(url), 'create')
  t.after(() => storage.close())
  return storage
}

test('a connection that the server resets is a failure that may pass', async (t) => {
  const port = await serveTcp(t, (client) => client.once('data', () => client.resetAndDestroy()))
  const url = `postgres://user@127.0.0.1:${port}/db`
  let unavailable: StorageError | undefined
  const storage = await openStorage({ kind: 'postgres', url }, 'create', {
    onUnavailable: (error) => (unavailable = error),
  })
  await storage.close()
  assert.equal(unavailable?.code, 'IO')
})

testWaitlistBehavior({
  name: 'PostgreSQL',
  ...(skip === undefined ? {} : { skip }),
  async open(t) {
    const url = await newDatabase()
    return { store: await open(t, url), openAgain: () => open(t, url) }
  },
})

test('svc waitlist erase --all erases every registration', { skip: skip ?? false }, async (t) => {
  const url = await newDatabase()
  const { waitlist } = await open(t, url)
  for (let number = 0; number < 3; number += 1) await waitlist.add(makeRegistration(number))
  const out = succeeded(await svc('waitlist', 'erase', '--all', '--yes', '--database', url))
  assert.match(out, /^Erased 3 registrations in /)
  assert.deepEqual(await readAll(waitlist), [])
  const [rows] = await runSql(url, 'SELECT count(*)::int AS count FROM svc.registrations')
  assert.deepEqual(rows, { count: 0 })
})

test(
  'publishing compares the clock with that of the database',
  { skip: skip ?? false },
  async (t) => {
    const url = await newDatabase()
    const content = makeContent(t)
    const releases = path.join(temporaryFolder(t), 'releases')
    const publish = (...args: readonly string[]) =>
      svcIn(content, ['publish', '--content', content, '--releases', releases, ...args], {
        env: { SVC_DATABASE_URL: url },
      })
    const note = ['--no-cards', '--create', '--note', 'N.']
    await runSql(
      url,
      `CREATE SCHEMA shifted;
     CREATE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql
       AS $$ SELECT pg_catalog.clock_timestamp() - interval '1 hour' $$;`,
    )
    const name = new URL(url).pathname.slice(1)
    await runSql(url, `ALTER DATABASE "${name}" SET search_path = shifted, pg_catalog, public`)
    const refused = failedWith(2, await publish(...note))
    assert.match(refused, /the clock is 3\d{3}\.\d s ahead of postgres:.* \(SVC_DATABASE_URL\)/)
    succeeded(await publish(...note, '--yes'))
    await runSql(url, `ALTER DATABASE "${name}" RESET search_path`)
    const agreed = await publish('--no-cards', '--auto-note')
    assert.equal(agreed.status, 0, agreed.error)
    assert.doesNotMatch(agreed.error, /clock/)
  },
)

testApiKeysBehavior({
  name: 'PostgreSQL',
  ...(skip === undefined ? {} : { skip }),
  async open(t) {
    const url = await newDatabase()
    const { apiKeys } = await open(t, url)
    return { store: apiKeys, openAgain: async () => (await open(t, url)).apiKeys }
  },
})

/** A relay to the server that can break connections at a chosen message. */
async function startRelay(
  t: TestContext,
  port: number,
): Promise<{
  readonly port: number
  /** Called with what the client sends; true passes it on and breaks the connection before the response. */
  breakAfter: (sent: Buffer) => boolean
}> {
  const relay = { port: 0, breakAfter: (_sent: Buffer) => false }
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    upstream.on('data', (chunk) => client.write(chunk))
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    client.on('data', (chunk: Buffer) => {
      if (!relay.breakAfter(chunk)) {
        upstream.write(chunk)
        return
      }
      upstream.removeAllListeners('data')
      upstream.write(chunk, () => setTimeout(() => client.destroy(), 100))
    })
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const address = listener.address()
  relay.port = typeof address === 'object' && address !== null ? address.port : 0
  t.after(() => {
    listener.close()
    for (const socket of sockets) socket.destroy()
  })
  return relay
}

describe('PostgreSQL', { skip: skip ?? false }, () => {
  testCounters({
    name: 'PostgreSQL',
    async open(t, clock) {
      const session = createPostgresSession(patient(await newDatabase()))
      t.after(() => session.close())
      await migratePostgres(session, WHERE)
      return createPostgresCounters(session, clock)
    },
  })

  test('a node with a slow clock counts in the window that another node started', async (t) => {
    const url = await newDatabase()
    const clock = setClock()
    const [ahead, behind] = [0, 5000].map((behindMs) => {
      const session = createPostgresSession(patient(url))
      t.after(() => session.close())
      const nodeClock = { nowMs: () => clock.nowMs() - behindMs }
      return {
        session,
        counters: createPostgresCounters(session, nodeClock),
      }
    })
    assert.ok(ahead !== undefined && behind !== undefined)
    await migratePostgres(ahead.session, WHERE)
    const windows = [{ key: 'shared', requests: 2, windowSeconds: 60 }]
    assert.equal((await ahead.counters.count(windows)).isAdmitted, true)
    assert.equal((await behind.counters.count(windows)).isAdmitted, true)
    assert.equal((await behind.counters.count(windows)).isAdmitted, false)
    assert.equal((await ahead.counters.count(windows)).isAdmitted, false)
  })

  test('any sequence of calls on keys matches the memory implementation', async (t) => {
    await assertKeepsKeysAsMemoryDoes((await open(t, await newDatabase())).apiKeys)
  })

  test('ten nodes that start together migrate once', async (t) => {
    const url = await newDatabase()
    const nodes = await Promise.all(Array.from({ length: 10 }, () => open(t, url)))
    assert.deepEqual(await runSql(url, 'SELECT version FROM svc.schema_version'), [
      { version: POSTGRES_MIGRATIONS.length },
    ])
    const added = await Promise.all(nodes.map(({ waitlist }) => waitlist.add(makeRegistration(1))))
    assert.equal(added.filter((outcome) => outcome === 'added').length, 1)
  })

  test('a registration is committed durably although the server defaults to asynchronous commits', async (t) => {
    const url = await newDatabase()
    const name = new URL(url).pathname.slice(1)
    await runSql(url, `ALTER DATABASE ${name} SET synchronous_commit TO off`)
    const session = createPostgresSession(patient(url))
    t.after(() => session.close())
    const settings = async (durability: 'durable' | 'volatile') =>
      (await session.transact(durability, (client) => client.query('SHOW synchronous_commit')))[0]
    assert.deepEqual(await settings('durable'), { synchronous_commit: 'on' })
    assert.deepEqual(await settings('volatile'), { synchronous_commit: 'off' })
    const changed = await session.change('SHOW synchronous_commit', [])
    assert.deepEqual(changed, [{ synchronous_commit: 'on' }])
    assert.deepEqual(await session.query('SHOW synchronous_commit'), [
      { synchronous_commit: 'off' },
    ])
  })

  test('a read-only command does not migrate and refuses an unknown, older or newer database by name', async () => {
    const url = await newDatabase()
    const problem = async (mode: 'read-only' | 'read-write') => {
      try {
        await (await openStorage({ kind: 'postgres', url }, mode)).close()
        return 'none'
      } catch (error) {
        assert.ok(error instanceof StorageError)
        return error.code
      }
    }
    assert.equal(await problem('read-only'), 'MISSING')
    assert.equal(await problem('read-write'), 'none')
    await runSql(url, 'UPDATE svc.schema_version SET version = 0')
    assert.equal(await problem('read-only'), 'OLDER')
    await runSql(url, 'UPDATE svc.schema_version SET version = 99')
    assert.equal(await problem('read-write'), 'NEWER')
  })

  test('refused credentials and an unknown database fail the start without printing the password', async () => {
    const url = new URL(await newDatabase())
    url.pathname = '/no-such-database'
    url.password = 'hidden-password'
    const onUnavailable = () => assert.fail('expected the start to end')
    await assert.rejects(
      openStorage({ kind: 'postgres', url: url.href }, 'create', { onUnavailable }),
      (error) => {
        assert.ok(error instanceof StorageError)
        assert.equal(error.code, 'MISSING')
        assert.doesNotMatch(`${error.stack} ${String(error.cause)}`, /hidden-password/)
        return true
      },
    )
    url.username = 'unknown-user'
    await assert.rejects(
      openStorage({ kind: 'postgres', url: url.href }, 'create', { onUnavailable }),
      {
        code: 'REFUSED',
      },
    )
  })

  test(
    'waits for an unreachable server and uses it once it responds',
    { skip: server === undefined && 'needs a server of its own' },
    async (t) => {
      const own = await startPostgres(t)
      await own.kill()
      let unavailable = 0
      const storage = await openStorage({ kind: 'postgres', url: own.url }, 'create', {
        onUnavailable: () => (unavailable += 1),
      })
      t.after(() => storage.close())
      assert.equal(unavailable, 1)
      await assert.rejects(storage.waitlist.add(makeRegistration(1)), { code: 'UNREACHABLE' })
      await own.start()
      await eventually('the storage migrates', async () =>
        storage.ping().then(
          () => true,
          () => undefined,
        ),
      )
      assert.equal(await storage.waitlist.add(makeRegistration(1)), 'added')
      await own.kill()
      await assert.rejects(storage.waitlist.add(makeRegistration(2)), { code: 'UNREACHABLE' })
      await own.start()
      assert.equal(await storage.waitlist.add(makeRegistration(2)), 'added')
      assert.equal(await storage.waitlist.add(makeRegistration(1)), 'duplicate')
    },
  )

  test('looks up the outcome of a COMMIT whose response was lost', async (t) => {
    const url = new URL(await newDatabase())
    const direct = await open(t, url.href)
    const relay = await startRelay(t, Number(url.port))
    url.port = String(relay.port)
    const storage = await openPostgres({ url: url.href, where: WHERE }, 'read-write')
    t.after(() => storage.close())

    const breakOnce = (text: string) => {
      let isBroken = false
      relay.breakAfter = (sent) => {
        if (isBroken || !sent.includes(text)) return false
        isBroken = true
        return true
      }
    }
    breakOnce('INSERT INTO svc.registrations')
    await assert.rejects(storage.waitlist.add(makeRegistration(1)), { code: 'IO' })
    assert.deepEqual(await readAll(direct.waitlist), [])
    breakOnce('COMMIT\0')
    assert.equal(await storage.waitlist.add(makeRegistration(1)), 'added')
    breakOnce('COMMIT\0')
    const again = makeRegistration(3, { addressHash: makeRegistration(1).addressHash })
    assert.equal(await storage.waitlist.add(again), 'duplicate')
    const keyHash = makeRegistration(4).addressHash
    const key = {
      keyId: '0123456789abcdef',
      keyHash,
      secretId: 'secret',
      label: null,
      createdAtMs: 1,
      expiresAtMs: 2,
      revokedAtMs: null,
    }
    breakOnce('COMMIT\0')
    assert.equal(await storage.apiKeys.add(key, 10), 'added')
    breakOnce('INSERT INTO svc.api_keys')
    await assert.rejects(storage.apiKeys.add({ ...key, keyId: 'fedcba9876543210' }, 10), {
      code: 'IO',
    })
    assert.equal(await direct.apiKeys.find('fedcba9876543210'), undefined)
    assert.deepEqual(
      (await readAll(direct.waitlist)).map(({ ticket }) => ticket),
      [makeRegistration(1).ticket],
    )
  })

  test('a transaction that the server rolled back is an error, and its connection is used again', async (t) => {
    const session = createPostgresSession(patient(await newDatabase()))
    t.after(() => session.close())
    await migratePostgres(session, WHERE)
    await assert.rejects(
      session.transact('durable', (client) => client.query('SELECT 1 / 0')),
      { code: 'IO' },
    )
    assert.deepEqual(await session.query('SELECT 1 AS one'), [{ one: 1 }])
  })

  test('PgBouncer in transaction mode serves the store', { skip: pgbouncerMissing }, async (t) => {
    const url = await startPgbouncer(t, new URL(await newDatabase()))
    const [first, second] = [await open(t, url), await open(t, url)]
    const added = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? first : second).waitlist.add(makeRegistration(index % 10)),
      ),
    )
    assert.equal(added.filter((outcome) => outcome === 'added').length, 10)
    const windows = [{ key: 'shared', requests: 15, windowSeconds: 60 }]
    const counted = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        (index % 2 === 0 ? first : second).counters?.count(windows),
      ),
    )
    assert.equal(counted.filter((outcome) => outcome?.isAdmitted === true).length, 15)
  })

  test('a copy from SQLite has every row, in order; a second run adds the new rows', async (t) => {
    const file = temporaryDatabase(t)
    const source = await openStorage({ kind: 'sqlite', file }, 'create')
    t.after(() => source.close())
    for (let number = 0; number < 30; number += 1)
      await source.waitlist.add(makeRegistration(number))
    await issueInto(source.apiKeys)
    const revoked = await issueInto(source.apiKeys)
    await source.apiKeys.revoke(revoked.keyId, 5)
    const url = await newDatabase()
    const target = await openPostgres({ url, where: WHERE }, 'read-write')
    t.after(() => target.close())
    const progress = { advance() {} }
    assert.deepEqual(await copyStorage(source, target, progress), {
      registrations: 30,
      keys: 2,
      differing: 0,
    })
    assert.deepEqual(
      (await readAll(target.waitlist)).map(({ ticket }) => ticket),
      (await readAll(source.waitlist)).map(({ ticket }) => ticket),
    )
    await source.waitlist.add(makeRegistration(31))
    await source.waitlist.add(makeRegistration(32))
    // The same person registered with the new database: their ticket there stays, and the copy reports it.
    const { addressHash } = makeRegistration(32)
    await target.waitlist.add(makeRegistration(99, { addressHash }))
    assert.deepEqual(await copyStorage(source, target, progress), {
      registrations: 32,
      keys: 2,
      differing: 1,
    })
    const kept = await target.waitlist.find(addressHash)
    assert.equal(kept?.ticket, makeRegistration(99).ticket)
  })
})
