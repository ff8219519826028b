import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { KEYS, makeRefusedKeys, runKeyedApp, SELF, type KeyedApp } from '../support/keyed-app.ts'
import { rawRequest, sendRaw, type RawResponse } from '../support/raw-http.ts'
import { toResponse, codeOf } from '../support/received-response.ts'

const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

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
