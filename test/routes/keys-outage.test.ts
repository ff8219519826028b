import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { CountersError } from '../../src/storage/counters/counters.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import { holdLock } from '../storage/sqlite/sqlite-fixture.ts'
import {
  GOOD_KEY_REQUEST,
  runKeyedApp,
  SELF,
  type KeyedApp,
  withKey,
} from '../support/keyed-app.ts'
import { ask, assertSigned, publishedKey, outcome } from '../support/received-response.ts'

// A key that cannot be checked is refused and never taken for anonymous; anonymous requests are not affected; and when the
// trouble is over the same process goes on.

/** With a key everything is refused, as the contract has it, and without one everything is served. */
async function assertDown(app: KeyedApp, key: string): Promise<void> {
  const published = await publishedKey(app)
  for (const target of ['/api/v1/status', SELF, '/api/v1/versions/none']) {
    const response = await ask(app, target, withKey(key))
    assert.equal(outcome(response), '503 KEYS_UNAVAILABLE', target)
    assert.match(response.bytes.toString(), /"retryable":true/)
    assert.equal(response.header('cache-control'), 'no-store')
    assert.equal(response.header('x-ratelimit-limit'), undefined)
    assertSigned(response, published)
  }
  assert.equal(outcome(await ask(app, SELF, withKey(key, 'DELETE'))), '503 KEYS_UNAVAILABLE')
  assert.equal(outcome(await ask(app, '/api/v1/status')), '200')
  assert.equal(outcome(await ask(app, SELF)), '401 KEY_REQUIRED')
}

async function assertUp(app: KeyedApp, key: string): Promise<void> {
  const response = await ask(app, SELF, withKey(key))
  assert.equal(outcome(response), '200', response.bytes.toString())
  assert.equal(outcome(await ask(app, '/api/v1/status', withKey(key))), '200')
}

async function assertIssues(app: KeyedApp): Promise<void> {
  const response = await app.post(GOOD_KEY_REQUEST)
  assert.equal(response.status, 201, response.bytes.toString())
}

test('the store’s error is logged with the request id, without the key, and not sent', async (t) => {
  const app = await runKeyedApp(t, {
    store: (store) => ({
      ...store,
      find: () => Promise.reject(new StorageError('IO', 'service.sqlite')),
    }),
  })
  const key = await app.makeKey()
  const response = await ask(app, '/api/v1/status', withKey(key))
  assert.ok(!response.bytes.toString().includes('service.sqlite'))
  const [line, ...more] = app.log
  assert.deepEqual(more, [])
  assert.ok(line?.fields['err'] instanceof StorageError)
  assert.equal(line.fields['requestId'], response.header('x-request-id'))
  assert.ok(!JSON.stringify(line).includes(sliceKeyId(key)))
})

test('during a lock, checks of keys work and changes are refused', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  const release = holdLock(t, app.file)
  const [revocation, issuance] = [
    ask(app, SELF, withKey(key, 'DELETE')),
    app.post(GOOD_KEY_REQUEST),
  ]
  for (let each = 0; each < 20; each += 1) await assertUp(app, key)
  assert.equal(outcome(await revocation), '503 KEYS_UNAVAILABLE')
  assert.equal(outcome(await issuance), '503 KEYS_UNAVAILABLE')
  // A revocation that failed has not happened: the response said so.
  await assertUp(app, key)
  release()
  await assertIssues(app)
  assert.equal(outcome(await ask(app, SELF, withKey(key, 'DELETE'))), '200')
  assert.equal(outcome(await ask(app, SELF, withKey(key))), '401 KEY_INVALID')
  assert.equal((await app.rows()).length, 2)
})

test('unreachable counters are an outage: no keyed request is served uncounted', async (t) => {
  let isDown = false
  const app = await runKeyedApp(t, {
    counters: (counters) => ({
      ...counters,
      count: (windows) =>
        isDown ? Promise.reject(new CountersError('The primary is gone')) : counters.count(windows),
    }),
  })
  const key = await app.makeKey()
  isDown = true
  await assertDown(app, key)
  // What is refused before it is counted is refused as ever.
  assert.equal(outcome(await ask(app, SELF, withKey('nonsense'))), '401 KEY_INVALID')
  assert.equal(outcome(await app.post(GOOD_KEY_REQUEST)), '503 KEYS_UNAVAILABLE')
  isDown = false
  await assertUp(app, key)
  assert.equal((await app.rows()).length, 1)
})
