import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountersError } from '../../src/storage/counters/counters.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import { assertCatalogError, ECHO_MARKER } from '../support/catalog-error.ts'
import { GOOD_KEY_REQUEST, KEYS, makeRefusedKeys, runKeyedApp, SELF } from '../support/keyed-app.ts'
import { ask } from '../support/received-response.ts'

test('KEY_REQUIRED: keys/self without a key is 401 with a bare challenge', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  for (const method of ['GET', 'DELETE']) {
    // Another scheme is ignored.
    for (const headers of [{}, { Authorization: `Basic ${btoa(`user:${key}`)}` }]) {
      await assertCatalogError(
        app,
        { method, target: SELF, headers },
        {
          code: 'KEY_REQUIRED',
          status: 401,
          retryable: false,
          wwwAuthenticate: 'Bearer',
          cors: method === 'GET',
        },
      )
    }
  }
})

test('KEY_INVALID: 401 for a malformed, unknown, wrong or revoked key, in either header', async (t) => {
  const app = await runKeyedApp(t)
  const good = await app.makeKey()
  const marked = `svk_aaaaaaaaaaaaaaaa_${ECHO_MARKER.padEnd(43, 'x')}`
  const keys = Object.values(await makeRefusedKeys(app))
  for (const [method, target, headers] of [
    ...[ECHO_MARKER, marked, ...keys].flatMap((key) => [
      ['GET', '/api/v1/status', { 'X-SVC-Key': key }] as const,
      ['DELETE', SELF, { Authorization: `Bearer ${key}` }] as const,
    ]),
    ['GET', '/api/v1/status', { 'X-SVC-Key': good, Authorization: `Bearer ${marked}` }] as const,
  ]) {
    await assertCatalogError(
      app,
      { method, target, headers },
      {
        code: 'KEY_INVALID',
        status: 401,
        retryable: false,
        wwwAuthenticate: 'Bearer error="invalid_token"',
        cors: method === 'GET',
      },
    )
  }
})

test('KEY_EXPIRED: a key past its time is 401', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey({ ttlDays: 1 })
  app.clock.ms += 86_400_000
  for (const [method, target] of [
    ['GET', '/api/v1/status'],
    ['GET', SELF],
    ['DELETE', SELF],
    ['POST', '/api/v1/keys'],
  ] as const) {
    await assertCatalogError(
      app,
      { method, target, headers: { Authorization: `Bearer ${key}` } },
      {
        code: 'KEY_EXPIRED',
        status: 401,
        retryable: false,
        wwwAuthenticate: 'Bearer error="invalid_token"',
        cors: method === 'GET',
      },
    )
  }
})

test('KEY_RATE_LIMITED: a key past its quota is 429 with Retry-After', async (t) => {
  const app = await runKeyedApp(t)
  const headers = { 'X-SVC-Key': await app.makeKey() }
  for (let each = 0; each < 600; each += 1) {
    assert.equal((await ask(app, '/api/v1/time', { headers })).status, 200)
  }
  for (const [waitMs, retryAfterSeconds] of [
    [0, 60],
    [18_001, 42],
    [41_998, 1],
  ] as const) {
    app.clock.ms += waitMs
    for (const [method, target] of [
      ['GET', '/api/v1/status'],
      ['DELETE', SELF],
    ] as const) {
      await assertCatalogError(
        app,
        { method, target, headers },
        {
          code: 'KEY_RATE_LIMITED',
          status: 429,
          retryable: true,
          retryAfterSeconds,
          cors: method === 'GET',
        },
      )
    }
  }
})

const UNAVAILABLE = { code: 'KEYS_UNAVAILABLE', status: 503, retryable: true } as const
const GOOD_POST = {
  method: 'POST',
  target: KEYS,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(GOOD_KEY_REQUEST),
} as const

test('KEYS_UNAVAILABLE: while issuance is paused no request gets a key', async (t) => {
  const app = await runKeyedApp(t, { isOpen: false })
  await assertCatalogError(app, GOOD_POST, { ...UNAVAILABLE, cors: false })
})

test('KEYS_UNAVAILABLE: a key that cannot be looked up is refused, not served as anonymous', async (t) => {
  const app = await runKeyedApp(t, {
    store: (store) => ({
      ...store,
      find: () => Promise.reject(new StorageError('IO', 'service.sqlite')),
    }),
  })
  const headers = { 'X-SVC-Key': await app.makeKey() }
  for (const [method, target] of [
    ['GET', '/api/v1/status'],
    ['GET', SELF],
    ['DELETE', SELF],
  ] as const) {
    await assertCatalogError(
      app,
      { method, target, headers },
      { ...UNAVAILABLE, cors: method === 'GET' },
    )
  }
})

test('KEYS_UNAVAILABLE: a key that cannot be counted is refused', async (t) => {
  const app = await runKeyedApp(t, {
    counters: (counters) => ({
      ...counters,
      count: () => Promise.reject(new CountersError('The primary is gone')),
    }),
  })
  const headers = { 'X-SVC-Key': await app.makeKey() }
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/status', headers },
    { ...UNAVAILABLE, cors: true },
  )
})

test('KEYS_UNAVAILABLE: a key that cannot be stored is not returned', async (t) => {
  const app = await runKeyedApp(t, {
    store: (store) => ({
      ...store,
      add: () => Promise.reject(new StorageError('FULL', 'service.sqlite')),
    }),
  })
  await assertCatalogError(app, GOOD_POST, { ...UNAVAILABLE, cors: false })
})

test('KEYS_UNAVAILABLE: 503 at the maximum number of active keys', async (t) => {
  const app = await runKeyedApp(t, {
    store: (store) => ({ ...store, add: () => Promise.resolve('full') }),
  })
  await assertCatalogError(app, GOOD_POST, { ...UNAVAILABLE, cors: false })
})
