import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Counters, CountersError } from '../../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../../src/storage/counters/memory-counters.ts'
import {
  createSharedCounters,
  type LimiterMode,
} from '../../../src/storage/counters/shared-counters.ts'
import {
  openValkeyCounters,
  type ValkeyOptions,
} from '../../../src/storage/counters/valkey-counters.ts'
import { serveTcp } from '../../support/loopback-server.ts'
import { setClock, testCounters } from './counters-behavior.ts'
import { REDIS_SKIP_REASON, startRedis } from './redis-server.ts'

const SKIP = { skip: REDIS_SKIP_REASON ?? false }
const WINDOW = { key: 'register', requests: 4, windowSeconds: 60 }
const SECRET = 'challenge-key'

async function openValkey(t: TestContext, url: string, options: Pick<ValkeyOptions, 'clock'> = {}) {
  const counters = await openValkeyCounters({ url, ...options })
  t.after(() => counters.close())
  return counters
}

async function eventually(what: string, check: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await check()) return
    await sleep(50)
  }
  assert.fail(`timed out: ${what}`)
}

const worksAgain = (counters: Counters) => () =>
  counters.count([{ key: 'probe', requests: 1e6, windowSeconds: 60 }]).then(
    () => true,
    () => false,
  )

describe('Valkey counters', SKIP, () => {
  testCounters({
    name: 'Valkey',
    open: async (t, clock) => {
      const counters = await openValkey(t, (await startRedis(t)).url, { clock })
      // On a busy machine the first connection may time out.
      await eventually('the server works', worksAgain(counters))
      return counters
    },
  })

  test('two nodes share windows, spent ids and secrets by the clock of the server', async (t) => {
    const { url } = await startRedis(t)
    const [one, other] = [await openValkey(t, url), await openValkey(t, url)]
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : other).count([WINDOW])),
    )
    assert.equal(outcomes.filter(({ isAdmitted }) => isAdmitted).length, 4)
    const endsInMs = (outcomes[0]?.windows[0]?.endsAtMs ?? 0) - Date.now()
    assert.ok(endsInMs > 50_000 && endsInMs <= 60_000, `${endsInMs}`)
    const untilMs = Date.now() + 60_000
    const bytes = await one.secret(SECRET, untilMs)
    assert.deepEqual(await other.secret(SECRET, untilMs), bytes)
    const secret = { name: SECRET, bytes }
    assert.equal(await one.spend('id', untilMs, secret), true)
    assert.equal(await other.spend('id', untilMs, secret), false)
    await other.release('id')
    assert.equal(await one.spend('id', untilMs, secret), true)
  })

  test('a challenge from before a restart cannot be spent, even if its secret was restored', async (t) => {
    const server = await startRedis(t, ['--appendonly', 'yes', '--appendfsync', 'always'])
    const counters = await openValkey(t, server.url)
    const untilMs = Date.now() + 600_000
    const bytes = await counters.secret(SECRET, untilMs)
    await server.kill()
    await assert.rejects(counters.count([WINDOW]), CountersError)
    await server.start()
    await eventually('the connection is restored', worksAgain(counters))
    assert.match(server.cli('KEYS', 'svc:secret:*'), /challenge-key/, 'the old secret was restored')
    assert.equal(await counters.spend('id', untilMs, { name: SECRET, bytes }), false)
    const renewed = await counters.secret(SECRET, untilMs)
    assert.notDeepEqual(renewed, bytes)
    assert.equal(await counters.spend('id', untilMs, { name: SECRET, bytes: renewed }), true)
  })

  test('a challenge from before a flush cannot be spent', async (t) => {
    const server = await startRedis(t)
    const counters = await openValkey(t, server.url)
    const untilMs = Date.now() + 600_000
    const secret = { name: SECRET, bytes: await counters.secret(SECRET, untilMs) }
    assert.equal(await counters.spend('id', untilMs, secret), true)
    server.cli('FLUSHALL')
    assert.equal(await counters.spend('id', untilMs, secret), false)
  })

  test('a frozen server fails a call within a second, and works after it thaws', async (t) => {
    const server = await startRedis(t)
    const counters = await openValkey(t, server.url)
    await counters.count([WINDOW])
    server.freeze()
    const startedMs = performance.now()
    await assert.rejects(counters.count([WINDOW]), CountersError)
    // Without a limit it would wait for as long as the server is frozen.
    assert.ok(performance.now() - startedMs < 5000)
    server.thaw()
    await eventually('the server works again', worksAgain(counters))
  })

  test('a read-only server fails a call, and works once it is a primary again', async (t) => {
    const server = await startRedis(t)
    const counters = await openValkey(t, server.url)
    await counters.count([WINDOW])
    server.cli('REPLICAOF', '127.0.0.1', '1')
    await assert.rejects(counters.count([WINDOW]), CountersError)
    server.cli('REPLICAOF', 'NO', 'ONE')
    await eventually('the server works again', worksAgain(counters))
  })

  test('refuses a server that evicts keys', async (t) => {
    const options = ['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-lru']
    const counters = await openValkey(t, (await startRedis(t, options)).url)
    await assert.rejects(counters.count([WINDOW]), CountersError)
    assert.equal(counters.failure(), 'expected maxmemory-policy noeviction, found volatile-lru')
  })

  test('a wrong password is reported without the password', async (t) => {
    const { port } = await startRedis(t, ['--requirepass', 'the-right-password'])
    const counters = await openValkey(t, `valkey://:the-wrong-password@127.0.0.1:${port}`)
    const error: unknown = await counters.count([WINDOW]).catch((caught: unknown) => caught)
    assert.ok(error instanceof CountersError)
    assert.ok(counters.failure() !== undefined)
    const said = JSON.stringify([counters.failure(), error, error.message])
    assert.ok(!said.includes('the-wrong-password'))
    const right = await openValkey(t, `valkey://:the-right-password@127.0.0.1:${port}`)
    assert.equal((await right.count([WINDOW])).isAdmitted, true)
  })

  test('without a server, opening resolves and the connection follows', async (t) => {
    const server = await startRedis(t)
    await server.kill()
    const counters = await openValkey(t, server.url)
    await sleep(1000)
    await assert.rejects(counters.count([WINDOW]), CountersError)
    await server.start()
    await eventually('the connection follows', worksAgain(counters))
    assert.equal(counters.failure(), undefined)
  })
})

