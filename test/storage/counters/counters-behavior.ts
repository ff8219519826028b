import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { CountedWindow, Counters } from '../../../src/storage/counters/counters.ts'

/** A clock that stands still until a test moves it. */
export interface SetClock {
  now: number
  nowMs(): number
}

/** Creates empty counters for the suite. */
export interface CountersBackend {
  readonly name: string
  open(t: TestContext, clock: SetClock): Promise<Counters>
}

const START_MS = Date.UTC(2026, 4, 1, 12, 0, 0)
const MINUTE_MS = 60_000

export function setClock(now: number = START_MS): SetClock {
  return {
    now,
    nowMs() {
      return this.now
    },
  }
}

function window(key: string, limit: number, windowSeconds = 60): CountedWindow {
  return { key, requests: limit, windowSeconds }
}

/** What counters of any kind must do (src/storage/counters/counters.ts). */
export function testCounters({ name, open }: CountersBackend): void {
  async function opened(t: TestContext): Promise<{ counters: Counters; clock: SetClock }> {
    const clock = setClock()
    return { counters: await open(t, clock), clock }
  }

  test(`${name}: a window admits its limit, reports the remainder and restarts at its end`, async (t) => {
    const { counters, clock } = await opened(t)
    const startMs = clock.now
    for (const remaining of [2, 1, 0]) {
      assert.deepEqual(await counters.count([window('a', 3)]), {
        isAdmitted: true,
        windows: [{ remaining, endsAtMs: startMs + MINUTE_MS }],
      })
      clock.now += 1000
    }
    clock.now = startMs + MINUTE_MS - 1
    assert.deepEqual(await counters.count([window('a', 3)]), {
      isAdmitted: false,
      windows: [{ remaining: 0, endsAtMs: startMs + MINUTE_MS }],
    })
    clock.now = startMs + MINUTE_MS
    assert.deepEqual(await counters.count([window('a', 3)]), {
      isAdmitted: true,
      windows: [{ remaining: 2, endsAtMs: startMs + 2 * MINUTE_MS }],
    })
  })

  test(`${name}: a request that one window refuses counts in no window`, async (t) => {
    const { counters, clock } = await opened(t)
    const both = [window('actor', 1), window('all', 10, 3600)]
    assert.equal((await counters.count(both)).isAdmitted, true)
    clock.now += 1000
    for (let each = 0; each < 20; each += 1) {
      const { isAdmitted, windows } = await counters.count(both)
      assert.equal(isAdmitted, false)
      assert.deepEqual(
        windows.map(({ remaining }) => remaining),
        [0, 9],
      )
    }
    // Whichever stands first.
    assert.equal((await counters.count([...both].toReversed())).isAdmitted, false)
    const other = await counters.count([window('other', 5), window('all', 10, 3600)])
    assert.deepEqual(
      other.windows.map(({ remaining }) => remaining),
      [4, 8],
    )
    assert.deepEqual(
      other.windows.map(({ endsAtMs }) => endsAtMs),
      [clock.now + MINUTE_MS, clock.now - 1000 + 60 * MINUTE_MS],
    )
  })

  test(`${name}: a refused request starts no window`, async (t) => {
    const { counters, clock } = await opened(t)
    await counters.count([window('full', 1)])
    clock.now += 30_000
    assert.equal((await counters.count([window('new', 5), window('full', 1)])).isAdmitted, false)
    clock.now += 10_000
    const { windows } = await counters.count([window('new', 5)])
    assert.deepEqual(windows, [{ remaining: 4, endsAtMs: clock.now + MINUTE_MS }])
  })

  test(`${name}: keys of any name are independent`, async (t) => {
    const { counters } = await opened(t)
    for (const key of ['', 'a', 'a:b', '__proto__', 'constructor', 'é', '🦊 fox', "'; --"]) {
      assert.equal((await counters.count([window(key, 1)])).isAdmitted, true, key)
      assert.equal((await counters.count([window(key, 1)])).isAdmitted, false, key)
      assert.equal(await counters.spend(key, START_MS + 1000), true, key)
      assert.equal(await counters.spend(key, START_MS + 1000), false, key)
    }
  })

  test(`${name}: concurrent requests are admitted exactly up to the limit`, async (t) => {
    const { counters } = await opened(t)
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async () => counters.count([window('a', 7), window('b', 100)])),
    )
    assert.equal(outcomes.filter(({ isAdmitted }) => isAdmitted).length, 7)
    const { windows } = await counters.count([window('b', 100)])
    assert.equal(windows[0]?.remaining, 92)
  })

  test(`${name}: spends an ID once until its time`, async (t) => {
    const { counters, clock } = await opened(t)
    const untilMs = clock.now + 10 * MINUTE_MS
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async () => counters.spend('id', untilMs)),
    )
    assert.equal(outcomes.filter((isFirst) => isFirst).length, 1)
    clock.now = untilMs - 1
    // A later time does not prolong what is remembered.
    assert.equal(await counters.spend('id', untilMs + MINUTE_MS), false)
    clock.now = untilMs
    assert.equal(await counters.spend('id', untilMs + MINUTE_MS), true)
    assert.equal(await counters.spend('id', untilMs + MINUTE_MS), false)
    assert.equal(await counters.spend('other', untilMs + MINUTE_MS), true)
  })

  test(`${name}: remembers an ID across a full minute`, async (t) => {
    const { counters, clock } = await opened(t)
    // On the minute exactly, then a moment later, while the id's own minute still runs.
    assert.equal(clock.now % MINUTE_MS, 0)
    const untilMs = clock.now + 30_000
    assert.equal(await counters.spend('id', untilMs), true)
    for (const now of [clock.now + 1, untilMs - 1]) {
      clock.now = now
      assert.equal(await counters.spend('id', untilMs), false)
    }
    const nextMinuteMs = clock.now - (clock.now % MINUTE_MS) + MINUTE_MS
    assert.equal(await counters.spend('longer', nextMinuteMs + 1), true)
    clock.now = nextMinuteMs
    assert.equal(await counters.spend('longer', nextMinuteMs + 1), false)
    // Expired, and spent again: from here its later time applies, also past the minute of the first.
    clock.now += 1
    assert.equal(await counters.spend('longer', nextMinuteMs + 5 * MINUTE_MS), true)
    clock.now += 2 * MINUTE_MS
    assert.equal(await counters.spend('longer', nextMinuteMs + 5 * MINUTE_MS), false)
  })

  test(`${name}: spends an ID whose time has passed without remembering it`, async (t) => {
    const { counters, clock } = await opened(t)
    assert.equal(await counters.spend('id', clock.now - 1), true)
    assert.equal(await counters.spend('id', clock.now), true)
    assert.equal(await counters.spend('id', clock.now + MINUTE_MS), true)
    assert.equal(await counters.spend('id', clock.now), false)
  })

  test(`${name}: remembers an ID that was released and spent again until its later time`, async (t) => {
    const { counters, clock } = await opened(t)
    assert.equal(await counters.spend('id', clock.now + MINUTE_MS), true)
    await counters.release('id')
    const untilMs = clock.now + 5 * MINUTE_MS
    assert.equal(await counters.spend('id', untilMs), true)
    clock.now += 3 * MINUTE_MS
    assert.equal(await counters.spend('id', untilMs), false)
    assert.equal(await counters.spend('other', untilMs), true)
    clock.now = untilMs - 1
    assert.equal(await counters.spend('id', untilMs), false)
  })

  test(`${name}: a released id can be spent again, once`, async (t) => {
    const { counters, clock } = await opened(t)
    const untilMs = clock.now + MINUTE_MS
    await counters.release('never spent')
    assert.equal(await counters.spend('id', untilMs), true)
    assert.equal(await counters.spend('neighbor', untilMs), true)
    await counters.release('id')
    await counters.release('id')
    assert.equal(await counters.spend('id', untilMs), true)
    assert.equal(await counters.spend('id', untilMs), false)
    assert.equal(await counters.spend('neighbor', untilMs), false)
  })

  test(`${name}: has one secret per name until its time`, async (t) => {
    const { counters, clock } = await opened(t)
    const untilMs = clock.now + MINUTE_MS
    const [first, second] = await Promise.all([
      counters.secret('salt', untilMs),
      counters.secret('salt', untilMs),
    ])
    assert.ok(first instanceof Uint8Array)
    assert.equal(first.length, 32)
    assert.deepEqual([...first], [...second])
    assert.notDeepEqual([...(await counters.secret('other', untilMs))], [...first])
    const kept = [...first]
    // A caller cannot change what the others get.
    first.fill(0)
    clock.now = untilMs - 1
    assert.deepEqual([...(await counters.secret('salt', untilMs + 9 * MINUTE_MS))], kept)
    clock.now = untilMs
    assert.notDeepEqual([...(await counters.secret('salt', untilMs + MINUTE_MS))], kept)
  })

  test(`${name}: an id is spent only with the secret that is stored`, async (t) => {
    const { counters, clock } = await opened(t)
    const untilMs = clock.now + MINUTE_MS
    const secret = { name: 'key', bytes: new Uint8Array(32) }
    assert.equal(await counters.spend('id', untilMs, secret), false, 'no secret of this name')
    const bytes = await counters.secret('key', untilMs)
    assert.equal(await counters.spend('id', untilMs, secret), false, 'another secret')
    assert.equal(await counters.spend('id', untilMs, { name: 'other', bytes }), false)
    assert.equal(await counters.spend('id', untilMs, { name: 'key', bytes }), true)
    assert.equal(await counters.spend('id', untilMs, { name: 'key', bytes }), false)
    clock.now = untilMs
    assert.equal(await counters.spend('new', untilMs + 1, { name: 'key', bytes }), false)
  })
}
