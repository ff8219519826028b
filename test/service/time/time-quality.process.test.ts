import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseNtpServer } from '../../../src/service/time/ntp-server.ts'
import { SntpError } from '../../../src/service/time/sntp.ts'
import {
  UNVERIFIED_TIME,
  openTimeQuality,
  TIME_QUALITY_BOUNDS,
} from '../../../src/service/time/time-quality.ts'
import type { TimeQuality } from '../../../src/service/time/time-quality.ts'
import { responseTo, startSntpServer } from './sntp-server.ts'
import { SOURCE, START_MS, timeQualityRig as rig } from './time-quality-rig.ts'

const { intervalMs, retryMs, silenceLimitMs, maxDistanceMs, readingMs } = TIME_QUALITY_BOUNDS
const NULLS = { offsetMs: null, maxErrorMs: null, checkedAt: null }

function silent(): SntpError {
  return new SntpError('NO_RESPONSE', 'no usable response within 2000 ms')
}

function kiss(kissCode: string): SntpError {
  return new SntpError('KISS_OF_DEATH', `kissed: ${kissCode}`, { kissCode })
}

void test('without a source the quality is only UNVERIFIED', () => {
  const monitor = UNVERIFIED_TIME
  const unverified = { state: 'UNVERIFIED', source: null, ...NULLS }
  assert.deepEqual(monitor.quality(), unverified)
  monitor.close()
  assert.deepEqual(monitor.quality(), unverified)
})

void test('the bounds are consistent', () => {
  const bounds = TIME_QUALITY_BOUNDS
  // RFC 4330 section 10: never more often than every 15 s.
  assert.ok(bounds.retryMs >= 15_000 && bounds.retryMs < bounds.intervalMs)
  // The drift of a whole interval must not matter, or SYNCHRONIZED would flicker.
  assert.ok((bounds.silenceLimitMs * bounds.driftPpm) / 1e6 < bounds.maxDistanceMs / 100)
  // A measurement that runs into every deadline: silence is called only after three of them.
  const pausesMs = ((bounds.intervalMs + bounds.retryMs + 2 * bounds.retryMs) * 9) / 8
  assert.ok(pausesMs + 3 * bounds.queryTimeoutMs <= bounds.silenceLimitMs)
  assert.ok(bounds.queryTimeoutMs / 2 >= bounds.maxDistanceMs)
})

void test('the first measurement starts immediately; until it ends the quality is UNVERIFIED', (t) => {
  const { monitor, measurements, pauses } = rig(t)
  assert.deepEqual(monitor.quality(), { state: 'UNVERIFIED', source: SOURCE, ...NULLS })
  const [first] = measurements
  assert.ok(first)
  assert.deepEqual(first.server, parseNtpServer(SOURCE))
  assert.equal(first.timeoutMs, TIME_QUALITY_BOUNDS.queryTimeoutMs)
  assert.deepEqual(pauses, [])
})

void test('a good response is SYNCHRONIZED; positive is a clock that is ahead', async (t) => {
  const { monitor, response, logged, pauses } = rig(t)
  await response({ referenceMs: START_MS - 42, errorMs: 10 })
  const quality: TimeQuality = {
    state: 'SYNCHRONIZED',
    source: SOURCE,
    offsetMs: 42,
    maxErrorMs: 10 + readingMs,
    checkedAt: new Date(START_MS).toISOString(),
  }
  assert.deepEqual(monitor.quality(), quality)
  assert.deepEqual(logged, [quality])
  assert.deepEqual(pauses, [intervalMs])
})

void test('a slow clock has a negative offset, and an exact one has 0, never -0', async (t) => {
  const behind = rig(t)
  await behind.response({ referenceMs: START_MS + 42 })
  assert.equal(behind.monitor.quality().offsetMs, -42)
  const right = rig(t)
  await right.response({ referenceMs: START_MS + 0.25 })
  assert.ok(Object.is(right.monitor.quality().offsetMs, 0))
  // 10 ms of error, 1 of reading, a quarter lost by rounding the offset: rounded up.
  assert.equal(right.monitor.quality().maxErrorMs, 12)
})