/** Later than the timeout of a command, earlier than that of the connection. */
const LATE_MS = 700

test('a server that describes itself too late is asked again on a new connection', async (t) => {
  let asked = 0
  const port = await serveTcp(t, (socket) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      for (const command of text.matchAll(/^(hello|client|info|eval)\r$/gim)) {
        const name = command[1]?.toLowerCase()
        if (name === 'hello' || name === 'client') socket.write('+OK\r\n')
        if (name === 'eval') socket.write('*3\r\n:1\r\n:3\r\n:60000\r\n')
        if (name !== 'info') continue
        asked += 1
        const info = 'redis_version:8.0.0\r\nloading:0\r\nmaxmemory:0\r\n'
        const reply = () => socket.write(`$${info.length}\r\n${info}\r\n`)
        // The first request for INFO comes from the client library, the second one from the counters.
        if (asked === 2) setTimeout(reply, LATE_MS)
        else reply()
      }
    })
  })
  const counters = await openValkey(t, `redis://127.0.0.1:${port}`)
  assert.equal(counters.failure(), 'Command timed out')
  await assert.rejects(counters.count([WINDOW]), CountersError)
  await eventually('the server is asked again', worksAgain(counters))
})

/** Counters that fail while `isDown` is set, and count their calls. */
function failing(counters: Counters): Counters & { isDown: boolean; calls: number } {
  async function reach(): Promise<void> {
    state.calls += 1
    if (state.isDown) throw new CountersError('down')
  }
  const state: Counters & { isDown: boolean; calls: number } = {
    isDown: false,
    calls: 0,
    count: async (...args) => reach().then(() => counters.count(...args)),
    spend: async (...args) => reach().then(() => counters.spend(...args)),
    release: async (...args) => reach().then(() => counters.release(...args)),
    secret: async (...args) => reach().then(() => counters.secret(...args)),
  }
  return state
}

function makeShared(nodes: number, withDatabase: boolean) {
  const clock = setClock()
  const shared = failing(createMemoryCounters({ clock }))
  const database = createMemoryCounters({ clock })
  const modes: LimiterMode[] = []
  const time = { ms: 0 }
  const counters = createSharedCounters({
    shared,
    local: createMemoryCounters({ clock }),
    database: withDatabase ? database : undefined,
    monotonicMs: () => time.ms,
    onModeChange: (mode) => modes.push(mode),
    nodes,
    localSecretPrefix: 'actor-key:',
  })
  return { counters, shared, database, modes, time, clock }
}

test('while the shared counters fail, a node admits its share, rounded up', async () => {
  const { counters, shared, modes, time } = makeShared(3, false)
  assert.equal((await counters.count([WINDOW])).windows[0]?.remaining, 3)
  shared.isDown = true
  const outcomes = []
  for (let each = 0; each < 5; each += 1) outcomes.push(await counters.count([WINDOW]))
  assert.equal(outcomes.filter(({ isAdmitted }) => isAdmitted).length, 2)
  assert.equal(counters.mode(), 'local')
  assert.equal((await counters.secret('actor-key:today', 1e15)).length, 32)
  // The shared counters are tried again after a second, not with every request.
  assert.equal(shared.calls, 2)
  time.ms += 1000
  shared.isDown = false
  assert.equal((await counters.count([WINDOW])).windows[0]?.remaining, 2)
  assert.deepEqual(modes, ['local', 'shared'])
})

test('while the shared counters fail, challenges are refused without a database', async () => {
  const { counters, shared, clock } = makeShared(2, false)
  shared.isDown = true
  await assert.rejects(counters.secret(SECRET, clock.now + 1000), CountersError)
  await assert.rejects(counters.spend('id', clock.now + 1000), CountersError)
})

test('while the shared counters fail, challenges are spent in the database with its own key', async () => {
  const { counters, shared, time, clock } = makeShared(2, true)
  const untilMs = clock.now + 60_000
  const secretNow = async () => ({ name: SECRET, bytes: await counters.secret(SECRET, untilMs) })
  const before = await secretNow()
  assert.equal(await counters.spend('id', untilMs, before), true)
  shared.isDown = true
  // A replay of a challenge of the shared counters, which cannot say that it was spent.
  assert.equal(await counters.spend('id', untilMs, before), false)
  const during = await secretNow()
  assert.notDeepEqual(during, before)
  assert.equal(await counters.spend('other', untilMs, during), true)
  assert.equal(await counters.spend('other', untilMs, during), false)
  shared.isDown = false
  time.ms += 1000
  assert.equal(await counters.spend('other', untilMs, during), false)
  assert.equal(await counters.spend('id', untilMs, before), false)
})
