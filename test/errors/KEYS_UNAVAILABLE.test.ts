import { test } from 'node:test'
import { CountersError } from '../../src/storage/counters/counters.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import { assertCatalogError } from '../support/catalog-error.ts'
import { GOOD_KEY_REQUEST, KEYS, runKeyedApp, SELF } from '../support/keyed-app.ts'

const ROW = { code: 'KEYS_UNAVAILABLE', status: 503, retryable: true } as const
const GOOD_POST = {
  method: 'POST',
  target: KEYS,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(GOOD_KEY_REQUEST),
} as const

test('KEYS_UNAVAILABLE: while issuance is paused no request gets a key', async (t) => {
  const app = await runKeyedApp(t, { isOpen: false })
  await assertCatalogError(app, GOOD_POST, { ...ROW, cors: false })
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
    await assertCatalogError(app, { method, target, headers }, { ...ROW, cors: method === 'GET' })
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
    { ...ROW, cors: true },
  )
})

test('KEYS_UNAVAILABLE: a key that cannot be stored is not returned', async (t) => {
  const app = await runKeyedApp(t, {
    store: (store) => ({
      ...store,
      add: () => Promise.reject(new StorageError('FULL', 'service.sqlite')),
    }),
  })
  await assertCatalogError(app, GOOD_POST, { ...ROW, cors: false })
})

test('KEYS_UNAVAILABLE: 503 at the maximum number of active keys', async (t) => {
  const app = await runKeyedApp(t, {
    store: (store) => ({ ...store, add: () => Promise.resolve('full') }),
  })
  await assertCatalogError(app, GOOD_POST, { ...ROW, cors: false })
})
