import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { presentedKey } from '../../src/http/authenticate.ts'
import { createPayload } from '../../src/service/releases/payload.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import {
  ask,
  assertSigned,
  publishedKey,
  type ReceivedResponse,
} from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

/** The three rate-limit headers of a response, as limit/remaining/reset. */
function quotaOf(response: ReceivedResponse): string {
  return ['limit', 'remaining', 'reset']
    .map((name) => response.header(`x-ratelimit-${name}`) ?? '-')
    .join('/')
}

const codeOf = (response: ReceivedResponse) =>
  /"code":"([A-Z_]+)"/.exec(response.bytes.toString())?.[1]
const withKey = (key: string) => ({ headers: { 'X-SVC-Key': key } })

test('every response to a key has its quota: success, 304, errors, writes and refusals past it', async (t) => {
  const issuance = {
    enabled: true,
    approvedBy: 'a test',
    approvedAt: '2026-11-21',
    reference: 'this file',
  } as const
  const app = await runApp(t, {
    apiKeys: createFakeApiKeys(),
    issuance,
    extraHandlers: { createKey: () => createPayload({ key: 'shown once' }) },
  })
  const headers = { 'X-SVC-Key': FAKE_KEYS.good }
  const json = { 'Content-Type': 'application/json' }
  let remaining = 600
  for (const [method, target, status, more] of [
    ['GET', '/api/v1/status', 200, {}],
    ['GET', '/api/v1/status', 304, { 'If-None-Match': '*' }],
    ['HEAD', '/api/v1/status', 200, {}],
    ['POST', '/api/v1/keys', 201, json],
    ['GET', '/api/v1/versions/none', 404, {}],
    ['GET', '/api/v1/preview', 403, {}],
    ['POST', '/api/v1/early-access/register', 503, json],
    ['GET', '/api/v1/keys/self', 200, {}],
    ['DELETE', '/api/v1/keys/self', 200, {}],
  ] as const) {
    const response = await ask(app, target, { method, headers: { ...headers, ...more } })
    assert.equal(response.status, status, `${method} ${target}`)
    remaining -= 1
    assert.equal(quotaOf(response), `600/${remaining}/42`, `${method} ${target}`)
  }
  const refused = await ask(app, '/api/v1/status', withKey(FAKE_KEYS.spent))
  assert.equal(refused.status, 429)
  assert.equal(quotaOf(refused), '600/0/42')
  assert.equal(refused.header('retry-after'), '42')
})

test('an anonymous response and a refused key have no quota headers', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  for (const init of [{}, withKey('nonsense'), withKey(FAKE_KEYS.expired)]) {
    assert.equal(quotaOf(await ask(app, '/api/v1/status', init)), '-/-/-')
  }
})

test('a keyed success is not stored by shared caches; an anonymous one is not affected', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  const keyed = await ask(app, '/api/v1/status', withKey(FAKE_KEYS.good))
  assert.equal(keyed.header('cdn-cache-control'), 'no-store')
  assert.equal(keyed.header('vary'), 'Authorization, X-SVC-Key, Accept-Signature')
  assertSigned(keyed, await publishedKey(app))
  const anonymous = await ask(app, '/api/v1/status')
  assert.equal(anonymous.header('cdn-cache-control'), undefined)
  assert.equal(anonymous.header('vary'), 'Authorization, X-SVC-Key, Accept-Signature')
})

test('the ETag is the same for everyone', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  const responses = [
    await ask(app, '/api/v1/status'),
    await ask(app, '/api/v1/status', withKey(FAKE_KEYS.good)),
    await ask(app, '/api/v1/status', withKey(FAKE_KEYS.other)),
  ]
  const [etag] = responses.map((response) => response.header('etag'))
  for (const response of responses) assert.equal(response.header('etag'), etag)
  const keyed = { headers: { 'X-SVC-Key': FAKE_KEYS.other, 'If-None-Match': etag ?? '' } }
  assert.equal((await ask(app, '/api/v1/status', keyed)).status, 304)
})

