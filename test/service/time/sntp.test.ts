import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { querySntp, SntpError } from '../../../src/service/time/sntp.ts'
import type { SntpErrorCode } from '../../../src/service/time/sntp.ts'
import {
  responseTo,
  freeUdpPort,
  NOW_MS,
  PATIENT_MS,
  sntpRig as rig,
  startSntpServer,
} from './sntp-server.ts'
import type { ResponseFields } from './sntp-server.ts'

/** Waited out in full where the response never comes. */
const HASTY_MS = 60
/** NTP keeps 2^-32 s, and a double keeps Unix milliseconds to 2^-12. */
const EXACT_MS = 0.001

function at(fields: ResponseFields = {}): ResponseFields {
  return { receiveMs: NOW_MS, transmitMs: NOW_MS, ...fields }
}

function withCode(code: SntpErrorCode, kissCode: string | null = null) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof SntpError, String(error))
    assert.equal(error.code, code)
    assert.equal(error.kissCode, kissCode)
    return true
  }
}

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= EXACT_MS, `${actual} is not ${expected}`)
}

void test('the query has version 4, mode 3, a random nonce and no time', async (t) => {
  const { query, sent } = await rig(t, (packet) => [responseTo(packet, at())])
  const nonce = Uint8Array.of(9, 8, 7, 6, 5, 4, 3, 2)
  await querySntp({ ...query, randomBytes: () => nonce })
  await querySntp(query)
  await querySntp(query)
  const [first, second, third] = sent
  assert.ok(first && second && third)
  assert.deepEqual(first, Buffer.concat([Buffer.of(0x23), Buffer.alloc(39), nonce]))
  assert.equal(second.length, 48)
  assert.notDeepEqual(second.subarray(40), third.subarray(40))
})

void test('a valid response gives the time at the middle of the round trip and its error', async (t) => {
  const { query } = await rig(
    t,
    (packet) => [
      responseTo(packet, {
        receiveMs: NOW_MS + 1000,
        transmitMs: NOW_MS + 1010,
        rootDelayMs: 31.25,
        rootDispersionMs: 62.5,
        precision: -6,
        stratum: 3,
      }),
    ],
    { tripMs: 90 },
  )
  const sample = await querySntp(query)
  near(sample.referenceMs, NOW_MS + 1005)
  near(sample.atMonotonicMs, 5045)
  near(sample.errorMs, 40 + 15.625 + 62.5 + 15.625)
})

void test('the true time is within the error for any asymmetry', async (t) => {
  const scenario = { outMs: 0, heldMs: 0, backMs: 0, aheadMs: 0 }
  let monotonicMs = 0
  const server = await startSntpServer((packet) => {
    // The reference stands at NOW_MS + aheadMs when the monotonic clock stands at 0.
    const receiveMs = NOW_MS + scenario.aheadMs + scenario.outMs
    monotonicMs = scenario.outMs + scenario.heldMs + scenario.backMs
    return [responseTo(packet, { receiveMs, transmitMs: receiveMs + scenario.heldMs })]
  })
  t.after(() => server.stop())
  const leg = fc.integer({ min: 0, max: 700 })
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        outMs: leg,
        heldMs: leg,
        backMs: leg,
        aheadMs: fc.integer({ min: -1e9, max: 1e9 }),
      }),
      async (drawn) => {
        Object.assign(scenario, drawn)
        monotonicMs = 0
        const sample = await querySntp({
          server: { host: '127.0.0.1', port: server.port },
          turn: 0,
          timeoutMs: PATIENT_MS,
          nowMs: () => NOW_MS,
          monotonicMs: () => monotonicMs,
        })
        const trueMs = NOW_MS + drawn.aheadMs + sample.atMonotonicMs
        assert.ok(Math.abs(sample.referenceMs - trueMs) <= sample.errorMs + EXACT_MS)
        assert.ok(sample.errorMs <= (drawn.outMs + drawn.backMs) / 2 + EXACT_MS)
      },
    ),
    { numRuns: 60 },
  )
})

