import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { CountersError } from '../../src/storage/counters/counters.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import {
  ENDPOINT_REQUESTS,
  makeRefusedKeys,
  runKeyedApp,
  SELF,
  type EndpointRequest,
} from '../support/keyed-app.ts'
import { sendRequest, type RawResponse } from '../support/raw-http.ts'
import {
  toResponse,
  assertRevalidated,
  assertSigned,
  codeOf,
  publishedKey,
} from '../support/received-response.ts'

// Every endpoint, in every way in which it can be asked, with every state of a key, in every header.

const DAY_MS = 86_400_000
const LIMIT = 600
const HEADER_FORMS: readonly ((key: string) => readonly string[])[] = [
  (key) => [`X-SVC-Key: ${key}`],
  (key) => [`Authorization: Bearer ${key}`],
  (key) => [`X-SVC-Key: ${key}`, `Authorization: Bearer ${key}`],
]

/** What a response states about the key. A header that is not listed must not be sent. */
interface Expected {
  readonly status: number
  readonly code?: string
  readonly wwwAuthenticate?: string
  /** X-RateLimit-Remaining and X-RateLimit-Reset. */
  readonly quota?: readonly [remaining: string, reset: string]
  readonly retryAfter?: string
}

const INVALID_TOKEN = { status: 401, wwwAuthenticate: 'Bearer error="invalid_token"' } as const
const UNAVAILABLE = { status: 503, code: 'KEYS_UNAVAILABLE' } as const

/** A request of one endpoint; what a HEAD and a conditional request get must not differ. */
interface Way {
  readonly each: EndpointRequest
  readonly method: string
  readonly isConditional: boolean
}

const WAYS: readonly Way[] = ENDPOINT_REQUESTS.flatMap((each) => [
  { each, method: each.method, isConditional: false },
  ...(each.method === 'GET'
    ? [
        { each, method: 'HEAD', isConditional: false },
        { each, method: 'GET', isConditional: true },
      ]
    : []),
])

/** The status without a problem of the key; the waitlist of this app is down, and the preview is disabled. */
function statusOf({ each: { name, row }, isConditional }: Way): number {
  if (name === 'register') return 503
  if (name === 'preview') return 403
  return isConditional ? 304 : (row.success?.status ?? 0)
}

/** All of a response that may distinguish one cause from another: without ids, times and what is made over them. */
function distinguishable({ status, headers, headerNames, body }: RawResponse): object {
  const values = new Map(headers)
  const varying = ['x-request-id', 'x-svc-signed-at', 'content-digest', 'x-svc-signature', 'date']
  for (const name of varying) if (values.has(name)) values.set(name, '')
  const text = body.replace(/"requestId":"[^"]+","issuedAt":"[^"]+"/, '')
  return { status, headerNames, headers: [...values], body: text }
}

/** An app that checks responses by this table. */
async function openTable(t: TestContext) {
  const down = { store: false, counters: false }
  const app = await runKeyedApp(t, {
    store: (store) => ({
      ...store,
      find: (keyId) =>
        down.store ? Promise.reject(new StorageError('IO', 'service.sqlite')) : store.find(keyId),
    }),
    counters: (counters) => ({
      ...counters,
      count: (windows) =>
        down.counters ? Promise.reject(new CountersError('gone')) : counters.count(windows),
    }),
  })
  const published = await publishedKey(app)
  let sent = 0

  /** Sends a request with a key, in one header after the other, and compares the response with the table. */
  async function assertStates(way: Way, key: string | undefined, expected: Expected) {
    const { each, method, isConditional } = way
    const form = HEADER_FORMS[(sent += 1) % HEADER_FORMS.length]
    const keyLines = key === undefined ? [] : (form?.(key) ?? [])
    const lines = [...each.headers, ...keyLines]
    if (isConditional) lines.push('If-None-Match: *')
    const raw = await sendRequest(app.port, method, each.target, lines, each.body)
    const where = `${method} ${each.target} ${isConditional ? 'If-None-Match' : ''} ${keyLines.join(' ')}`
    const { status, code, wwwAuthenticate, quota, retryAfter } = expected
    const found = (name: string) => raw.headers.get(name)
    assert.equal(raw.status, status, where)
    assert.equal(found('www-authenticate'), wwwAuthenticate, where)
    assert.equal(found('retry-after'), retryAfter, where)
    assert.deepEqual(
      ['limit', 'remaining', 'reset'].map((name) => found(`x-ratelimit-${name}`)),
      quota === undefined ? [undefined, undefined, undefined] : [String(LIMIT), ...quota],
      where,
    )
    // A keyed success may be stored by a cache in the middle unless it must not; a 304 carries only what it may merge.
    const isKeyedSuccess = quota !== undefined && (status === 200 || status === 201)
    assert.equal(found('cdn-cache-control'), isKeyedSuccess ? 'no-store' : undefined, where)
    const isWrite = method === 'POST' || method === 'DELETE'
    assert.equal(found('access-control-allow-origin'), isWrite ? undefined : '*', where)
    if (code !== undefined) {
      assert.equal(found('cache-control'), 'no-store', where)
      assert.equal(found('etag'), undefined, where)
    }
    const response = toResponse(method, each.target, raw)
    if (method === 'HEAD') assert.equal(raw.body, '')
    else if (status === 304) assertRevalidated(response, published)
    else {
      assertSigned(response, published)
      if (code !== undefined) assert.equal(codeOf(response), code, where)
    }
    return raw
  }

  return { app, down, assertStates }
}

