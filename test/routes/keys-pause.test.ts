import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Issuance } from '@public-api/contract/keys/issuance'
import { ENDPOINTS, type Registry, type Runtime } from '@public-api/contract/registry/endpoints'
import * as fc from 'fast-check'
import { holdConnection } from '../support/held-connection.ts'
import {
  easyAltcha,
  GOOD_KEY_REQUEST,
  KEYS,
  makeRefusedKeys,
  runKeyedApp,
  SELF,
  solvedFor,
  type KeyedApp,
  type KeyedAppOptions,
} from '../support/keyed-app.ts'
import { assertPausedResponse, PAUSE_ATTEMPTS } from '../support/pause-attempts.ts'
import { proxies } from '../support/proxies.ts'
import { sendRequest } from '../support/raw-http.ts'
import {
  toResponse,
  ask,
  assertSigned,
  codeOf,
  envelopeOf,
  publishedKey,
} from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

const BODY = JSON.stringify(GOOD_KEY_REQUEST)
const JSON_LINES = ['Content-Type: application/json', `Content-Length: ${BODY.length}`]

/** An app whose issuance is what the registry says of itself, and which would count every touch of its key store. */
async function runPausedApp(
  t: TestContext,
  options: KeyedAppOptions = {},
): Promise<KeyedApp & { readonly touched: readonly string[] }> {
  const touched: string[] = []
  const app = await runKeyedApp(t, {
    isOpen: false,
    store: (store) => ({
      ...store,
      find(keyId) {
        touched.push('find')
        return store.find(keyId)
      },
      add(key, maxActive) {
        touched.push('add')
        return store.add(key, maxActive)
      },
    }),
    ...options,
  })
  return { ...app, touched }
}

const post = (app: KeyedApp, lines: readonly string[], body = '') =>
  sendRequest(app.port, 'POST', KEYS, lines, body)

for (const attempt of PAUSE_ATTEMPTS) {
  test(`the pause refuses ${attempt.name}`, async (t) => {
    const app = await runPausedApp(t)
    const key = await app.makeKey({ label: 'there before' })
    const before = await app.rows()
    for (const { method, target, lines, body } of attempt.requests(key)) {
      const raw = await sendRequest(app.port, method, target, lines, body)
      assertPausedResponse(raw, { method, target })
    }
    assert.deepEqual(await app.rows(), before)
    assert.ok(!app.touched.includes('add'))
  })
}

test('the pause precedes the checks of key, origin, media type, size and JSON', async (t) => {
  const app = await runPausedApp(t)
  const good = await app.makeKey()
  const expired = await app.makeKey({ ttlDays: 1, nowMs: app.clock.ms - 2 * 86_400_000 })
  const refused = await makeRefusedKeys(app)
  const published = await publishedKey(app)
  for (const key of [undefined, good, expired, '', ...Object.values(refused)]) {
    const keyLines = key === undefined ? [] : [`X-SVC-Key: ${key}`, `Authorization: Bearer ${key}`]
    for (const [lines, body] of [
      [JSON_LINES, BODY],
      [[...JSON_LINES, 'Origin: https://other.example'], BODY],
      [[...JSON_LINES, 'Sec-Fetch-Site: cross-site'], BODY],
      [['Content-Type: text/plain', 'Content-Length: 1'], 'x'],
      [['Content-Length: 0'], ''],
      [[], ''],
      [['Content-Type: application/json', 'Content-Encoding: gzip', 'Content-Length: 1'], 'x'],
      [['Content-Type: application/json', 'Content-Length: 9000'], 'x'.repeat(9000)],
      [['Content-Type: application/json', 'Content-Length: 1'], '{'],
      [['Content-Type: application/json', 'Content-Length: 2'], '{}'],
      [['Content-Type: application/json', 'Content-Length: 2'], '\u00ff\u00fe'],
    ] as const) {
      const raw = await post(app, [...keyLines, ...lines], body)
      assertPausedResponse(raw, { method: 'POST', target: KEYS })
      assertSigned(toResponse('POST', KEYS, raw), published)
      assert.equal(raw.headers.get('x-ratelimit-limit'), undefined, 'no key was looked at')
      assert.equal(raw.headers.get('www-authenticate'), undefined)
    }
  }
  assert.deepEqual(app.touched, [])
  const self = await ask(app, SELF, { headers: { 'X-SVC-Key': good } })
  assert.equal(self.header('x-ratelimit-remaining'), '599', 'none of it counted')
})

