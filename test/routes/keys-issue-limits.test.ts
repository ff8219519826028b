import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import {
  easyAltcha,
  GOOD_KEY_REQUEST,
  KEYS,
  runKeyedApp,
  SELF,
  solvedFor,
  type KeyedApp,
} from '../support/keyed-app.ts'
import { sendRequest } from '../support/raw-http.ts'
import { ask, codeOf, outcome, outcomeOf } from '../support/received-response.ts'
import {
  assertOrder,
  bodyOf,
  type Draft,
  goodDraft,
  requestRules,
  type Rule,
  SHAPE_RULES,
  withFields,
  withHeader,
} from './broken-rules.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const PER_HOUR = 60
const MAX_ACTIVE = 10_000

/** Puts active keys into the app's database until there are so many, as another program would. */
async function fillUp(app: KeyedApp, active: number): Promise<void> {
  const there = (await app.store.count(app.clock.ms)).active
  using database = new DatabaseSync(app.file, { timeout: 5000 })
  const insert = database.prepare(
    `INSERT INTO api_keys (key_id, key_hash, secret_id, created_at_ms, expires_at_ms, ends_at_ms)
     VALUES (?1, zeroblob(32), 'filling', ?2, ?3, ?3)`,
  )
  database.exec('BEGIN')
  for (let at = there; at < active; at += 1) {
    const keyId = `f${at.toString(16).padStart(15, '0')}`
    insert.run(keyId, app.clock.ms, app.clock.ms + 30 * DAY_MS)
  }
  database.exec('COMMIT')
  assert.equal((await app.store.count(app.clock.ms)).active, active)
}

async function useUpHour(app: KeyedApp): Promise<void> {
  for (let each = 0; each < PER_HOUR; each += 1) {
    assert.equal((await app.post(GOOD_KEY_REQUEST)).status, 201)
  }
}

test('60 keys per hour for all callers; then 429 with a wait of at most a minute', async (t) => {
  const app = await runKeyedApp(t)
  const startMs = app.clock.ms
  await useUpHour(app)
  for (const [afterMs, wait] of [
    [0, 60],
    [1_800_000, 60],
    [HOUR_MS - 60_001, 60],
    [HOUR_MS - 60_000, 60],
    [HOUR_MS - 59_000, 59],
    [HOUR_MS - 1500, 2],
    [HOUR_MS - 1, 1],
  ] as const) {
    app.clock.ms = startMs + afterMs
    await assertCatalogError(
      app,
      {
        method: 'POST',
        target: KEYS,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(GOOD_KEY_REQUEST),
      },
      { code: 'RATE_LIMITED', status: 429, retryable: true, retryAfterSeconds: wait, cors: false },
    )
  }
  assert.equal((await app.rows()).length, PER_HOUR)
  app.clock.ms = startMs + HOUR_MS
  await useUpHour(app)
  assert.equal(outcome(await app.post(GOOD_KEY_REQUEST)), '429 RATE_LIMITED')
})

test('60 of 80 concurrent requests get a key', async (t) => {
  const app = await runKeyedApp(t)
  const responses = await Promise.all(Array.from({ length: 80 }, () => app.post(GOOD_KEY_REQUEST)))
  assert.equal(responses.filter(({ status }) => status === 201).length, PER_HOUR)
  assert.equal(responses.filter((each) => outcome(each) === '429 RATE_LIMITED').length, 20)
  assert.equal((await app.rows()).length, PER_HOUR)
})

test('the hourly limit is global, and requests refused earlier do not count', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  for (let each = 0; each < 70; each += 1) {
    assert.equal((await app.post({ challengeToken: 'wrong' })).status, 403)
    assert.equal((await app.post({ ...GOOD_KEY_REQUEST, ttlDays: 0 })).status, 400)
    assert.equal((await app.post('{')).status, 400)
    assert.equal((await app.post(GOOD_KEY_REQUEST, { 'Content-Type': 'text/plain' })).status, 415)
    assert.equal((await app.post(GOOD_KEY_REQUEST, { 'Sec-Fetch-Site': 'cross-site' })).status, 403)
  }
  await useUpHour(app)
  const keyed = await app.post(GOOD_KEY_REQUEST, { 'X-SVC-Key': key })
  assert.equal(outcome(keyed), '429 RATE_LIMITED')
  assert.equal(keyed.header('x-ratelimit-remaining'), '599')
  assert.equal((await ask(app, SELF, { headers: { 'X-SVC-Key': key } })).status, 200)
})