test('malformed, unknown, wrong and revoked keys are indistinguishable, in every header', async (t) => {
  const { app, assertStates } = await openTable(t)
  const past = { ttlDays: 1, nowMs: app.clock.ms - 2 * DAY_MS }
  const [expired, revoked] = [await app.makeKey(past), await app.makeKey(past)]
  await app.store.revoke(sliceKeyId(revoked), app.clock.ms)
  const expiredAndWrong = expired.slice(0, 21) + revoked.slice(21)
  const keys = [...Object.values(await makeRefusedKeys(app)), expiredAndWrong, revoked]
  const before = await app.rows()
  for (const way of WAYS) {
    let first: object | undefined
    for (const key of keys) {
      const raw = await assertStates(way, key, { ...INVALID_TOKEN, code: 'KEY_INVALID' })
      first ??= distinguishable(raw)
      assert.deepEqual(distinguishable(raw), first, `${way.method} ${way.each.target} ${key}`)
    }
  }
  assert.deepEqual(await app.rows(), before, 'nothing was issued or revoked')
})

test('an expired key, a spent one, no key, and an outage have one response at every endpoint', async (t) => {
  const { app, down, assertStates } = await openTable(t)
  const expired = await app.makeKey({ ttlDays: 1, nowMs: app.clock.ms - DAY_MS })
  const spent = await app.makeKey()
  const good = await app.makeKey()
  await app.spend(spent, LIMIT)
  app.clock.ms += 20_400
  const before = await app.rows()
  const limited = {
    status: 429,
    code: 'KEY_RATE_LIMITED',
    quota: ['0', '40'],
    retryAfter: '40',
  } as const
  const required = { status: 401, code: 'KEY_REQUIRED', wwwAuthenticate: 'Bearer' }
  for (const way of WAYS) {
    await assertStates(way, expired, { ...INVALID_TOKEN, code: 'KEY_EXPIRED' })
    const raw = await assertStates(way, spent, limited)
    if (way.method !== 'HEAD') assert.match(raw.body, /"retryable":true,"retryAfterSeconds":40\}/)
    down.store = true
    for (const key of [good, 'svk_nonsense']) await assertStates(way, key, UNAVAILABLE)
    down.store = false
    down.counters = true
    await assertStates(way, good, UNAVAILABLE)
    down.counters = false
  }
  assert.deepEqual(await app.rows(), before, 'nothing was issued or revoked')
  for (const way of WAYS) {
    const isSelf = way.each.target === SELF
    await assertStates(way, undefined, isSelf ? required : { status: statusOf(way) })
  }
})

test('every endpoint counts a valid key once, and states its quota', async (t) => {
  const { app, assertStates } = await openTable(t)
  for (const each of ENDPOINT_REQUESTS) {
    const key = await app.makeKey()
    let remaining = LIMIT
    for (const way of WAYS.filter((other) => other.each === each)) {
      remaining -= 1
      await assertStates(way, key, { status: statusOf(way), quota: [String(remaining), '60'] })
    }
  }
})
