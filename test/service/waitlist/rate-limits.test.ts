import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { LIMITS } from '@public-api/contract/terms/limits'
import { admitRegistration, secondsUntil } from '../../../src/service/waitlist/rate-limits.ts'
import {
  createMemoryCounters,
  type MemoryCounters,
} from '../../../src/storage/counters/memory-counters.ts'

const PER_ACTOR = LIMITS.registrationPerActor.requests
/** Actors that use up the limit of all together; the limits divide without a remainder. */
const FULL_ACTORS = LIMITS.registrationGlobal.requests / PER_ACTOR

const START_MS = Date.UTC(2026, 10, 21, 9, 0, 0)

function makeLimits(wrap: (counters: MemoryCounters) => MemoryCounters = (same) => same) {
  const time = { ms: START_MS }
  const clock = { nowMs: () => time.ms }
  const counters = wrap(createMemoryCounters({ clock }))
  /** Undefined where the request is admitted, else the seconds to wait. */
  async function waitOf(address: string): Promise<number | undefined> {
    try {
      await admitRegistration(address, counters, clock)
      return undefined
    } catch (error) {
      assert.ok(error instanceof ApiError)
      assert.equal(error.code, 'RATE_LIMITED')
      return error.details.retryAfterSeconds
    }
  }
  return { time, counters, waitOf }
}

async function admitTimes(
  waitOf: (address: string) => Promise<number | undefined>,
  address: string,
  times: number,
): Promise<void> {
  for (let each = 0; each < times; each += 1) assert.equal(await waitOf(address), undefined)
}

test('refused actors use no memory', async () => {
  const { counters, waitOf } = makeLimits()
  for (let actor = 0; actor < LIMITS.registrationGlobal.requests; actor += 1)
    await admitTimes(waitOf, `10.0.${actor >> 8}.${actor & 255}`, 1)
  const size = counters.size()
  for (let actor = 0; actor < 2000; actor += 1) {
    assert.notEqual(await waitOf(`10.1.${actor >> 8}.${actor & 255}`), undefined)
  }
  assert.equal(counters.size(), size)
})

test('connections without an address are one actor', async () => {
  const { waitOf } = makeLimits()
  await admitTimes(waitOf, '', PER_ACTOR)
  assert.equal(await waitOf(''), 60)
})

test('with both limits reached, the later end determines the wait', async () => {
  const { time, waitOf } = makeLimits()
  await admitTimes(waitOf, '10.0.0.1', 1)
  time.ms += 20_000
  // Everybody's window has 40 s left now, and this actor's begins.
  await admitTimes(waitOf, '192.0.2.1', PER_ACTOR)
  for (let actor = 0; actor < FULL_ACTORS - 2; actor += 1)
    await admitTimes(waitOf, `10.0.1.${actor}`, PER_ACTOR)
  await admitTimes(waitOf, '10.0.2.1', PER_ACTOR - 1)
  assert.equal(await waitOf('192.0.2.1'), 60)
  assert.equal(await waitOf('10.0.3.1'), 40)
})

test('counters that respond later count the same', async () => {
  const { waitOf } = makeLimits((counters) => ({
    ...counters,
    count: async (windows) => counters.count(windows),
  }))
  await admitTimes(waitOf, '192.0.2.1', PER_ACTOR)
  assert.equal(await waitOf('192.0.2.1'), 60)
})

test('a wait is in whole seconds, rounded up, from 1 to the maximum', () => {
  const nowMs = Date.UTC(2026, 10, 21, 9)
  for (const [leftMs, seconds] of [
    [-1000, 1],
    [0, 1],
    [1, 1],
    [1000, 1],
    [1001, 2],
    [58_999, 59],
    [59_000, 59],
    [59_001, 60],
    [60_000, 60],
    [60_001, 60],
    [86_400_000, 60],
  ] as const) {
    assert.equal(secondsUntil(nowMs + leftMs, nowMs, 60), seconds, `${leftMs} ms`)
  }
})
