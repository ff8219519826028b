import assert from 'node:assert/strict'
import { createHash, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { DATA_SCHEMAS } from '../../src/contract/schemas.ts'
import { schemaCheck } from '../documents/document-schemas.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { otherSigningKey, runApp, TEST_SIGNING_KEY, testSigning } from '../support/running-app.ts'
import { ask, assertSigned, envelopeOf, etagOf, publishedKey } from '../support/signed-answer.ts'
import { assertRead } from '../support/successful-read.ts'

const SELF = '/api/v1/keys/self'

test('the signing-key document holds the key that signs, in forms that agree with each other', async (t) => {
  const app = await runApp(t)
  const data = await assertRead(app, '/api/v1/keys/signing-key', {
    schema: 'SigningKeys',
    cacheClass: 'static-snapshot',
  })
  const [key, ...others] = data['keys'] as readonly {
    readonly keyId: string
    readonly status: string
    readonly jwk: { readonly crv: string; readonly kty: string; readonly x: string }
    readonly publicKeyPem: string
  }[]
  assert.ok(key)
  assert.deepEqual(others, [])
  assert.equal(key.status, 'current')
  // RFC 7638 and RFC 8037: the thumbprint is over these three members in this order.
  const { crv, kty, x } = key.jwk
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv, kty, x }))
    .digest('base64url')
  assert.equal(key.keyId, thumbprint)
  assert.equal(data['keyId'], thumbprint)
  const fromPem = createPublicKey(key.publicKeyPem).export({ format: 'jwk' })
  assert.deepEqual(fromPem, createPublicKey(TEST_SIGNING_KEY).export({ format: 'jwk' }))
  assert.equal(fromPem.x, x)
  assert.deepEqual(data['signedText'], [
    'svc-response-v1',
    '{method}',
    '{path-and-query}',
    '{status}',
    '{signed-at}',
    '{content-digest}',
  ])
  assert.deepEqual(data['revalidationText'], [
    'svc-revalidation-v1',
    '{method}',
    '{path-and-query}',
    '304',
    '{signed-at}',
    '{etag}',
  ])
  assert.equal(data['maxAgeSeconds'], 900)
})

test('another key signs other answers, and the first one does not verify them', async (t) => {
  const app = await runApp(t)
  const other = await runApp(t, { signing: testSigning(otherSigningKey()) })
  const answer = await ask(other, '/api/v1/status')
  assertSigned(answer, await publishedKey(other))
  const wrong = await publishedKey(app)
  assert.throws(() => assertSigned(answer, wrong), /does not verify/)
})

test('keys/self tells what is known of the key in use, and never the secret', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  const answer = await ask(app, SELF, { headers: { Authorization: `Bearer ${FAKE_KEYS.good}` } })
  assert.equal(answer.status, 200)
  const { data } = envelopeOf(answer)
  assert.deepEqual(schemaCheck(DATA_SCHEMAS.KeyMetadata)(data), [])
  assert.deepEqual(data, {
    keyId: '0123456789abcdef',
    scope: 'read',
    label: null,
    status: 'active',
    createdAt: '2026-11-01T00:00:00.000Z',
    expiresAt: '2027-01-30T00:00:00.000Z',
    quota: { limit: 600, remaining: 599, resetSeconds: 42, windowSeconds: 60 },
  })
  assert.ok(!answer.bytes.toString().includes(FAKE_KEYS.good.slice(21)))
  assert.equal(answer.header('etag'), etagOf(data))
  assert.equal(answer.header('cache-control'), 'no-store')
  assert.equal(answer.header('access-control-allow-origin'), '*')
  assertSigned(answer, await publishedKey(app))
})

test('a revoked key is refused from the next request on', async (t) => {
  const apiKeys = createFakeApiKeys()
  const app = await runApp(t, { apiKeys })
  const headers = { 'X-SVC-Key': FAKE_KEYS.good }
  const answer = await ask(app, SELF, { method: 'DELETE', headers })
  assert.equal(answer.status, 200)
  const { data } = envelopeOf(answer)
  assert.deepEqual(schemaCheck(DATA_SCHEMAS.RevokedKey)(data), [])
  assert.deepEqual(data, {
    keyId: '0123456789abcdef',
    status: 'revoked',
    revokedAt: '2026-11-21T09:00:00.123Z',
  })
  assert.equal(answer.header('cache-control'), 'no-store')
  for (const name of ['etag', 'vary', 'access-control-allow-origin']) {
    assert.equal(answer.header(name), undefined, name)
  }
  assertSigned(answer, await publishedKey(app))
  assert.deepEqual([...apiKeys.revoked], ['0123456789abcdef'])
  assert.equal((await ask(app, SELF, { headers })).status, 401)
  assert.equal((await ask(app, SELF, { headers: { 'X-SVC-Key': FAKE_KEYS.other } })).status, 200)
})

test('with issuance open, POST /keys is no longer refused by the pause: its key, then its body, are looked at', async (t) => {
  const issuance = {
    enabled: true,
    approvedBy: 'a test',
    approvedAt: '2026-11-21',
    reference: 'this file',
  } as const
  const app = await runApp(t, { apiKeys: createFakeApiKeys(), issuance })
  const init = { method: 'POST', headers: { 'X-SVC-Key': FAKE_KEYS.expired } }
  // The key check comes after the pause, so only an open registry reaches it.
  assert.equal((await ask(app, '/api/v1/keys', init)).status, 401)
  assert.equal((await ask(app, '/api/v1/keys', { method: 'POST' })).status, 415)
})
