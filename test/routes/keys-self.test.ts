import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { DATA_SCHEMAS } from '@public-api/contract/registry/schemas'
import { schemaCheck } from '../documents/document-schemas.ts'
import { runKeyedApp, SELF, type KeyedApp, withKey } from '../support/keyed-app.ts'
import {
  ask,
  assertSigned,
  codeOf,
  envelopeOf,
  etagOf,
  publishedKey,
} from '../support/received-response.ts'
import { TEST_NOW_MS } from '../support/running-app.ts'

const DAY_MS = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()

async function statusOf(app: KeyedApp, key: string): Promise<number> {
  return (await ask(app, SELF, withKey(key))).status
}

test('keys/self has exactly the promised fields of the key', async (t) => {
  const app = await runKeyedApp(t)
  const published = await publishedKey(app)
  for (const { label, ttlDays } of [
    { label: null, ttlDays: 90 },
    { label: 'ci mirror_1.2-x', ttlDays: 1 },
    { label: 'L'.repeat(40), ttlDays: 365 },
  ]) {
    const createdAtMs = app.clock.ms
    const key = await app.makeKey({ label, ttlDays })
    app.clock.ms += 1234
    const response = await ask(app, SELF, withKey(key))
    assert.equal(response.status, 200)
    const { data, ...envelope } = envelopeOf(response)
    assert.deepEqual(envelope, {
      ok: true,
      schema: 'svc.public.api.response.v1',
      requestId: response.header('x-request-id'),
      issuedAt: iso(app.clock.ms),
    })
    assert.deepEqual(schemaCheck(DATA_SCHEMAS.KeyMetadata)(data), [])
    assert.deepEqual(data, {
      keyId: sliceKeyId(key),
      scope: 'read',
      label,
      status: 'active',
      createdAt: iso(createdAtMs),
      expiresAt: iso(createdAtMs + ttlDays * DAY_MS),
      quota: { limit: 600, remaining: 599, resetSeconds: 60, windowSeconds: 60 },
    })
    assert.equal(response.header('cache-control'), 'no-store')
    assert.equal(response.header('vary'), undefined)
    assert.equal(response.header('access-control-allow-origin'), '*')
    assert.equal(response.header('etag'), etagOf(data))
    assertSigned(response, published)
    assert.ok(!response.bytes.toString().includes(key.slice(21)))
  }
})

test('the quota in the body equals that of the headers', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  for (const [waitMs, remaining, resetSeconds] of [
    [0, 599, 60],
    [1, 598, 60],
    [998, 597, 60],
    [1, 596, 59],
    [58_999, 595, 1],
    [0, 594, 1],
    [1, 599, 60],
  ] as const) {
    app.clock.ms += waitMs
    const response = await ask(app, SELF, withKey(key))
    assert.deepEqual(envelopeOf(response).data['quota'], {
      limit: 600,
      remaining,
      resetSeconds,
      windowSeconds: 60,
    })
    assert.equal(response.header('x-ratelimit-limit'), '600')
    assert.equal(response.header('x-ratelimit-remaining'), String(remaining))
    assert.equal(response.header('x-ratelimit-reset'), String(resetSeconds))
  }
})

test('DELETE revokes the key and later requests are refused', async (t) => {
  const app = await runKeyedApp(t)
  const published = await publishedKey(app)
  const [key, other] = [await app.makeKey({ label: 'one' }), await app.makeKey()]
  app.clock.ms += 5000
  const revokedAt = iso(app.clock.ms)
  const response = await ask(app, SELF, withKey(key, 'DELETE'))
  assert.equal(response.status, 200)
  const { data } = envelopeOf(response)
  assert.deepEqual(schemaCheck(DATA_SCHEMAS.RevokedKey)(data), [])
  assert.deepEqual(data, { keyId: sliceKeyId(key), status: 'revoked', revokedAt })
  assert.equal(response.header('cache-control'), 'no-store')
  assert.equal(response.header('x-ratelimit-remaining'), '599')
  for (const name of ['etag', 'vary', 'access-control-allow-origin', 'link']) {
    assert.equal(response.header(name), undefined, name)
  }
  assertSigned(response, published)

  for (const [method, target] of [
    ['GET', SELF],
    ['DELETE', SELF],
    ['GET', '/api/v1/status'],
    ['HEAD', '/api/v1/status'],
  ] as const) {
    app.clock.ms += 100
    const refused = await ask(app, target, withKey(key, method))
    assert.equal(refused.status, 401, `${method} ${target}`)
    if (method !== 'HEAD') assert.equal(codeOf(refused), 'KEY_INVALID')
  }
  assert.equal(await statusOf(app, other), 200)
  const rows = await app.rows()
  const revoked = rows.find(({ keyId }) => keyId === sliceKeyId(key))
  assert.equal(revoked?.revokedAtMs, TEST_NOW_MS + 5000, 'the first time is kept')
  assert.equal(rows.filter(({ revokedAtMs }) => revokedAtMs !== null).length, 1)
  // Neither the passing of time nor the end of its life makes it anything but invalid.
  app.clock.ms += 400 * DAY_MS
  assert.equal(codeOf(await ask(app, SELF, withKey(key))), 'KEY_INVALID')
})

test('concurrent revocations return the same time, and later ones are refused', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => ask(app, SELF, withKey(key, 'DELETE'))),
  )
  const done = responses.filter(({ status }) => status === 200)
  assert.ok(done.length >= 1)
  assert.equal(new Set(done.map((each) => envelopeOf(each).data['revokedAt'])).size, 1)
  for (const each of responses) {
    if (each.status !== 200) assert.equal(codeOf(each), 'KEY_INVALID')
  }
  assert.equal(await statusOf(app, key), 401)
})

test('a key is not revoked by another key, a body, a query or a GET', async (t) => {
  const app = await runKeyedApp(t)
  const [key, other] = [await app.makeKey(), await app.makeKey()]
  const keyId = sliceKeyId(key)
  const headers = { 'X-SVC-Key': other, 'Content-Type': 'application/json' }
  for (const override of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
    await ask(app, `${SELF}?_method=DELETE`, { headers: { ...headers, [override]: 'DELETE' } })
  }
  assert.equal((await ask(app, `/api/v1/keys/${keyId}`, { method: 'DELETE', headers })).status, 404)
  assert.equal(await statusOf(app, other), 200)
  const response = await ask(app, `${SELF}?keyId=${keyId}`, {
    method: 'DELETE',
    headers,
    body: JSON.stringify({ keyId, key }),
  })
  assert.equal(envelopeOf(response).data['keyId'], sliceKeyId(other))
  assert.equal(await statusOf(app, key), 200)
  assert.equal(await statusOf(app, other), 401)
})