void test('the error covers what runs between the readings of two clocks', async (t) => {
  let passedMs = 0
  const read = (from: number) => () => from + (passedMs += 10)
  const measured = Promise.withResolvers<TimeQuality>()
  const monitor = openTimeQuality({
    server: parseNtpServer(SOURCE),
    nowMs: read(START_MS),
    monotonicMs: read(0),
    measure: () =>
      Promise.resolve({ referenceMs: START_MS + passedMs, atMonotonicMs: passedMs, errorMs: 0 }),
    schedule: () => () => {},
    onMeasured: measured.resolve,
  })
  t.after(() => monitor.close())
  for (const { offsetMs, maxErrorMs } of [await measured.promise, monitor.quality()]) {
    assert.ok(Math.abs(offsetMs ?? Infinity) <= (maxErrorMs ?? 0), `${offsetMs}, ${maxErrorMs}`)
    assert.ok((maxErrorMs ?? Infinity) < 15)
  }
})

void test('the bound is exact to the millisecond and includes the error', async (t) => {
  const allowedMs = maxDistanceMs - readingMs - 10
  for (const [offsetMs, state] of [
    [allowedMs, 'SYNCHRONIZED'],
    [-allowedMs, 'SYNCHRONIZED'],
    [allowedMs + 1, 'UNSYNCHRONIZED'],
    [-allowedMs - 1, 'UNSYNCHRONIZED'],
    [5_000_000_000, 'UNSYNCHRONIZED'],
  ] as const) {
    const { monitor, response } = rig(t)
    await response({ referenceMs: START_MS - offsetMs, errorMs: 10 })
    const quality = monitor.quality()
    assert.equal(quality.state, state)
    assert.equal(quality.offsetMs, offsetMs)
    assert.equal(quality.maxErrorMs, 10 + readingMs)
  }
  const vague = rig(t)
  await vague.response({ errorMs: maxDistanceMs })
  assert.equal(vague.monitor.quality().state, 'UNSYNCHRONIZED')
  assert.equal(vague.monitor.quality().offsetMs, 0)
})

void test('the error grows by 15 millionths of the age, rounded up', async (t) => {
  const { monitor, response, pass } = rig(t)
  await response({ errorMs: 10 })
  assert.equal(monitor.quality().maxErrorMs, 11)
  pass(60_000)
  assert.equal(monitor.quality().maxErrorMs, 12)
  pass(60_000)
  assert.equal(monitor.quality().maxErrorMs, 13)
  assert.equal(monitor.quality().offsetMs, 0)
})

void test('the figures are integers that bound the true offset for any sample, age and step', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        offsetMs: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        errorMs: fc.double({ min: 0, max: 15_999, noNaN: true }),
        ageMs: fc.integer({ min: 0, max: silenceLimitMs }),
        stepMs: fc.integer({ min: -1e9, max: 1e9 }),
      }),
      async ({ offsetMs, errorMs, ageMs, stepMs }) => {
        const { monitor, response, pass, step } = rig(t)
        await response({ referenceMs: START_MS - offsetMs, errorMs })
        pass(ageMs)
        step(stepMs)
        const quality = monitor.quality()
        assert.ok(
          Number.isSafeInteger(quality.offsetMs) && Number.isSafeInteger(quality.maxErrorMs),
        )
        const reported = quality.offsetMs ?? Number.NaN
        const bound = quality.maxErrorMs ?? Number.NaN
        assert.ok(Math.abs(offsetMs + stepMs - reported) + errorMs <= bound)
        assert.ok(bound < errorMs + readingMs + 2 + (silenceLimitMs * 15) / 1e6)
        const isClose = Math.abs(reported) + bound <= maxDistanceMs
        assert.equal(quality.state, isClose ? 'SYNCHRONIZED' : 'UNSYNCHRONIZED')
        monitor.close()
      },
    ),
    { numRuns: 200 },
  )
})

void test('a failed first measurement is UNSYNCHRONIZED without figures and is retried soon', async (t) => {
  const { monitor, response, runNext, pauses, logged } = rig(t)
  const failure = silent()
  await response(failure)
  const silence = { state: 'UNSYNCHRONIZED', source: SOURCE, ...NULLS }
  assert.deepEqual(monitor.quality(), silence)
  assert.deepEqual(logged, [failure])
  for (let more = 0; more < 4; more += 1) {
    await runNext()
    assert.deepEqual(monitor.quality(), silence)
    await response(silent())
  }
  assert.deepEqual(pauses, [retryMs, 2 * retryMs, intervalMs, intervalMs, intervalMs])
  await runNext()
  await response({})
  assert.equal(monitor.quality().state, 'SYNCHRONIZED')
  assert.equal(pauses.at(-1), intervalMs)
})