test('both headers with one key are one key, counted once; with two keys they are refused', async (t) => {
  const apiKeys = createFakeApiKeys()
  const app = await runApp(t, { apiKeys })
  const both = (other: string) => ({
    headers: { Authorization: `Bearer ${FAKE_KEYS.good}`, 'X-SVC-Key': other },
  })
  const same = await ask(app, '/api/v1/status', both(FAKE_KEYS.good))
  assert.deepEqual([same.status, quotaOf(same)], [200, '600/599/42'])
  const different = await ask(app, '/api/v1/status', both(FAKE_KEYS.other))
  assert.deepEqual([different.status, codeOf(different)], [401, 'KEY_INVALID'])
  assert.equal(different.header('www-authenticate'), 'Bearer error="invalid_token"')
  assert.deepEqual(apiKeys.checked, [FAKE_KEYS.good])
})

test('which header value is a key', () => {
  const keyIn = (headers: { readonly [name: string]: string }) =>
    presentedKey({
      method: 'GET',
      target: '/',
      path: '/',
      header: (name) => headers[name],
      peerAddress: () => '127.0.0.1',
      readBody: () => Promise.resolve(new Uint8Array()),
    })
  assert.equal(keyIn({}), undefined)
  assert.equal(keyIn({ authorization: 'Bearer k' }), 'k')
  assert.equal(keyIn({ authorization: 'bEARER   k ' }), 'k')
  assert.equal(keyIn({ 'x-svc-key': 'k' }), 'k')
  // What cannot be a key is presented all the same, and so refused rather than taken for anonymous.
  assert.equal(keyIn({ authorization: 'Bearer two words' }), 'two words')
  assert.equal(keyIn({ 'x-svc-key': '' }), '')
  assert.equal(keyIn({ authorization: 'Bearer' }), '')
  assert.equal(keyIn({ authorization: 'Bearer  ' }), '')
  assert.equal(keyIn({ authorization: 'Bearer\tk' }), 'k')
  assert.equal(keyIn({ authorization: 'Basic YTpi, Bearer k' }), 'k')
  assert.equal(keyIn({ authorization: 'Bearer k, Bearer j' }), 'k, Bearer j')
  assert.equal(keyIn({ authorization: 'Bearer k\u00a0' }), 'k\u00a0')
  assert.equal(keyIn({ authorization: 'Digest realm="a, b", Bearer k' }), 'k')
  for (const authorization of [
    'Basic k',
    'Basic YTpi',
    'Bearerk',
    'Digest Bearer k',
    'Digest username="x", realm="a, bearer b"',
    '',
  ]) {
    assert.equal(keyIn({ authorization }), undefined, authorization)
  }
  assert.equal(keyIn({ authorization: 'Basic YTpi', 'x-svc-key': 'k' }), 'k')
})

test('parses a header of the maximum length in one pass', () => {
  const length = 15_800
  const fill = (part: string) => part.repeat(Math.floor(length / part.length))
  const cases: readonly (readonly [value: string, key: string | undefined])[] = [
    [fill('bearer,'), undefined],
    [fill(',\t'), undefined],
    [fill('"'), undefined],
    [fill('\\"'), undefined],
    [`"${fill('\\"')}`, undefined],
    [`"${fill('\\')}`, undefined],
    [`,${fill(' ')}`, undefined],
    [`${fill('"bearer k" ,')} bearer k`, 'k'],
    [`bearer${fill('\t')}x`, 'x'],
    [`bearer x${fill('\t')}x`, `x${fill('\t')}x`],
    [`bearer x${fill(' \t')}`, 'x'],
  ]
  for (const [authorization, key] of cases) {
    const found = presentedKey({
      method: 'GET',
      target: '/',
      path: '/',
      header: (name) => (name === 'authorization' ? authorization : undefined),
      peerAddress: () => '127.0.0.1',
      readBody: () => Promise.resolve(new Uint8Array()),
    })
    assert.equal(found, key, authorization.slice(0, 12))
  }
})

test('finds a key in a second Authorization line', async (t) => {
  const apiKeys = createFakeApiKeys()
  const app = await runApp(t, { apiKeys })
  const lines = (...values: readonly string[]) =>
    sendRaw(
      app.port,
      rawRequest('GET', '/api/v1/status', [
        'Host: localhost',
        ...values.map((value) => `Authorization: ${value}`),
      ]),
    )
  assert.equal((await lines('Basic YTpi', `Bearer ${FAKE_KEYS.good}`)).status, 200)
  assert.deepEqual(apiKeys.checked, [FAKE_KEYS.good])
  const two = await lines(`Bearer ${FAKE_KEYS.good}`, `Bearer ${FAKE_KEYS.other}`)
  assert.equal(two.status, 401)
  assert.equal((await lines('Basic YTpi', 'Basic YTpi')).status, 200)
})

