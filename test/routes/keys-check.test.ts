import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import {
  ENDPOINT_REQUESTS,
  KEYS,
  makeRefusedKeys,
  runKeyedApp,
  SELF,
  type EndpointRequest,
  type KeyedApp,
} from '../support/keyed-app.ts'
import { rawRequest, sendRaw, type RawResponse } from '../support/raw-http.ts'
import {
  toResponse,
  assertRevalidated,
  assertSigned,
  codeOf,
  publishedKey,
} from '../support/received-response.ts'

const DAY_MS = 86_400_000
const HEADER_FORMS = {
  'X-SVC-Key': (key: string) => [`X-SVC-Key: ${key}`],
  Bearer: (key: string) => [`Authorization: Bearer ${key}`],
  both: (key: string) => [`X-SVC-Key: ${key}`, `Authorization: Bearer ${key}`],
} as const
const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** Sends a row's request with these header lines. */
function sendTo(
  app: KeyedApp,
  { method, target, headers, body }: EndpointRequest,
  lines: readonly string[],
  asMethod = method,
): Promise<RawResponse> {
  return sendRaw(
    app.port,
    rawRequest(asMethod, target, ['Host: localhost', ...headers, ...lines]) + body,
  )
}

/** Sends a request line of its own. */
function send(
  app: KeyedApp,
  method: string,
  target: string,
  lines: readonly string[] = [],
): Promise<RawResponse> {
  return sendRaw(app.port, rawRequest(method, target, ['Host: localhost', ...lines]))
}

const code = (raw: RawResponse) => codeOf(toResponse('GET', '', raw))
const outcome = (raw: RawResponse) => `${raw.status} ${code(raw) ?? ''}`.trim()

/** All of a response that may distinguish one cause from another: without ids, times and what is made over them. */
function distinguishable({ status, headers, headerNames, body }: RawResponse): object {
  const values = new Map(headers)
  for (const name of ['x-request-id', 'x-svc-signed-at', 'content-digest', 'x-svc-signature']) {
    if (values.has(name)) values.set(name, '')
  }
  if (values.has('date')) values.set('date', '')
  return {
    status,
    headerNames,
    headers: [...values],
    body: body.replace(/"requestId":"[^"]+","issuedAt":"[^"]+"/, ''),
  }
}

/** The ways in which a row may be asked; what a HEAD and a conditional request get must not differ either. */
function waysOf({ method }: EndpointRequest): readonly (readonly [string, readonly string[]])[] {
  if (method !== 'GET') return [[method, []]]
  return [
    ['GET', []],
    ['HEAD', []],
    ['GET', ['If-None-Match: *']],
  ]
}