void test('ignores a precision of zero or more, and reads a version 3 response', async (t) => {
  const { query } = await rig(t, (packet) => [
    responseTo(packet, at({ precision: 0, version: 3, stratum: 15 })),
  ])
  const sample = await querySntp(query)
  assert.equal(sample.errorMs, 0)
})

void test('reads a response longer than 48 bytes and ignores its extension', async (t) => {
  const { query } = await rig(t, (packet) => [
    Buffer.concat([responseTo(packet, at()), Buffer.alloc(20, 0xff)]),
  ])
  near((await querySntp(query)).referenceMs, NOW_MS)
})

const ROLLOVER_MS = Date.UTC(2036, 1, 7, 6, 28, 16)
for (const [name, nowMs, serverMs] of [
  ['both before the rollover of 2036', ROLLOVER_MS - 60_000, ROLLOVER_MS - 59_000],
  ['our clock before it, the server after', ROLLOVER_MS - 1000, ROLLOVER_MS + 1500],
  ['our clock after it, the server before', ROLLOVER_MS + 1500, ROLLOVER_MS - 1000],
  ['both after it', ROLLOVER_MS + 86_400_000, ROLLOVER_MS + 86_399_000],
  ['long after it', Date.UTC(2070, 0, 1), Date.UTC(2071, 0, 1)],
  ['a clock that starts in 1970', 0, NOW_MS],
] as const) {
  void test(`reads timestamps in the nearest era: ${name}`, async (t) => {
    const { query } = await rig(
      t,
      (packet) => [responseTo(packet, { receiveMs: serverMs, transmitMs: serverMs + 0.25 })],
      { nowMs, tripMs: 1 },
    )
    near((await querySntp(query)).referenceMs, serverMs + 0.125)
  })
}

for (const [name, fields, code, kissCode] of [
  ['another mode', { mode: 3 }, 'MALFORMED'],
  ['a broadcast', { mode: 5 }, 'MALFORMED'],
  ['version 2', { version: 2 }, 'MALFORMED'],
  ['version 5', { version: 5 }, 'MALFORMED'],
  ['no transmit timestamp', { transmitMs: null }, 'MALFORMED'],
  ['no receive timestamp', { receiveMs: null }, 'MALFORMED'],
  ['leap indicator 3', { leap: 3 }, 'UNSYNCHRONIZED'],
  ['stratum 16', { stratum: 16 }, 'UNSYNCHRONIZED'],
  ['stratum 0 without a kiss code', { stratum: 0, leap: 3 }, 'UNSYNCHRONIZED'],
  ['kiss code RATE', { stratum: 0, leap: 3, referenceId: 'RATE' }, 'KISS_OF_DEATH', 'RATE'],
  ['kiss code DENY', { stratum: 0, referenceId: 'DENY' }, 'KISS_OF_DEATH', 'DENY'],
  ['a root dispersion of 16 s', { rootDispersionMs: 16_000 }, 'IMPLAUSIBLE'],
  ['a root delay of 32 s', { rootDelayMs: 32_000 }, 'IMPLAUSIBLE'],
  ['a transmit before the receive', { transmitMs: NOW_MS - 5 }, 'IMPLAUSIBLE'],
  ['held for longer than the trip', { transmitMs: NOW_MS + 25 }, 'IMPLAUSIBLE'],
] as const satisfies readonly (readonly [string, ResponseFields, SntpErrorCode, string?])[]) {
  void test(`refuses a response: ${name}`, async (t) => {
    const { query } = await rig(t, (packet) => [responseTo(packet, at(fields))], { tripMs: 20 })
    await assert.rejects(querySntp(query), withCode(code, kissCode))
  })
}

void test('accepts a root distance just below 16 s, with that error', async (t) => {
  const { query } = await rig(t, (packet) => [
    responseTo(packet, at({ rootDispersionMs: 15_999, precision: 0 })),
  ])
  assert.equal(Math.round((await querySntp(query)).errorMs), 15_999)
})