test('Basic is not a key: reads are anonymous and keys/self requires one', async (t) => {
  const apiKeys = createFakeApiKeys()
  const app = await runApp(t, { apiKeys })
  const basic = { headers: { Authorization: `Basic ${btoa(`user:${FAKE_KEYS.good}`)}` } }
  assert.equal((await ask(app, '/api/v1/status', basic)).status, 200)
  const self = await ask(app, '/api/v1/keys/self', basic)
  assert.deepEqual([self.status, codeOf(self)], [401, 'KEY_REQUIRED'])
  assert.equal(self.header('www-authenticate'), 'Bearer')
  assert.deepEqual(apiKeys.checked, [])
})

test('ignores a key in the URL and never logs it', async (t) => {
  const apiKeys = createFakeApiKeys()
  const app = await runApp(t, {
    apiKeys,
    extraHandlers: {
      time() {
        throw new Error('so that something is logged')
      },
    },
  })
  for (const name of ['key', 'api_key', 'access_token', 'X-SVC-Key', 'authorization']) {
    const query = `?${name}=${FAKE_KEYS.good}`
    const read = await ask(app, `/api/v1/status${query}`)
    assert.deepEqual([read.status, quotaOf(read)], [200, '-/-/-'])
    assert.equal((await ask(app, `/api/v1/keys/self${query}`)).status, 401)
    assert.equal((await ask(app, `/api/v1/time${query}`)).status, 503)
    assert.equal((await ask(app, `/api/v1/${FAKE_KEYS.good}`)).status, 404)
  }
  assert.deepEqual(apiKeys.checked, [])
  assert.equal(app.log.length, 5)
  assert.ok(!inspect(app.log, { depth: null }).includes(FAKE_KEYS.good.slice(21)))
})

test('keys are never logged or stored, valid or not', async (t) => {
  const app = await runApp(t)
  for (const key of Object.values(FAKE_KEYS)) {
    for (const path of ['/api/v1/status', '/api/v1/keys/self', '/api/v1/keys/signing-key']) {
      const response = await ask(app, path, withKey(key))
      assert.deepEqual([response.status, codeOf(response)], [503, 'KEYS_UNAVAILABLE'])
      assert.ok(!response.bytes.toString().includes(key.slice(21)))
    }
  }
  assert.ok(!inspect(app.log, { depth: null }).includes('svk_'))
})

test('checks the pause of issuance before a key', async (t) => {
  const apiKeys = createFakeApiKeys()
  const app = await runApp(t, { apiKeys })
  for (const key of [FAKE_KEYS.good, FAKE_KEYS.expired, FAKE_KEYS.spent, 'nonsense']) {
    const response = await ask(app, '/api/v1/keys', { method: 'POST', ...withKey(key) })
    assert.deepEqual([response.status, codeOf(response)], [503, 'KEYS_UNAVAILABLE'])
    assert.equal(quotaOf(response), '-/-/-')
  }
  assert.deepEqual(apiKeys.checked, [])
})

test('every endpoint checks a presented key', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  for (const [method, target] of [
    ['GET', '/api/v1'],
    ['GET', '/api/v1/time'],
    ['GET', '/api/v1/wallet/security'],
    ['GET', '/api/v1/versions/none'],
    ['GET', '/api/v1/keys/signing-key'],
    ['GET', '/api/v1/preview/x'],
    ['POST', '/api/v1/early-access/register'],
    ['DELETE', '/api/v1/keys/self'],
  ] as const) {
    const response = await ask(app, target, { method, ...withKey('nonsense') })
    assert.deepEqual(
      [response.status, codeOf(response)],
      [401, 'KEY_INVALID'],
      `${method} ${target}`,
    )
    const isWrite = method === 'POST' || method === 'DELETE'
    assert.equal(response.header('access-control-allow-origin'), isWrite ? undefined : '*')
  }
})

test('an outage of the key store refuses keyed requests and serves anonymous ones', async (t) => {
  const app = await runApp(t)
  const keyed = await ask(app, '/api/v1/status', withKey(FAKE_KEYS.good))
  assert.deepEqual([keyed.status, codeOf(keyed)], [503, 'KEYS_UNAVAILABLE'])
  assert.equal((await ask(app, '/api/v1/status')).status, 200)
})
