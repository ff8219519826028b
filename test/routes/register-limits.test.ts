import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '@public-api/contract/terms/limits'
import { JSON_TYPE, registerRaw } from '../support/raw-registration.ts'
import { ask, codeOf, type ReceivedResponse } from '../support/received-response.ts'
import {
  GOOD_BODY,
  REGISTER,
  runRegisteringApp,
  type RegisteringApp,
} from '../support/registering-app.ts'

const PER_ACTOR = LIMITS.registrationPerActor.requests
const ALL_ACTORS = LIMITS.registrationGlobal.requests

const MINE = '192.0.2.1'
const THEIRS = '192.0.2.2'

/** A request that the limit counts and then refuses. */
function tryOnce(app: RegisteringApp, address: string): Promise<ReceivedResponse> {
  return app.register({}, { 'X-Forwarded-For': address })
}

/** How many more requests an address has in this window. */
async function left(app: RegisteringApp, address: string): Promise<number> {
  for (let count = 0; ; count += 1) {
    if ((await tryOnce(app, address)).status === 429) return count
  }
}

test('an actor has a number of requests a minute of any content, independent of others', async (t) => {
  const app = await runRegisteringApp(t)
  const codes: (string | undefined)[] = []
  const counted = [
    [GOOD_BODY, undefined],
    [GOOD_BODY, 'DUPLICATE'],
    ['{', 'INVALID_JSON'],
    [[], 'INVALID_INPUT'],
    [{ ...GOOD_BODY, challengeToken: 'wrong' }, 'CHALLENGE_FAILED'],
  ] as const
  const repeated = Array.from({ length: PER_ACTOR }, (_, at) => counted[at] ?? counted[2])
  for (const body of [...repeated.map(([each]) => each), GOOD_BODY, '{']) {
    codes.push(codeOf(await app.register(body, { 'X-Forwarded-For': MINE })))
  }
  assert.deepEqual(codes, [...repeated.map(([, code]) => code), 'RATE_LIMITED', 'RATE_LIMITED'])
  assert.equal(await left(app, THEIRS), PER_ACTOR)
})

test('the window starts with the first request and ends a minute later', async (t) => {
  const app = await runRegisteringApp(t)
  await tryOnce(app, MINE)
  app.clock.ms += 59_000
  assert.equal(await left(app, MINE), PER_ACTOR - 1)
  app.clock.ms += 999
  assert.equal(await left(app, MINE), 0)
  app.clock.ms += 1
  assert.equal(await left(app, MINE), PER_ACTOR)
  // Refused requests begin no window and lengthen none.
  app.clock.ms += 60_000
  assert.equal(await left(app, MINE), PER_ACTOR)
})

test('requests refused before the limit do not count', async (t) => {
  const app = await runRegisteringApp(t)
  const refused = [
    { headers: [...JSON_TYPE, 'Origin: https://other.example'], body: '{}', status: 403 },
    { headers: [...JSON_TYPE, 'Sec-Fetch-Site: cross-site'], body: '{}', status: 403 },
    { headers: ['Content-Type: text/plain'], body: '{}', status: 415 },
    { headers: [...JSON_TYPE, 'Content-Encoding: gzip'], body: '{}', status: 415 },
    { body: ' '.repeat(LIMITS.maxBodyBytes + 1), status: 413 },
    { body: ' '.repeat(LIMITS.maxBodyBytes + 1), chunkBytes: 1000, status: 413 },
    { method: 'GET', status: 405 },
    { method: 'DELETE', status: 405 },
    { target: `${REGISTER}/`, status: 404 },
  ]
  for (let round = 0; round < 3; round += 1) {
    for (const { status, ...registration } of refused) {
      const response = await registerRaw(app, { ...registration, address: MINE })
      assert.equal(response.status, status)
    }
  }
  assert.equal(await left(app, MINE), PER_ACTOR)
})

test('reads are never limited', async (t) => {
  const app = await runRegisteringApp(t)
  assert.equal(await left(app, MINE), PER_ACTOR)
  for (let count = 0; count < 20; count += 1) {
    const response = await ask(app, '/api/v1/early-access', {
      headers: { 'X-Forwarded-For': MINE },
    })
    assert.equal(response.status, 200)
  }
})

test('all actors together have a limit, and a global refusal does not count for the actor', async (t) => {
  const app = await runRegisteringApp(t)
  for (let count = 0; count < ALL_ACTORS - 1; count += 1) {
    const response = await app.register({})
    assert.equal(response.status, 400, `request ${count + 1}`)
  }
  app.clock.ms += 10_000
  assert.equal((await tryOnce(app, MINE)).status, 400)
  for (let count = 0; count < 10; count += 1) {
    const response = await tryOnce(app, count % 2 === 0 ? MINE : THEIRS)
    assert.equal(response.status, 429)
    assert.equal(response.header('retry-after'), '50')
  }
  app.clock.ms += 50_000
  // Theirs begins now; of mine, one was counted and its window lasts on.
  assert.equal(await left(app, THEIRS), PER_ACTOR)
  assert.equal(await left(app, MINE), PER_ACTOR - 1)
})

test('a limited actor does not use up the global limit', async (t) => {
  const app = await runRegisteringApp(t)
  for (let count = 0; count < ALL_ACTORS + 50; count += 1) await tryOnce(app, MINE)
  for (let count = 0; count < ALL_ACTORS - PER_ACTOR; count += 1) {
    assert.equal((await app.register({})).status, 400, `request ${count + 1}`)
  }
  assert.equal((await app.register({})).status, 429)
})

test('concurrent requests never exceed the limits', async (t) => {
  const app = await runRegisteringApp(t)
  const responses = await Promise.all(
    Array.from({ length: 4 * PER_ACTOR }, () => tryOnce(app, MINE)),
  )
  assert.equal(responses.filter(({ status }) => status !== 429).length, PER_ACTOR)
})

test('an actor is an IPv4 address or an IPv6 network of 64 bits', async (t) => {
  const app = await runRegisteringApp(t)
  for (const [address, count] of [
    [MINE, PER_ACTOR],
    [`::ffff:${MINE}`, 0],
    ['2001:db8:1:2::1', PER_ACTOR],
    ['2001:db8:1:2::2', 0],
    ['2001:db8:1:3::1', PER_ACTOR],
  ] as const) {
    assert.equal(await left(app, address), count, address)
  }
})

test('a caller without a trusted proxy cannot choose its address', async (t) => {
  const app = await runRegisteringApp(t, { parts: { trustedProxies: [] } })
  const statuses: number[] = []
  for (let count = 0; count <= PER_ACTOR; count += 1) {
    statuses.push((await tryOnce(app, `192.0.2.${count}`)).status)
  }
  assert.deepEqual(statuses, [...Array.from({ length: PER_ACTOR }, () => 400), 429])
})
