import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createMemoryCounters } from '../../../src/storage/counters/memory-counters.ts'
import { setClock, testCounters } from './counters-behavior.ts'

testCounters({
  name: 'memory',
  open: async (_t, clock) => createMemoryCounters({ clock }),
})

const MINUTE_MS = 60_000

test('memory: refused requests, unknown IDs and ended entries use no memory', async () => {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  const all = { key: 'all', requests: 300, windowSeconds: 60 }
  for (let each = 0; each < 10_000; each += 1) {
    await counters.count([{ key: `actor ${each}`, requests: 5, windowSeconds: 60 }, all])
    // Every one of them was released, or ended before it was spent.
    await counters.spend(`id ${each}`, clock.now + 10 * MINUTE_MS)
    await counters.release(`id ${each}`)
    await counters.spend(`late ${each}`, clock.now)
    await counters.release(`unknown ${each}`)
  }
  assert.equal(counters.size(), 301)

  for (let each = 0; each < 1000; each += 1) {
    await counters.spend(`id ${each}`, clock.now + (each % 10) * MINUTE_MS + each + 1)
  }
  assert.equal(counters.size(), 1301)
  clock.now += 11 * MINUTE_MS
  await counters.count([all])
  await counters.spend('last', clock.now + 1)
  assert.equal(counters.size(), 2)
})

test('memory: drops windows of several lengths, each at its own time', async () => {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  for (let each = 0; each < 100; each += 1) {
    await counters.count([
      { key: `short ${each}`, requests: 1, windowSeconds: 60 },
      { key: `long ${each}`, requests: 1, windowSeconds: 3600 },
    ])
    clock.now += 100
  }
  clock.now += MINUTE_MS
  await counters.count([{ key: 'short 0', requests: 1, windowSeconds: 60 }])
  assert.equal(counters.size(), 101)
})

test('memory: a clock that is set back does not extend a window', async () => {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  const asked = [{ key: 'a', requests: 1, windowSeconds: 60 }]
  await counters.count(asked)
  clock.now -= 24 * 60 * MINUTE_MS
  assert.deepEqual(await counters.count(asked), {
    isAdmitted: true,
    windows: [{ remaining: 0, endsAtMs: clock.now + MINUTE_MS }],
  })
  assert.equal((await counters.count(asked)).isAdmitted, false)
  assert.equal(counters.size(), 1)
})

test('memory: a clock that was briefly ahead does not delay the end of a window', async () => {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  const admits = async (key: string) =>
    (await counters.count([{ key, requests: 1, windowSeconds: 60 }])).isAdmitted
  const startMs = clock.now
  assert.equal(await admits('first'), true)
  clock.now = startMs + 10_000
  assert.equal(await admits('ahead'), true)
  clock.now = startMs + 5000
  assert.equal(await admits('after'), true)
  assert.equal(await admits('after'), false)
  // The one from ahead has its time still, and those behind it are over all the same.
  clock.now = startMs + 66_000
  assert.equal(await admits('after'), true)
  assert.equal(await admits('ahead'), false)
  assert.equal(await admits('first'), true)
})

test('memory: releasing an ID still drops the other IDs of its minute', async () => {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  for (const id of ['a', 'b', 'c']) await counters.spend(id, clock.now + MINUTE_MS)
  await counters.release('a')
  await counters.release('b')
  assert.equal(counters.size(), 1)
  clock.now += 2 * MINUTE_MS
  await counters.spend('last', clock.now + 1)
  assert.equal(counters.size(), 1)
})

test('memory: drops IDs after the clock was briefly far ahead', async () => {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  clock.now += 365 * 24 * 60 * MINUTE_MS
  assert.equal(await counters.spend('ahead', clock.now + MINUTE_MS), true)
  clock.now -= 365 * 24 * 60 * MINUTE_MS
  for (let each = 0; each < 100; each += 1) {
    await counters.spend(`id ${each}`, clock.now + MINUTE_MS)
    clock.now += MINUTE_MS
  }
  // The one from ahead, and those whose minute is not over yet.
  assert.ok(counters.size() <= 3, `${counters.size()} are kept`)
})

test('memory: any sequence of calls matches a model of the rules', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('count' as const),
      asked: fc.uniqueArray(
        fc.record({
          key: fc.constantFrom('a', 'b', 'c'),
          requests: fc.constantFrom(1, 2, 5),
          windowSeconds: fc.constantFrom(60, 300),
        }),
        { minLength: 1, maxLength: 3, selector: ({ key, windowSeconds }) => key + windowSeconds },
      ),
    }),
    fc.record({
      kind: fc.constant('spend' as const),
      id: fc.constantFrom('x', 'y', 'z'),
      lifeMs: fc.integer({ min: 0, max: 5 * MINUTE_MS }),
    }),
    fc.record({ kind: fc.constant('release' as const), id: fc.constantFrom('x', 'y', 'z') }),
    fc.record({
      kind: fc.constant('wait' as const),
      passedMs: fc.integer({ min: 0, max: 3 * MINUTE_MS }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = setClock()
      const counters = createMemoryCounters({ clock })
      // Every admission and every spending there ever was, searched from the start each time.
      const admitted: { name: string; endsAtMs: number }[] = []
      const spent = new Map<string, number>()
      for (const each of steps) {
        if (each.kind === 'wait') clock.now += each.passedMs
        else if (each.kind === 'release') {
          spent.delete(each.id)
          await counters.release(each.id)
        } else if (each.kind === 'spend') {
          const isFree = (spent.get(each.id) ?? 0) <= clock.now
          assert.equal(await counters.spend(each.id, clock.now + each.lifeMs), isFree)
          if (isFree) spent.set(each.id, clock.now + each.lifeMs)
        } else {
          const states = each.asked.map(({ key, requests, windowSeconds }) => {
            const name = `${key} ${windowSeconds}`
            const open = admitted.filter(
              (other) => other.name === name && other.endsAtMs > clock.now,
            )
            const endsAtMs = open[0]?.endsAtMs ?? clock.now + windowSeconds * 1000
            return { name, endsAtMs, left: Math.max(0, requests - open.length) }
          })
          const isAdmitted = states.every(({ left }) => left > 0)
          assert.deepEqual(await counters.count(each.asked), {
            isAdmitted,
            windows: states.map(({ endsAtMs, left }) => ({
              remaining: left - (isAdmitted ? 1 : 0),
              endsAtMs,
            })),
          })
          if (isAdmitted) {
            for (const { name, endsAtMs } of states) admitted.push({ name, endsAtMs })
          }
        }
      }
    }),
  )
})
