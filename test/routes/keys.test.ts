import assert from 'node:assert/strict'
import { createHash, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { ask, assertSigned, publishedKey } from '../support/received-response.ts'
import { otherSigningKey, runApp, TEST_SIGNING_KEY, testSigning } from '../support/running-app.ts'
import { assertRead } from '../support/successful-read.ts'

test('the signing-key document has the signing key in consistent formats', async (t) => {
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

test('responses signed by another key do not verify with the first one', async (t) => {
  const app = await runApp(t)
  const other = await runApp(t, { signing: testSigning(otherSigningKey()) })
  const response = await ask(other, '/api/v1/status')
  assertSigned(response, await publishedKey(other))
  const wrong = await publishedKey(app)
  assert.throws(() => assertSigned(response, wrong), /does not verify/)
})