void test('a measurement remains valid through failures until the silence limit', async (t) => {
  const { monitor, response, pass, runNext } = rig(t)
  await response({})
  const checkedAt = monitor.quality().checkedAt
  let elapsedMs = intervalMs
  await runNext()
  await response(silent())
  assert.equal(monitor.quality().state, 'SYNCHRONIZED')
  await runNext()
  elapsedMs += retryMs
  await response(new SntpError('UNSYNCHRONIZED', 'not synchronized itself'))
  pass(silenceLimitMs - elapsedMs)
  assert.equal(monitor.quality().state, 'SYNCHRONIZED')
  pass(1)
  assert.deepEqual(monitor.quality(), {
    state: 'UNSYNCHRONIZED',
    source: SOURCE,
    offsetMs: null,
    maxErrorMs: null,
    checkedAt,
  })
  await runNext()
  await response({})
  assert.equal(monitor.quality().state, 'SYNCHRONIZED')
  assert.notEqual(monitor.quality().checkedAt, checkedAt)
})

void test('a new measurement replaces the old one, also when it is worse', async (t) => {
  const { monitor, response, runNext } = rig(t)
  await response({ errorMs: 3 })
  await runNext()
  await response({ referenceMs: START_MS + intervalMs - 100, errorMs: 200 })
  const quality = monitor.quality()
  assert.equal(quality.offsetMs, 100)
  assert.equal(quality.maxErrorMs, 200 + readingMs)
  assert.equal(quality.checkedAt, new Date(START_MS + intervalMs).toISOString())
})

void test('a stepping wall clock shows on the next request, in both directions', async (t) => {
  const { monitor, response, pass, step } = rig(t)
  await response({})
  pass(1000)
  step(3_600_000)
  assert.equal(monitor.quality().state, 'UNSYNCHRONIZED')
  assert.equal(monitor.quality().offsetMs, 3_600_000)
  step(-3_600_000 - 20)
  assert.equal(monitor.quality().state, 'SYNCHRONIZED')
  assert.equal(monitor.quality().offsetMs, -20)
})

void test('every failure selects another address of the name, and a success keeps the one that works', async (t) => {
  const { response, runNext, measurements } = rig(t)
  await response(silent())
  await runNext()
  await response({})
  await runNext()
  await response(silent())
  await runNext()
  assert.deepEqual(
    measurements.map(({ turn }) => turn),
    [0, 1, 1, 2],
  )
})

void test('RATE slows every later measurement down', async (t) => {
  const { monitor, response, runNext, pauses } = rig(t)
  await response({})
  await runNext()
  await response(kiss('RATE'))
  assert.equal(monitor.quality().state, 'SYNCHRONIZED')
  await runNext()
  await response(kiss('RATE'))
  await runNext()
  await response({})
  await runNext()
  await response(silent())
  assert.deepEqual(pauses, [
    intervalMs,
    2 * intervalMs,
    4 * intervalMs,
    4 * intervalMs,
    4 * retryMs,
  ])
  for (let more = 0; more < 6; more += 1) {
    await runNext()
    await response(kiss('RATE'))
  }
  assert.equal(pauses.at(-1), TIME_QUALITY_BOUNDS.maxSlowedIntervalMs)
})

void test('a clock measured less often after RATE stays SYNCHRONIZED in between', async (t) => {
  const { monitor, response, pass, runNext, pauses } = rig(t)
  for (let more = 0; more < 4; more += 1) {
    await response(kiss('RATE'))
    await runNext()
  }
  await response({})
  const slowedMs = TIME_QUALITY_BOUNDS.maxSlowedIntervalMs
  assert.equal(pauses.at(-1), slowedMs)
  pass(3 * slowedMs)
  const oldest = monitor.quality()
  assert.equal(oldest.state, 'SYNCHRONIZED')
  assert.equal(
    oldest.maxErrorMs,
    Math.ceil(10 + readingMs + (3 * slowedMs * TIME_QUALITY_BOUNDS.driftPpm) / 1e6),
  )
  pass(1)
  assert.equal(monitor.quality().state, 'UNSYNCHRONIZED')
  assert.equal(monitor.quality().offsetMs, null)
})