void test('ignores forged and malformed packets and uses the real response after them', async (t) => {
  const { query } = await rig(t, (packet) => [
    Buffer.alloc(0),
    responseTo(packet, at()).subarray(0, 47),
    responseTo(packet, at({ origin: new Uint8Array(8) })),
    responseTo(packet, at({ origin: Buffer.alloc(8, 1), stratum: 0, referenceId: 'DENY' })),
    responseTo(packet, at({ receiveMs: NOW_MS + 7, transmitMs: NOW_MS + 7 })),
  ])
  near((await querySntp(query)).referenceMs, NOW_MS + 7)
})

void test('accepts a response only from the queried port, even with the right nonce', async (t) => {
  const stranger = createSocket('udp4')
  t.after(() => stranger.close())
  const server = await startSntpServer((packet, peer) => {
    stranger.send(responseTo(packet, at({ stratum: 16 })), peer.port, peer.address)
    return []
  })
  t.after(() => server.stop())
  const silent = querySntp({
    server: { host: '127.0.0.1', port: server.port },
    turn: 0,
    timeoutMs: HASTY_MS,
    nowMs: () => NOW_MS,
    monotonicMs: () => 0,
  })
  await assert.rejects(silent, withCode('NO_RESPONSE'))
  assert.equal(server.queries.length, 1)
})

for (const [name, packets, code] of [
  ['nothing', () => [], 'NO_RESPONSE'],
  [
    'a wrong origin',
    (p: Buffer) => [responseTo(p, at({ origin: Buffer.alloc(8, 1) }))],
    'ORIGIN_MISMATCH',
  ],
  ['the query itself', (p: Buffer) => [p], 'ORIGIN_MISMATCH'],
  ['half a packet', (p: Buffer) => [responseTo(p, at()).subarray(0, 24)], 'MALFORMED'],
] as const) {
  void test(`the deadline ends the wait and reports what was received: ${name}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { query, sent } = await rig(t, packets)
    const readings: number[] = []
    const monotonicMs = () => readings.push(0)
    const ended = assert.rejects(querySntp({ ...query, monotonicMs }), withCode(code))
    // One reading when the query is sent, one when a packet is received.
    const hasRead = () => sent.length === 1 && readings.length === (name === 'nothing' ? 1 : 2)
    while (!hasRead()) await setImmediate(undefined, { signal: t.signal })
    t.mock.timers.tick(query.timeoutMs)
    await ended
  })
}

void test('a closed port is distinguished from silence', async () => {
  const port = await freeUdpPort()
  await assert.rejects(
    querySntp({
      server: { host: '127.0.0.1', port },
      turn: 0,
      timeoutMs: PATIENT_MS,
      nowMs: () => NOW_MS,
      monotonicMs: () => 0,
    }),
    withCode('UNREACHABLE'),
  )
})

void test("looks up a name with the system's resolver", async (t) => {
  const { query } = await rig(t, (packet) => [responseTo(packet, at())])
  const server = { ...query.server, host: 'localhost' }
  // The server has an IPv4 address; which one of localhost comes first, the machine decides.
  const turn = (await lookup('localhost', { all: true })).findIndex(({ family }) => family === 4)
  if (turn === -1) return t.skip('localhost has no IPv4 address')
  near((await querySntp({ ...query, server, turn })).referenceMs, NOW_MS)
})

void test('each turn takes the next address of a name', async (t) => {
  const { query } = await rig(t, (packet) => [responseTo(packet, at())])
  const named = {
    ...query,
    server: { ...query.server, host: 'time.example' },
    resolve: async () => [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ],
  }
  for (const turn of [1, 3]) near((await querySntp({ ...named, turn })).referenceMs, NOW_MS)
  for (const turn of [0, 2]) {
    await assert.rejects(querySntp({ ...named, turn, timeoutMs: HASTY_MS }), SntpError)
  }
})

void test('a name that is not found is LOOKUP_FAILED', async (t) => {
  const { query, sent } = await rig(t, () => [])
  const server = { ...query.server, host: 'time.invalid' }
  await assert.rejects(querySntp({ ...query, server }), withCode('LOOKUP_FAILED'))
  assert.equal(sent.length, 0)
})
