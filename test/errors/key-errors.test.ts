import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountersError } from '../../src/storage/counters/counters.ts'
import { StorageError, type StorageFailure } from '../../src/storage/stores/storage-error.ts'
import {
  assertCatalogError,
  ECHO_MARKER,
  type ExpectedError,
  type Trigger,
} from '../support/catalog-error.ts'
import {
  GOOD_KEY_REQUEST,
  type KeyedApp,
  type KeyedAppOptions,
  KEYS,
  makeRefusedKeys,
  runKeyedApp,
  SELF,
} from '../support/keyed-app.ts'
import { ask } from '../support/received-response.ts'

const POST = {
  method: 'POST',
  target: KEYS,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(GOOD_KEY_REQUEST),
} as const
const READS = [
  { method: 'GET', target: '/api/v1/status' },
  { method: 'GET', target: SELF },
  { method: 'DELETE', target: SELF },
] as const

const INVALID_TOKEN = 'Bearer error="invalid_token"'

/** Asserts that all these requests get one error of status 401. */
async function assertUnauthorized(
  app: KeyedApp,
  error: Pick<ExpectedError, 'code' | 'wwwAuthenticate'>,
  triggers: readonly Trigger[],
): Promise<void> {
  for (const trigger of triggers) {
    const cors = trigger.method === 'GET'
    await assertCatalogError(app, trigger, { status: 401, retryable: false, cors, ...error })
  }
}

test('KEY_REQUIRED: keys/self without a key is 401 with a bare challenge', async (t) => {
  const app = await runKeyedApp(t)
  // Another scheme is ignored.
  const headers = { Authorization: `Basic ${btoa(`user:${await app.makeKey()}`)}` }
  for (const method of ['GET', 'DELETE']) {
    const trigger = { method, target: SELF }
    await assertUnauthorized(app, { code: 'KEY_REQUIRED', wwwAuthenticate: 'Bearer' }, [
      trigger,
      { ...trigger, headers },
    ])
  }
})

test('KEY_INVALID: 401 for a malformed, unknown, wrong or revoked key, in either header', async (t) => {
  const app = await runKeyedApp(t)
  const marked = `svk_aaaaaaaaaaaaaaaa_${ECHO_MARKER.padEnd(43, 'x')}`
  const both = { 'X-SVC-Key': await app.makeKey(), Authorization: `Bearer ${marked}` }
  const keys = [ECHO_MARKER, marked, ...Object.values(await makeRefusedKeys(app))]
  await assertUnauthorized(app, { code: 'KEY_INVALID', wwwAuthenticate: INVALID_TOKEN }, [
    ...keys.flatMap((key) => [
      { method: 'GET', target: '/api/v1/status', headers: { 'X-SVC-Key': key } },
      { method: 'DELETE', target: SELF, headers: { Authorization: `Bearer ${key}` } },
    ]),
    { method: 'GET', target: '/api/v1/status', headers: both },
  ])
})

test('KEY_EXPIRED: a key past its time is 401', async (t) => {
  const app = await runKeyedApp(t)
  const headers = { Authorization: `Bearer ${await app.makeKey({ ttlDays: 1 })}` }
  app.clock.ms += 86_400_000
  const requests = [...READS, { method: 'POST', target: KEYS }]
  await assertUnauthorized(
    app,
    { code: 'KEY_EXPIRED', wwwAuthenticate: INVALID_TOKEN },
    requests.map((each) => ({ ...each, headers })),
  )
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

const failing = (code: StorageFailure) => () =>
  Promise.reject(new StorageError(code, 'service.sqlite'))

for (const [title, options, triggers] of [
  ['while issuance is paused no request gets a key', { isOpen: false }, [POST]],
  [
    'a key that cannot be looked up is refused, not served as anonymous',
    { store: (store) => ({ ...store, find: failing('IO') }) },
    READS,
  ],
  [
    'a key that cannot be counted is refused',
    {
      counters: (counters) => ({
        ...counters,
        count: () => Promise.reject(new CountersError('The primary is gone')),
      }),
    },
    READS,
  ],
  [
    'a key that cannot be stored is not returned',
    { store: (store) => ({ ...store, add: failing('FULL') }) },
    [POST],
  ],
  [
    '503 at the maximum number of active keys',
    { store: (store) => ({ ...store, add: () => Promise.resolve('full') }) },
    [POST],
  ],
] as const satisfies readonly (readonly [string, KeyedAppOptions, readonly Trigger[]])[]) {
  test(`KEYS_UNAVAILABLE: ${title}`, async (t) => {
    const app = await runKeyedApp(t, options)
    const key = await app.makeKey()
    for (const trigger of triggers) {
      const isRead = trigger.method !== 'POST'
      await assertCatalogError(
        app,
        isRead ? { ...trigger, headers: { 'X-SVC-Key': key } } : trigger,
        { code: 'KEYS_UNAVAILABLE', status: 503, retryable: true, cors: trigger.method === 'GET' },
      )
    }
  })
}