for (const code of ['DENY', 'RSTR']) {
  void test(`${code} postpones the next query by an hour`, async (t) => {
    const { monitor, response, runNext, pauses } = rig(t)
    const { deniedRetryMs } = TIME_QUALITY_BOUNDS
    await response(kiss(code))
    assert.equal(monitor.quality().state, 'UNSYNCHRONIZED')
    await runNext()
    await response({})
    assert.equal(monitor.quality().state, 'SYNCHRONIZED')
    assert.deepEqual(pauses, [deniedRetryMs, intervalMs])
  })
}

void test('an unknown kiss code is an ordinary failure', async (t) => {
  const { response, pauses } = rig(t)
  await response(kiss('STEP'))
  assert.deepEqual(pauses, [retryMs])
})

void test('every interval is up to an eighth longer, never shorter', async (t) => {
  const { response, runNext, pauses } = rig(t, { random: 0.5 })
  await response({})
  await runNext()
  await response(silent())
  assert.deepEqual(pauses, [(intervalMs * 17) / 16, (retryMs * 17) / 16])
})

void test('close cancels the timer and ignores a pending measurement; the last one remains until it is too old', async (t) => {
  const waiting = rig(t)
  await waiting.response({})
  waiting.monitor.close()
  await assert.rejects(waiting.runNext(), /exactly one measurement/)
  assert.equal(waiting.monitor.quality().state, 'SYNCHRONIZED')
  waiting.step(60_000)
  assert.equal(waiting.monitor.quality().state, 'UNSYNCHRONIZED')
  assert.equal(waiting.pauses.length, 1)
  waiting.pass(silenceLimitMs + 1)
  assert.equal(waiting.monitor.quality().offsetMs, null)

  const measuring = rig(t)
  measuring.monitor.close()
  await measuring.response({})
  assert.equal(measuring.monitor.quality().state, 'UNVERIFIED')
  assert.deepEqual(measuring.logged, [])
  assert.deepEqual(measuring.pauses, [])
})

for (const [name, aheadMs, state] of [
  ['right', 0, 'SYNCHRONIZED'],
  ['ahead by an hour', 3_600_000, 'UNSYNCHRONIZED'],
  ['behind by an hour', -3_600_000, 'UNSYNCHRONIZED'],
] as const) {
  void test(`over the wire: a clock that is ${name}`, async (t) => {
    let monotonicMs = 0
    const server = await startSntpServer((query) => {
      monotonicMs += 8
      const referenceMs = START_MS - aheadMs
      return [responseTo(query, { receiveMs: referenceMs, transmitMs: referenceMs })]
    })
    t.after(() => server.stop())
    const measured = Promise.withResolvers<TimeQuality>()
    const monitor = openTimeQuality({
      server: parseNtpServer(`127.0.0.1:${server.port}`),
      nowMs: () => START_MS + monotonicMs,
      monotonicMs: () => monotonicMs,
      bounds: { queryTimeoutMs: 20_000 },
      onMeasured: measured.resolve,
      onFailure: measured.reject,
    })
    t.after(() => monitor.close())
    const quality = await measured.promise
    assert.equal(quality.state, state)
    // The whole 8 ms passed on the way there, and a client can only split them evenly: 4 ms out, within the error.
    assert.equal(quality.offsetMs, aheadMs + 4)
    assert.equal(quality.maxErrorMs, 4 + readingMs + 1)
    assert.equal(quality.source, `127.0.0.1:${server.port}`)
  })
}

void test('a silent server does not keep the process alive', { timeout: 600_000 }, async (t) => {
  const server = await startSntpServer(() => [])
  t.after(() => server.stop())
  const program = `
    import { openTimeQuality } from ${JSON.stringify(new URL('../../../src/service/time/time-quality.ts', import.meta.url).href)}
    const monitor = openTimeQuality({
      server: { host: '127.0.0.1', port: ${server.port}, source: 'a server' },
      nowMs: Date.now,
      monotonicMs: () => performance.now(),
      bounds: { queryTimeoutMs: 3_600_000 },
    })
    console.log(monitor.quality().state)
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  const [output, [code]] = await Promise.all([child.stdout.toArray(), once(child, 'close')])
  assert.equal(Buffer.concat(output).toString().trim(), 'UNVERIFIED')
  assert.equal(code, 0)
})