test('at every endpoint, malformed, unknown, wrong and revoked keys are indistinguishable', async (t) => {
  const app = await runKeyedApp(t)
  const keys = Object.entries(await makeRefusedKeys(app))
  const published = await publishedKey(app)
  const before = await app.rows()
  for (const each of ENDPOINT_REQUESTS) {
    for (const [method, lines] of waysOf(each)) {
      let first: object | undefined
      for (const [at, [reason, key]] of keys.entries()) {
        // The forms take turns over the keys; that they are one is proved below.
        const form = Object.values(HEADER_FORMS)[at % 3] ?? HEADER_FORMS.Bearer
        const raw = await sendTo(app, each, [...form(key), ...lines], method)
        first ??= distinguishable(raw)
        assert.deepEqual(distinguishable(raw), first, `${method} ${each.target}: ${reason}`)
        assert.equal(raw.status, 401, `${method} ${each.target}: ${reason}`)
        assert.equal(raw.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
        assert.equal(raw.headers.get('cache-control'), 'no-store')
        for (const name of [...RATE_LIMIT_HEADERS, 'etag', 'cdn-cache-control']) {
          assert.equal(raw.headers.get(name), undefined, name)
        }
        if (method === 'HEAD') assert.equal(raw.body, '')
        else {
          assert.equal(code(raw), 'KEY_INVALID')
          assertSigned(toResponse(method, each.target, raw), published)
        }
      }
    }
  }
  assert.deepEqual(await app.rows(), before, 'nothing was issued or revoked')
})

test('every endpoint refuses an invalid key alike in every header', async (t) => {
  const app = await runKeyedApp(t)
  const { wrong = '' } = await makeRefusedKeys(app)
  for (const each of ENDPOINT_REQUESTS) {
    const responses = await Promise.all(
      Object.values(HEADER_FORMS).map((form) => sendTo(app, each, form(wrong))),
    )
    const [first] = responses.map(distinguishable)
    for (const raw of responses) assert.deepEqual(distinguishable(raw), first, each.target)
  }
})

test('every endpoint returns KEY_EXPIRED only for a valid key that was not revoked', async (t) => {
  const app = await runKeyedApp(t)
  const expired = await app.makeKey({ ttlDays: 1 })
  const revoked = await app.makeKey({ ttlDays: 1 })
  await app.store.revoke(sliceKeyId(revoked), app.clock.ms)
  const wrong = expired.slice(0, 21) + revoked.slice(21)
  app.clock.ms += DAY_MS
  const published = await publishedKey(app)
  for (const each of ENDPOINT_REQUESTS) {
    for (const [method, lines] of waysOf(each)) {
      for (const form of Object.values(HEADER_FORMS)) {
        const raw = await sendTo(app, each, [...form(expired), ...lines], method)
        assert.equal(raw.status, 401)
        assert.equal(raw.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
        for (const name of RATE_LIMIT_HEADERS) assert.equal(raw.headers.get(name), undefined)
        if (method === 'HEAD') continue
        assert.equal(code(raw), 'KEY_EXPIRED', `${method} ${each.target}`)
        assertSigned(toResponse(method, each.target, raw), published)
      }
    }
    for (const key of [wrong, revoked]) {
      const raw = await sendTo(app, each, [`X-SVC-Key: ${key}`])
      assert.equal(outcome(raw), '401 KEY_INVALID')
    }
  }
  assert.equal((await app.rows()).length, 2)
})

/** What a good key gets from each row; the waitlist of this app is down, and the preview is disabled. */
function expectedStatus({ name, row }: EndpointRequest): number {
  if (name === 'register') return 503
  if (name === 'preview') return 403
  return row.success?.status ?? 0
}

test('every endpoint states the quota of a valid key, and no quota without a key', async (t) => {
  const app = await runKeyedApp(t)
  const published = await publishedKey(app)
  for (const each of ENDPOINT_REQUESTS) {
    const key = await app.makeKey()
    let remaining = 600
    const forms = Object.values(HEADER_FORMS)
    for (const [at, [method, lines]] of waysOf(each).entries()) {
      const form = forms[at % forms.length] ?? HEADER_FORMS.Bearer
      const raw = await sendTo(app, each, [...form(key), ...lines], method)
      const is304 = lines.length > 0 && each.row.success !== undefined
      const where = `${method} ${each.target}`
      assert.equal(raw.status, is304 ? 304 : expectedStatus(each), where)
      remaining -= 1
      assert.deepEqual(
        RATE_LIMIT_HEADERS.map((name) => raw.headers.get(name)),
        ['600', String(remaining), '60'],
        where,
      )
      // A success may be stored by a cache in the middle unless it must not; a 304 carries only what it may merge.
      const isSuccess = raw.status === 200 || raw.status === 201
      assert.equal(raw.headers.get('cdn-cache-control'), isSuccess ? 'no-store' : undefined, where)
      const response = toResponse(method, each.target, raw)
      if (is304) assertRevalidated(response, published)
      else if (method !== 'HEAD') assertSigned(response, published)
    }
    for (const [method, lines] of waysOf(each)) {
      const raw = await sendTo(app, each, lines, method)
      for (const name of [...RATE_LIMIT_HEADERS, 'cdn-cache-control']) {
        assert.equal(raw.headers.get(name), undefined, `${method} ${each.target}: ${name}`)
      }
    }
  }
})

test('only keys/self requires a key', async (t) => {
  const app = await runKeyedApp(t)
  for (const each of ENDPOINT_REQUESTS) {
    for (const [method, lines] of waysOf(each)) {
      const raw = await sendTo(app, each, lines, method)
      assert.equal(raw.status === 401, each.target === SELF, `${method} ${each.target}`)
      assert.equal(raw.headers.get('www-authenticate'), each.target === SELF ? 'Bearer' : undefined)
      if (each.target === SELF && method !== 'HEAD') assert.equal(code(raw), 'KEY_REQUIRED')
    }
  }
})

test('a key is refused before origin, media type and size are checked', async (t) => {
  const app = await runKeyedApp(t)
  const { wrong = '' } = await makeRefusedKeys(app)
  for (const target of [KEYS, '/api/v1/early-access/register']) {
    for (const lines of [
      ['Origin: https://other.example', 'Content-Type: application/json', 'Content-Length: 2'],
      ['Sec-Fetch-Site: cross-site', 'Content-Length: 2'],
      ['Content-Type: text/plain', 'Content-Length: 2'],
      ['Content-Type: application/json', 'Content-Length: 9000'],
      ['Content-Type: application/json', 'Content-Length: 2'],
    ]) {
      const raw = await send(app, 'POST', target, [`X-SVC-Key: ${wrong}`, ...lines])
      assert.equal(outcome(raw), '401 KEY_INVALID', `${target} ${lines.join(', ')}`)
    }
  }
})

test('preflights, wrong methods and unknown paths check no key', async (t) => {
  const looked: string[] = []
  const app = await runKeyedApp(t, {
    store: (store) => ({
      ...store,
      find(keyId) {
        looked.push(keyId)
        return store.find(keyId)
      },
    }),
  })
  const good = await app.makeKey()
  const { wrong = '', revoked = '' } = await makeRefusedKeys(app)
  looked.length = 0
  for (const key of [good, wrong, revoked, 'nonsense', '']) {
    for (const [method, target, expected] of [
      ['OPTIONS', '/api/v1/status', '204'],
      ['OPTIONS', SELF, '204'],
      ['OPTIONS', KEYS, '405 METHOD_NOT_ALLOWED'],
      ['PUT', '/api/v1/status', '405 METHOD_NOT_ALLOWED'],
      ['POST', SELF, '405 METHOD_NOT_ALLOWED'],
      ['GET', KEYS, '405 METHOD_NOT_ALLOWED'],
      ['DELETE', KEYS, '405 METHOD_NOT_ALLOWED'],
      ['GET', '/api/v1/nothing', '404 NOT_FOUND'],
      ['GET', `${SELF}/`, '404 NOT_FOUND'],
      ['DELETE', '/api/v1/keys/other', '404 NOT_FOUND'],
      ['GET', '/api', '404 NOT_FOUND'],
    ] as const) {
      const raw = await send(app, method, target, [`X-SVC-Key: ${key}`])
      assert.equal(outcome(raw), expected, `${method} ${target}`)
      for (const name of RATE_LIMIT_HEADERS) assert.equal(raw.headers.get(name), undefined)
    }
  }
  assert.deepEqual(looked, [])
  const self = await send(app, 'GET', SELF, [`X-SVC-Key: ${good}`])
  assert.equal(self.headers.get('x-ratelimit-remaining'), '599', 'none of it counted')
})

test('a failing endpoint still returns the quota and logs nothing of the key', async (t) => {
  const failing = () => {
    throw new Error('a defect')
  }
  const app = await runKeyedApp(t, {
    parts: { extraHandlers: { time: failing, createKey: failing, keySelf: failing } },
  })
  const key = await app.makeKey()
  const lines = [`X-SVC-Key: ${key}`]
  for (const [method, target, expected] of [
    ['GET', '/api/v1/time', '503 SNAPSHOT_UNAVAILABLE'],
    ['HEAD', '/api/v1/time', '503'],
    ['GET', SELF, '503 KEYS_UNAVAILABLE'],
  ] as const) {
    const raw = await send(app, method, target, lines)
    assert.equal(outcome(raw), expected)
    assert.equal(raw.headers.get('x-ratelimit-limit'), '600')
  }
  const response = await app.post({ challengeToken: 'test-pass' }, { 'X-SVC-Key': key })
  assert.deepEqual([response.status, codeOf(response)], [503, 'KEYS_UNAVAILABLE'])
  assert.equal(response.header('x-ratelimit-remaining'), '596')
  const written = inspect(app.log, { depth: null, maxStringLength: null })
  assert.equal(app.log.length, 4)
  assert.ok(!written.includes(key.slice(21)))
})
