import assert from 'node:assert/strict'
import { test } from 'node:test'
import { derivePublicSigningKey } from '../../../src/crypto/signing-keys.ts'
import {
  describeSigningKeys,
  type PublishedSigningKey,
} from '../../../src/service/signing-keys/signing-key-document.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from '../../vectors/signing-key.ts'

const current: PublishedSigningKey = {
  ...derivePublicSigningKey(TEST_SIGNING_KEY),
  status: 'current',
  notBefore: '2026-01-01T00:00:00Z',
  notAfter: null,
}
const next: PublishedSigningKey = {
  ...derivePublicSigningKey(OTHER_TEST_SIGNING_KEY),
  status: 'next',
  notBefore: null,
  notAfter: null,
}

test('the document lists the current key first and describes the signed texts and headers', () => {
  assert.deepEqual(describeSigningKeys([next, current]), {
    keyId: current.keyId,
    algorithm: 'Ed25519',
    keys: [current, next],
    signedText: [
      'svc-response-v1',
      '{method}',
      '{path-and-query}',
      '{status}',
      '{signed-at}',
      '{content-digest}',
    ],
    revalidationText: [
      'svc-revalidation-v1',
      '{method}',
      '{path-and-query}',
      '304',
      '{signed-at}',
      '{etag}',
    ],
    headers: {
      contentDigest: 'Content-Digest',
      signedAt: 'X-SVC-Signed-At',
      signature: 'X-SVC-Signature',
      revalidated: 'X-SVC-Revalidated',
    },
    maxAgeSeconds: 900,
  })
})

test('publishes only the described members of a key', () => {
  const [key] = describeSigningKeys([{ ...current, secret: 'd' } as PublishedSigningKey]).keys
  assert.deepEqual(Object.keys(key ?? {}), [
    'keyId',
    'status',
    'jwk',
    'publicKeyPem',
    'notBefore',
    'notAfter',
  ])
})

test('without a current key the document is undefined', () => {
  assert.throws(() => describeSigningKeys([]), /Expected one current signing key/)
  assert.throws(() => describeSigningKeys([next]), /Expected one current signing key/)
})
