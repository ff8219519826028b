import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { KEYS, makeRefusedKeys, runKeyedApp, SELF } from '../support/keyed-app.ts'
import { sendRequest } from '../support/raw-http.ts'
import { codeOf, outcomeOf } from '../support/received-response.ts'

const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

test('header lines that are a key, an invalid key or ignored', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  const other = await app.makeKey()
  const basic = `Authorization: Basic ${btoa(`user:${key}`)}`
  const good: readonly (readonly string[])[] = [
    [`authorization: Bearer ${key}`],
    [`AUTHORIZATION: bearer ${key}`],
    [`Authorization: BEARER ${key}`],
    [`Authorization: Bearer   ${key}`],
    [`Authorization: Bearer\t${key}`],
    // White space around a field's value is not part of it (RFC 9110 5.5).
    [`Authorization:Bearer ${key}`],
    [`Authorization: Bearer ${key}  \t `],
    [`x-svc-key:${key}`],
    [`X-SVC-KEY: \t${key} \t`],
    [`X-SVC-Key: ${key}`, `Authorization: Bearer ${key}`],
    [`X-SVC-Key: ${key}`, basic],
    [basic, `Authorization: Bearer ${key}`],
    [`Authorization: Digest realm="a, b", Bearer ${key}`],
    ['Authorization: Digest username="x", nonce="y"', `X-SVC-Key: ${key}`],
  ]
  const refused: readonly (readonly string[])[] = [
    ['Authorization: Bearer'],
    ['Authorization: Bearer '],
    ['X-SVC-Key:'],
    ['X-SVC-Key:  '],
    [`X-SVC-Key: ${key} ${key}`],
    [`X-SVC-Key: ${key},`],
    [`X-SVC-Key: "${key}"`],
    [`X-SVC-Key: Bearer ${key}`],
    [`X-SVC-Key: ${key}\u00a0`],
    [`Authorization: Bearer ${key}\u00e9`],
    [`Authorization: Bearer "${key}"`],
    [`Authorization: Bearer Bearer ${key}`],
    [`Authorization: Bearer ${key}, Basic YTpi`],
    [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`],
    [`Authorization: Bearer ${key}`, `Authorization: Bearer ${other}`],
    [`X-SVC-Key: ${key}`, `X-SVC-Key: ${key}`],
    [`X-SVC-Key: ${key}`, `X-SVC-Key: ${other}`],
    [`X-SVC-Key: ${key}`, `Authorization: Bearer ${other}`],
    [`X-SVC-Key: ${key}`, 'Authorization: Bearer'],
    [`X-SVC-Key:`, `Authorization: Bearer ${key}`],
    [`X-SVC-Key: ${encodeURIComponent(`${key} `)}`],
    [`X-SVC-Key: ${btoa(key)}`],
    [`X-SVC-Key: ${'k'.repeat(15_000)}`],
    [`Authorization: Bearer ${key.repeat(200)}`],
  ]
  const none: readonly (readonly string[])[] = [
    [],
    [basic],
    [basic, basic],
    ['Authorization: '],
    [`Authorization: ${key}`],
    [`Authorization: Basic ${key}`],
    [`Authorization: Token ${key}`],
    [`Authorization: Bearer${key}`],
    [`Authorization: Digest Bearer ${key}`],
    [`Authorization: Digest username="x", realm="a, bearer ${key}"`],
    [`Proxy-Authorization: Bearer ${key}`],
    [`X-API-Key: ${key}`],
    [`X-SVC-Keys: ${key}`],
    [`Cookie: X-SVC-Key=${key}; key=${key}`],
    [`Referer: http://localhost/?key=${key}`],
  ]
  let remaining = 600
  for (const lines of good) {
    const raw = await sendRequest(app.port, 'GET', SELF, lines)
    remaining -= 1
    assert.equal(outcomeOf(raw), '200', lines.join(' | '))
    assert.equal(raw.headers.get('x-ratelimit-remaining'), String(remaining), lines.join(' | '))
  }
  for (const lines of refused) {
    for (const target of ['/api/v1/status', SELF]) {
      const raw = await sendRequest(app.port, 'GET', target, lines)
      assert.equal(outcomeOf(raw), '401 KEY_INVALID', lines.join(' | ').slice(0, 200))
      assert.equal(raw.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
    }
  }
  for (const lines of none) {
    assert.equal(outcomeOf(await sendRequest(app.port, 'GET', '/api/v1/status', lines)), '200')
    assert.equal(outcomeOf(await sendRequest(app.port, 'GET', SELF, lines)), '401 KEY_REQUIRED')
  }
  for (const [each, left] of [
    [key, remaining - 1],
    [other, 599],
  ] as const) {
    const raw = await sendRequest(app.port, 'GET', SELF, [`X-SVC-Key: ${each}`])
    assert.equal(raw.headers.get('x-ratelimit-remaining'), String(left), 'no refusal counted')
  }
})

test('a key beyond the header limit ends the request', async (t) => {
  const app = await runKeyedApp(t)
  const raw = await sendRequest(app.port, 'GET', '/api/v1/status', [
    `X-SVC-Key: ${'k'.repeat(20_000)}`,
  ])
  assert.deepEqual([raw.status, raw.body], [431, ''])
  assert.equal(raw.headers.get('cache-control'), 'no-store')
})

test('a key in a URL or a body is ignored, not counted and not stored', async (t) => {
  const app = await runKeyedApp(t, {
    parts: {
      extraHandlers: {
        time() {
          throw new Error('so that something is logged')
        },
      },
    },
  })
  const key = await app.makeKey()
  for (const name of ['key', 'api_key', 'access_token', 'X-SVC-Key', 'authorization', 'bearer']) {
    const query = `?${name}=${key}`
    const status = await sendRequest(app.port, 'GET', `/api/v1/status${query}`)
    assert.equal(outcomeOf(status), '200')
    assert.equal(status.headers.get('x-ratelimit-limit'), undefined)
    assert.equal(
      outcomeOf(await sendRequest(app.port, 'GET', `${SELF}${query}`)),
      '401 KEY_REQUIRED',
    )
    assert.equal(
      outcomeOf(await sendRequest(app.port, 'DELETE', `${SELF}${query}`)),
      '401 KEY_REQUIRED',
    )
    assert.equal(
      outcomeOf(await sendRequest(app.port, 'GET', `/api/v1/time${query}`)),
      '503 SNAPSHOT_UNAVAILABLE',
    )
  }
  for (const target of [
    `http://${key}@localhost${SELF}`,
    `http://user:${key}@localhost${SELF}`,
    `http://localhost${SELF}?key=${key}`,
    `${SELF}#${key}`,
  ]) {
    const { status } = await sendRequest(app.port, 'GET', target)
    assert.ok(status >= 400 && status < 500, `${target}: ${status}`)
  }
  for (const target of [`/api/v1/${key}`, `/api/v1/keys/${key}`, `${SELF}/${key}`]) {
    assert.equal(outcomeOf(await sendRequest(app.port, 'GET', target)), '404 NOT_FOUND')
    assert.equal(outcomeOf(await sendRequest(app.port, 'DELETE', target)), '404 NOT_FOUND')
  }
  const versions = await sendRequest(app.port, 'GET', `/api/v1/versions/${key}`)
  assert.equal(outcomeOf(versions), '404 VERSION_NOT_FOUND')
  const body = await app.post({ challengeToken: 'test-pass', key })
  assert.deepEqual([body.status, codeOf(body)], [400, 'INVALID_INPUT'])

  const self = await sendRequest(app.port, 'GET', SELF, [`X-SVC-Key: ${key}`])
  assert.equal(self.headers.get('x-ratelimit-remaining'), '599', 'none of it counted')
  assert.ok(app.log.length >= 6)
  const written = inspect(app.log, { depth: null, maxStringLength: null, maxArrayLength: null })
  assert.ok(!written.includes(key.slice(21)) && !written.includes(sliceKeyId(key)))
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
      const raw = await sendRequest(app.port, 'POST', target, [`X-SVC-Key: ${wrong}`, ...lines])
      assert.equal(outcomeOf(raw), '401 KEY_INVALID', `${target} ${lines.join(', ')}`)
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
      const raw = await sendRequest(app.port, method, target, [`X-SVC-Key: ${key}`])
      assert.equal(outcomeOf(raw), expected, `${method} ${target}`)
      for (const name of RATE_LIMIT_HEADERS) assert.equal(raw.headers.get(name), undefined)
    }
  }
  assert.deepEqual(looked, [])
  const self = await sendRequest(app.port, 'GET', SELF, [`X-SVC-Key: ${good}`])
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
    const raw = await sendRequest(app.port, method, target, lines)
    assert.equal(outcomeOf(raw), expected)
    assert.equal(raw.headers.get('x-ratelimit-limit'), '600')
  }
  const response = await app.post({ challengeToken: 'test-pass' }, { 'X-SVC-Key': key })
  assert.deepEqual([response.status, codeOf(response)], [503, 'KEYS_UNAVAILABLE'])
  assert.equal(response.header('x-ratelimit-remaining'), '596')
  const written = inspect(app.log, { depth: null, maxStringLength: null })
  assert.equal(app.log.length, 4)
  assert.ok(!written.includes(key.slice(21)))
})
