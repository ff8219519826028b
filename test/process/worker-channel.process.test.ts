import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openCalls } from '../../src/process/worker-channel.ts'
import type { CountOutcome, Counters } from '../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../src/storage/counters/memory-counters.ts'
import { setClock, testCounters } from '../storage/counters/counters-behavior.ts'
import type { Order, Report } from './worker-channel-worker.ts'

const WORKER = fileURLToPath(new URL('worker-channel-worker.ts', import.meta.url))
const DEADLINE_MS = 20_000
const PROCESSES = 4

let lastOrder = 0

/** One worker process that runs given calls on its group counters. */
interface Hand {
  readonly worker: Worker
  call(
    method: Order['method'],
    args: readonly unknown[],
    times?: number,
  ): Promise<Report['outcomes']>
}

async function startHand(t: TestContext, deadlineMs: number, counters: Counters): Promise<Hand> {
  cluster.setupPrimary({
    exec: WORKER,
    args: [String(deadlineMs)],
    execArgv: [],
    serialization: 'advanced',
  })
  const worker = cluster.fork().setMaxListeners(0)
  openCalls(worker, { ...counters })
  t.after(async () => {
    if (worker.isDead()) return
    const ended = once(worker, 'exit')
    worker.process.kill('SIGKILL')
    await ended
  })
  function reportOf(order: number): Promise<Report['outcomes']> {
    return new Promise((resolve, reject) => {
      function onExit(): void {
        reject(new Error('The worker ended'))
      }
      function onMessage(message: unknown): void {
        if (typeof message !== 'object' || message === null || !('report' in message)) return
        const { report, outcomes } = message as Report
        if (report !== order) return
        worker.off('message', onMessage).off('exit', onExit)
        resolve(outcomes)
      }
      worker.on('message', onMessage).on('exit', onExit)
    })
  }
  await reportOf(0)
  return {
    worker,
    call(method, args, times = 1) {
      lastOrder += 1
      const order: Order = { order: lastOrder, method, args, times }
      const report = reportOf(lastOrder)
      worker.send(order)
      return report
    },
  }
}

function startHands(t: TestContext, counters: Counters): Promise<Hand[]> {
  return Promise.all(Array.from({ length: PROCESSES }, () => startHand(t, DEADLINE_MS, counters)))
}

async function only(outcomes: Promise<Report['outcomes']>): Promise<unknown> {
  const [outcome] = await outcomes
  if (outcome?.error !== undefined) throw new Error(outcome.error)
  return outcome?.value
}

testCounters({
  name: 'group',
  async open(t, clock) {
    const hand = await startHand(t, DEADLINE_MS, createMemoryCounters({ clock }))
    return {
      count: async (windows) => (await only(hand.call('count', [windows]))) as CountOutcome,
      async spend(id, untilMs, secret) {
        const sent = secret && { name: secret.name, bytes: [...secret.bytes] }
        return (await only(hand.call('spend', [id, untilMs, sent]))) as boolean
      },
      async release(id) {
        await only(hand.call('release', [id]))
      },
      async secret(name, untilMs) {
        return Uint8Array.from((await only(hand.call('secret', [name, untilMs]))) as number[])
      },
    }
  },
})

test('group: four processes that count concurrently are admitted exactly the limit', async (t) => {
  const clock = setClock()
  const hands = await startHands(t, createMemoryCounters({ clock }))
  const windows = [
    { key: 'a', requests: 123, windowSeconds: 60 },
    { key: 'b', requests: 1000, windowSeconds: 60 },
  ]
  const reports = await Promise.all(hands.map((hand) => hand.call('count', [windows], 100)))
  const outcomes = reports.flat().map(({ value }) => value as CountOutcome)
  assert.equal(outcomes.length, 400)
  assert.equal(outcomes.filter(({ isAdmitted }) => isAdmitted).length, 123)
  const lefts = outcomes.filter(({ isAdmitted }) => isAdmitted).map((each) => each.windows[0])
  // Each admission has a number of its own.
  assert.equal(new Set(lefts.map((left) => left?.remaining)).size, 123)
})

test('group: one of four processes spends an ID, and all get the same secret', async (t) => {
  const clock = setClock()
  const hands = await startHands(t, createMemoryCounters({ clock }))
  const untilMs = clock.now + 60_000
  const spent = await Promise.all(hands.map((hand) => hand.call('spend', ['id', untilMs], 25)))
  assert.equal(spent.flat().filter(({ value }) => value === true).length, 1)
  assert.equal(spent.flat().filter(({ value }) => value === false).length, 99)
  const secrets = await Promise.all(hands.map((hand) => hand.call('secret', ['salt', untilMs], 5)))
  assert.equal(new Set(secrets.flat().map(({ value }) => JSON.stringify(value))).size, 1)
})

test('group: a primary that does not respond, or fails, is a CountersError and leaves no state', async (t) => {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  const hand = await startHand(t, 1000, {
    ...counters,
    secret: () => new Promise(() => {}),
    count: () => Promise.reject(new Error('a reason that stays here')),
    release() {
      throw new Error('thrown and not rejected')
    },
  })
  const [silent] = await hand.call('secret', ['name', Number.MAX_SAFE_INTEGER])
  assert.equal(silent?.error, 'CountersError: The primary process did not respond within 1000 ms')
  for (const method of ['count', 'release'] as const) {
    const [failed] = await hand.call(method, [[]])
    assert.equal(failed?.error, 'CountersError: The primary process failed')
  }
  // The unanswered request was dropped, and the channel still works.
  assert.equal(await only(hand.call('spend', ['id', clock.now + 1000])), true)
  assert.equal(await only(hand.call('size', [])), 0)
})

test('group: a response that arrives in time counts, even if the worker reads it late', async (t) => {
  const clock = setClock()
  const hand = await startHand(t, 500, createMemoryCounters({ clock }))
  assert.equal(await only(hand.call('busy-spend', ['id', clock.now + 60_000, 1500])), true)
})

test('group: a closed channel fails pending and later calls', async (t) => {
  const counters = createMemoryCounters({ clock: setClock() })
  const hand = await startHand(t, DEADLINE_MS, {
    ...counters,
    spend: () => new Promise(() => {}),
  })
  const ended = once(hand.worker, 'exit')
  hand.call('disconnect-first', ['id', 1]).catch(() => {})
  assert.deepEqual(await ended, [42, null])
})

test('group: a worker that ends before its response does not disturb the primary', async (t) => {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  const { promise: hold, resolve: letGo } = Promise.withResolvers<void>()
  const held: Counters = {
    ...counters,
    async spend(id, untilMs) {
      onAsked()
      await hold
      return counters.spend(id, untilMs)
    },
  }
  const hand = await startHand(t, DEADLINE_MS, held)
  const ended = once(hand.worker, 'exit')
  hand.call('spend', ['id', clock.now + 1000]).catch(() => {})
  await asked
  hand.worker.process.kill('SIGKILL')
  await ended
  letGo()
  const next = await startHand(t, DEADLINE_MS, held)
  assert.equal(await only(next.call('spend', ['other', clock.now + 1000])), true)
})
