import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRefusedKeys, runKeyedApp, SELF, type KeyedApp } from '../support/keyed-app.ts'
import { ask, type ReceivedResponse } from '../support/received-response.ts'

const STATUS = '/api/v1/status'
const LIMIT = 600
const WINDOW_MS = 60_000

const withKey = (key: string, more: { readonly [name: string]: string } = {}) => ({
  headers: { 'X-SVC-Key': key, ...more },
})

/** Sends the same request so many times, one after the other; gives the responses in order. */
async function repeat(app: KeyedApp, key: string, times: number, target = STATUS) {
  const responses: ReceivedResponse[] = []
  while (responses.length < times) responses.push(await ask(app, target, withKey(key)))
  return responses
}

test('admits 600 requests in 60 seconds, counts down, and refuses the 601st', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  const responses = await repeat(app, key, LIMIT + 1)
  for (const [at, { status, header }] of responses.entries()) {
    assert.equal(status, at < LIMIT ? 200 : 429, String(at))
    assert.equal(header('x-ratelimit-limit'), '600')
    assert.equal(header('x-ratelimit-remaining'), String(Math.max(0, LIMIT - 1 - at)))
    assert.equal(header('x-ratelimit-reset'), '60')
  }
})

test('the window is fixed from its first request, and the reported wait is sufficient', async (t) => {
  const app = await runKeyedApp(t)
  for (const offsetMs of [
    0, 1, 499, 500, 999, 1000, 1001, 30_000, 58_999, 59_000, 59_001, 59_999,
  ]) {
    const key = await app.makeKey()
    app.clock.ms += 777
    const startMs = app.clock.ms
    // The window is begun by one request; that the others come later moves its end by nothing.
    await repeat(app, key, 1)
    app.clock.ms = startMs + Math.floor(offsetMs / 2)
    await app.spend(key, LIMIT - 1)
    app.clock.ms = startMs + offsetMs
    const refused = await ask(app, STATUS, withKey(key))
    assert.equal(refused.status, 429, String(offsetMs))
    const seconds = Number(refused.header('retry-after'))
    assert.equal(refused.header('x-ratelimit-reset'), String(seconds))
    assert.ok(seconds >= 1 && seconds <= 60, String(seconds))
    const waitedMs = app.clock.ms + seconds * 1000
    assert.ok(waitedMs >= startMs + WINDOW_MS, 'never earlier than the end of the window')
    assert.ok(waitedMs < startMs + WINDOW_MS + 1000, 'and less than a second later')

    app.clock.ms = startMs + WINDOW_MS - 1
    assert.equal((await ask(app, STATUS, withKey(key))).status, 429)
    app.clock.ms = waitedMs
    const next = await ask(app, STATUS, withKey(key))
    assert.equal(next.status, 200)
    assert.equal(next.header('x-ratelimit-remaining'), '599')
    assert.equal(next.header('x-ratelimit-reset'), '60')
  }
})

test('each key has its own window', async (t) => {
  const app = await runKeyedApp(t)
  const [spent, other] = [await app.makeKey(), await app.makeKey()]
  await app.spend(spent, LIMIT)
  assert.equal((await ask(app, STATUS, withKey(spent))).status, 429)
  const response = await ask(app, STATUS, withKey(other))
  assert.deepEqual([response.status, response.header('x-ratelimit-remaining')], [200, '599'])
  const anonymous = await ask(app, STATUS)
  assert.deepEqual([anonymous.status, anonymous.header('x-ratelimit-limit')], [200, undefined])
})

test('every admitted request counts once, and a refused one does not count', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  const json = { 'Content-Type': 'application/json' }
  let remaining = LIMIT
  for (const [method, target, status, more] of [
    ['GET', STATUS, 200, {}],
    ['HEAD', STATUS, 200, {}],
    ['GET', STATUS, 304, { 'If-None-Match': '*' }],
    ['GET', '/api/v1/versions/none', 404, {}],
    ['GET', '/api/v1/preview/x', 403, {}],
    ['POST', '/api/v1/keys', 415, { 'Content-Type': 'text/plain' }],
    ['POST', '/api/v1/keys', 403, { ...json, Origin: 'https://other.example' }],
    ['POST', '/api/v1/keys', 400, json],
    ['POST', '/api/v1/early-access/register', 503, json],
    ['GET', SELF, 200, {}],
  ] as const) {
    const response = await ask(app, target, { method, ...withKey(key, more) })
    remaining -= 1
    assert.equal(response.status, status, `${method} ${target}`)
    assert.equal(response.header('x-ratelimit-remaining'), String(remaining), `${method} ${target}`)
  }
  const both = { headers: { 'X-SVC-Key': key, Authorization: `Bearer ${key}` } }
  remaining -= 1
  assert.equal(
    (await ask(app, STATUS, both)).header('x-ratelimit-remaining'),
    String(remaining),
    'two headers are one request',
  )
  for (const refused of Object.values(await makeRefusedKeys(app))) {
    await ask(app, STATUS, withKey(refused))
  }
  await ask(app, STATUS, withKey(key.slice(0, 21) + 'x'.repeat(43)))
  assert.equal(
    (await ask(app, STATUS, withKey(key))).header('x-ratelimit-remaining'),
    String(remaining - 1),
  )
})

test('admits exactly 600 of 660 concurrent requests over many connections', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  const targets = [STATUS, SELF, '/api/v1/time', '/api/v1/versions/none', '/api/v1/preview', STATUS]
  const all = await Promise.all(
    Array.from({ length: 66 }, (_each, at) => repeat(app, key, 10, targets[at % targets.length])),
  )
  // On a busy machine the store may be too slow for one, which is then not counted.
  const responses = all.flat().filter(({ status }) => status !== 503)
  assert.ok(responses.length > LIMIT, `${responses.length} were counted`)
  const admitted = responses.filter(({ status }) => status !== 429)
  assert.equal(admitted.length, LIMIT)
  const remaining = admitted.map(({ header }) => Number(header('x-ratelimit-remaining')))
  assert.deepEqual(
    remaining.toSorted((one, other) => one - other),
    Array.from({ length: LIMIT }, (_each, at) => at),
    'each got another number',
  )
})
