import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import {
  parsePrivateSigningKey,
  derivePublicSigningKey,
  SigningKeyError,
} from '../../src/crypto/signing-keys.ts'
import { TEST_SIGNING_KEY } from '../vectors/signing-key.ts'

const PRIVATE_PEM = TEST_SIGNING_KEY.export({ type: 'pkcs8', format: 'pem' })
const PUBLIC_PEM = createPublicKey(TEST_SIGNING_KEY).export({ type: 'spki', format: 'pem' })

test('the key ID is the thumbprint of RFC 8037 appendix A.3', () => {
  const key = derivePublicSigningKey(TEST_SIGNING_KEY)
  assert.equal(key.keyId, 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  assert.deepEqual(key.jwk, {
    kty: 'OKP',
    crv: 'Ed25519',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    alg: 'Ed25519',
    use: 'sig',
    kid: key.keyId,
  })
})

test('the public PEM matches the private key and contains nothing private', () => {
  const key = derivePublicSigningKey(TEST_SIGNING_KEY)
  assert.deepEqual(derivePublicSigningKey(PUBLIC_PEM), key)
  assert.equal(key.publicKeyPem, PUBLIC_PEM)
  const { d } = TEST_SIGNING_KEY.export({ format: 'jwk' })
  assert.ok(d !== undefined && !JSON.stringify(key).includes(d))
})

test('parses a private key from PKCS#8 PEM', () => {
  assert.ok(parsePrivateSigningKey(PRIVATE_PEM).equals(TEST_SIGNING_KEY))
})

function refuses(read: () => unknown, message: RegExp): void {
  assert.throws(read, (error) => {
    assert.ok(error instanceof SigningKeyError)
    assert.match(error.message, message)
    return true
  })
}

test('rejects values that are not Ed25519 private keys without quoting them', () => {
  const expected = /^expected an Ed25519 private key in PKCS#8 PEM/
  for (const text of ['', 'text', PUBLIC_PEM, PRIVATE_PEM.replace('MC4C', 'MC4D')]) {
    refuses(() => parsePrivateSigningKey(text), expected)
  }
  const forms: readonly (readonly [text: string, found: RegExp])[] = [
    [PRIVATE_PEM.replaceAll('\n', String.raw`\n`), /found \\n in place of line breaks$/],
    [PRIVATE_PEM.replaceAll('\n', ' '), /found one line; line breaks are missing$/],
    [PRIVATE_PEM.replaceAll('\n', ''), /found one line; line breaks are missing$/],
    [`"${PRIVATE_PEM.replaceAll('\n', String.raw`\n`)}"`, /found \\n in place of line breaks$/],
    [`'${PRIVATE_PEM}'`, /found quotation marks around it$/],
    [PUBLIC_PEM, /found a public key$/],
    [PRIVATE_PEM.replaceAll(/---.*---\n/g, ''), /found base64 without the lines BEGIN and END$/],
    [Buffer.from(PRIVATE_PEM).toString('base64'), /found the base64 of a PEM; decode it$/],
  ]
  for (const [text, found] of forms) refuses(() => parsePrivateSigningKey(text), found)
  const encrypted = TEST_SIGNING_KEY.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  })
  refuses(() => parsePrivateSigningKey(encrypted), expected)
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const pem = elliptic.export({ type: 'pkcs8', format: 'pem' })
  refuses(() => parsePrivateSigningKey(pem), /^expected an Ed25519 key, found ec$/)
})

test('rejects values that are not Ed25519 public keys', () => {
  refuses(() => derivePublicSigningKey('text'), /^expected an Ed25519 public key in PEM$/)
  refuses(() => derivePublicSigningKey(PRIVATE_PEM), /found a private key$/)
  const { publicKey } = generateKeyPairSync('ed448')
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  refuses(() => derivePublicSigningKey(pem), /^expected an Ed25519 key, found ed448$/)
})