test('a request past the hourly limit releases the challenge', async (t) => {
  const app = await runKeyedApp(t, { challenge: easyAltcha })
  for (let each = 0; each < PER_HOUR; each += 1) {
    const challengeToken = await solvedFor(app, 'issue-key')
    assert.equal((await app.post({ challengeToken })).status, 201)
  }
  app.clock.ms += HOUR_MS - 60_000
  const challengeToken = await solvedFor(app, 'issue-key')
  assert.equal(outcome(await app.post({ challengeToken })), '429 RATE_LIMITED')
  assert.equal(outcome(await app.post({ challengeToken })), '429 RATE_LIMITED')
  app.clock.ms += 60_000
  assert.equal((await app.post({ challengeToken })).status, 201)
  assert.equal(outcome(await app.post({ challengeToken })), '403 CHALLENGE_FAILED')
})

test('10000 keys may be active: the next one is KEYS_UNAVAILABLE until one is revoked or expires', async (t) => {
  const app = await runKeyedApp(t, { challenge: easyAltcha })
  const revocable = await app.makeKey()
  const ending = await app.makeKey({ ttlDays: 1 })
  await fillUp(app, MAX_ACTIVE - 1)
  assert.equal((await app.post({ challengeToken: await solvedFor(app, 'issue-key') })).status, 201)
  const challengeToken = await solvedFor(app, 'issue-key')
  for (let each = 0; each < 2; each += 1) {
    await assertCatalogError(
      app,
      {
        method: 'POST',
        target: KEYS,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ challengeToken }),
      },
      { code: 'KEYS_UNAVAILABLE', status: 503, retryable: true, cors: false },
    )
  }
  // Keys that there are go on working.
  const self = await ask(app, SELF, { headers: { 'X-SVC-Key': revocable } })
  assert.equal(self.status, 200)
  await ask(app, SELF, { method: 'DELETE', headers: { 'X-SVC-Key': revocable } })
  // The token was given back both times.
  assert.equal((await app.post({ challengeToken })).status, 201)
  const more = { challengeToken: await solvedFor(app, 'issue-key') }
  assert.equal(outcome(await app.post(more)), '503 KEYS_UNAVAILABLE')
  app.clock.ms += DAY_MS
  const after = { challengeToken: await solvedFor(app, 'issue-key') }
  assert.equal((await app.post(after)).status, 201)
  assert.equal(codeOf(await ask(app, SELF, { headers: { 'X-SVC-Key': ending } })), 'KEY_EXPIRED')
  assert.equal((await app.store.count(app.clock.ms)).active, MAX_ACTIVE)
})

const GOOD_DRAFT = goodDraft(KEYS, GOOD_KEY_REQUEST)
const [NOT_FOUND, BAD_METHOD, ...MORE_RULES] = requestRules(KEYS)

/** The order of the decisions, sections 4 and 5, up to the challenge. */
const RULES = [
  NOT_FOUND,
  BAD_METHOD,
  ['401 KEY_INVALID', withHeader('X-SVC-Key: nonsense')],
  ...MORE_RULES,
  ...SHAPE_RULES,
  ['400 INVALID_INPUT', withFields({ label: '' })],
  ['400 INVALID_INPUT', withFields({ ttlDays: 366 })],
  ['403 CHALLENGE_FAILED', withFields({ challengeToken: 'wrong' })],
] as readonly Rule[]

function sendDraft({ port }: KeyedApp) {
  return async (draft: Draft): Promise<string> => {
    const body = bodyOf(draft)
    const lines = [...draft.headers, `Content-Length: ${body.length}`]
    return outcomeOf(await sendRequest(port, draft.method, draft.target, lines, body))
  }
}

test('the earliest broken rule decides the error', async (t) => {
  const app = await runKeyedApp(t)
  await assertOrder(GOOD_DRAFT, RULES, sendDraft(app))
  assert.deepEqual(await app.rows(), [])
  assert.equal(await sendDraft(app)(GOOD_DRAFT), '201')
})

test('checks the request before the limits, and the hourly limit before the number of keys', async (t) => {
  const full = await runKeyedApp(t)
  await fillUp(full, MAX_ACTIVE)
  const send = sendDraft(full)
  await assertOrder(GOOD_DRAFT, RULES, send)
  assert.equal(await send(GOOD_DRAFT), '503 KEYS_UNAVAILABLE')
  // Whatever the full store counted of the hour, another 60 requests use it up.
  for (let each = 0; each < PER_HOUR; each += 1) await full.post(GOOD_KEY_REQUEST)
  assert.equal(await send(GOOD_DRAFT), '429 RATE_LIMITED')
  await assertOrder(GOOD_DRAFT, RULES, send)
})