test('the pause is reported without waiting for the body', async (t) => {
  const app = await runPausedApp(t)
  for (const framing of [
    'Content-Length: 10000000000',
    'Content-Length: 100',
    'Transfer-Encoding: chunked',
  ]) {
    const held = await holdConnection(t, app.port)
    held.send(
      `POST ${KEYS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
    )
    const text = await held.until((received) => received.includes('KEYS_UNAVAILABLE'))
    assert.match(text, /^HTTP\/1\.1 503 /)
  }
  const huge = await post(
    app,
    ['Content-Type: application/json', 'Content-Length: 4000000'],
    'x'.repeat(100_000),
  )
  assert.equal(huge.status, 503)
  assert.deepEqual(await app.rows(), [])
})

test('no solved challenge lifts the pause or is spent', async (t) => {
  const app = await runPausedApp(t, { challenge: easyAltcha })
  const challengeToken = await solvedFor(app, 'issue-key')
  const response = await app.post({ challengeToken })
  assert.deepEqual([response.status, codeOf(response)], [503, 'KEYS_UNAVAILABLE'])
  await (await app.challenge.verify(challengeToken, 'issue-key')).release()
  assert.deepEqual(await app.rows(), [])
})

test('no runtime, deployment or challenge lifts the pause', async (t) => {
  for (const runtime of ['local', 'production'] as const satisfies readonly Runtime[]) {
    for (const deployment of ['primary', 'preview'] as const) {
      for (const challenge of [undefined, easyAltcha]) {
        const app = await runPausedApp(t, {
          ...(challenge === undefined ? {} : { challenge }),
          parts: {
            runtime,
            deployment,
            baseUrl: 'http://localhost',
            trustedProxies: proxies('127.0.0.1'),
          },
        })
        const challengeToken =
          challenge === undefined ? 'test-pass' : await solvedFor(app, 'issue-key')
        assert.equal((await app.post({ challengeToken })).status, 503)
        assert.deepEqual(app.touched, [])
      }
    }
  }
})

test('any request gets 503 and creates nothing', async (t) => {
  const app = await runPausedApp(t)
  const key = await app.makeKey()
  const before = await app.rows()
  const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,30}$/)
  const framing = new Set([
    'host',
    'connection',
    'content-length',
    'transfer-encoding',
    'expect',
    'upgrade',
    'te',
    'trailer',
  ])
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        token.filter((name) => !framing.has(name.toLowerCase())),
        fc.oneof(
          fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/),
          fc.constantFrom('true', '1', 'enabled', 'POST', 'test-pass', key, `Bearer ${key}`),
        ),
        { maxKeys: 8 },
      ),
      fc.oneof(
        fc.json(),
        fc.string({ maxLength: 200 }),
        fc.constant(BODY),
        fc
          .record({
            challengeToken: fc.constantFrom('test-pass', key),
            ttlDays: fc.integer({ min: 1, max: 365 }),
            label: fc.stringMatching(/^[A-Za-z0-9 ._-]{1,40}$/),
          })
          .map((fields) => JSON.stringify(fields)),
      ),
      fc.boolean(),
      async (headers, body, isJson) => {
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
        const bytes = Buffer.from(body)
        const raw = await post(
          app,
          [
            ...lines,
            ...(isJson ? ['Content-Type: application/json'] : []),
            `Content-Length: ${bytes.length}`,
          ],
          bytes.toString('latin1'),
        )
        assertPausedResponse(raw, { method: 'POST', target: KEYS })
      },
    ),
    { numRuns: 200 },
  )
  assert.deepEqual(await app.rows(), before)
  assert.deepEqual(app.touched, [])
})

test('while issuance is paused, existing keys can be inspected and revoked', async (t) => {
  const app = await runPausedApp(t)
  const headers = { 'X-SVC-Key': await app.makeKey() }
  assert.equal((await ask(app, SELF, { headers })).status, 200)
  assert.equal((await ask(app, '/api/v1/status', { headers })).status, 200)
  assert.equal((await ask(app, SELF, { method: 'DELETE', headers })).status, 200)
  assert.equal((await ask(app, SELF, { headers })).status, 401)
})

test('the policy reports issuance as paused with its reason, or open', async (t) => {
  const issuanceIn = async (app: KeyedApp) =>
    JSON.stringify(envelopeOf(await ask(app, '/api/v1/policy')).data['authentication'])
  assert.match(await issuanceIn(await runPausedApp(t)), /PRODUCT_NOT_READY/)
  assert.doesNotMatch(await issuanceIn(await runKeyedApp(t)), /PRODUCT_NOT_READY/)
})

test('an app refuses to start with a row that bypasses the pause or with an incomplete approval', async (t) => {
  const { issuesKeys: _, ...unmarked } = ENDPOINTS.createKey
  const registry: Registry = { ...ENDPOINTS, createKey: unmarked }
  await assert.rejects(runApp(t, { registry }), /createKey: .*issuesKeys/)
  const { createKey: again } = ENDPOINTS
  const hidden: Registry = {
    ...ENDPOINTS,
    hidden: { ...again, path: '/api/v1/more', issuesKeys: undefined } as never,
  }
  await assert.rejects(runApp(t, { registry: hidden }), /hidden: .*issuesKeys/)
  const approval = {
    enabled: true,
    approvedBy: '',
    approvedAt: '',
    reference: '',
  } as const satisfies Issuance
  await assert.rejects(runApp(t, { issuance: approval }), /approvedBy is empty/)
})
