import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { formatInstant } from '@public-api/contract/text/instant'
import { ConfigError } from '../src/config-mistake.ts'
import { derivePublicSigningKey } from '../src/crypto/signing-keys.ts'
import { openSecrets } from '../src/local-secrets.ts'
import { inspectSecretsLines as inspectSecrets } from './support/config-lines.ts'
import { configureSecrets, noteKeys, pemOf } from './support/configured-secrets.ts'
import { listFolder } from './support/deployment.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from './vectors/signing-key.ts'

const NOW_MS = Date.UTC(2026, 5, 1, 12, 0, 0)

/** The one mistake in the metadata of signing keys, without its place; undefined if the metadata is valid. */
function noteMistake(t: TestContext, text: string, key: KeyObject | null = TEST_SIGNING_KEY) {
  const config = configureSecrets(t, {
    'signing-keys.json': text,
    ...(key === null ? {} : { 'signing-key.pem': pemOf(key) }),
  })
  const { mistakes } = inspectSecrets(config, NOW_MS)
  assert.ok(mistakes.length <= 1, mistakes.join('\n'))
  const file = path.join(config.secretsDir, 'signing-keys.json')
  assert.ok(mistakes.every((mistake) => mistake.startsWith(`${file}: expected `)))
  return mistakes[0]?.slice(file.length + 2)
}

test('publishes next and retired keys after the current one, with their dates', (t) => {
  const retired = generateKeyPairSync('ed25519').privateKey
  const config = configureSecrets(t, {
    'signing-key.pem': pemOf(TEST_SIGNING_KEY),
    'signing-keys.json': noteKeys(
      [retired, 'retired', '2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
      [OTHER_TEST_SIGNING_KEY, 'next', '2027-01-01T00:00:00.000Z'],
      [TEST_SIGNING_KEY, 'current', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ),
  })
  const { mistakes, secrets } = inspectSecrets(config, NOW_MS)
  assert.deepEqual(mistakes, [])
  const published = secrets.publishedKeys?.map(({ keyId, status, notBefore, notAfter }) => [
    keyId,
    status,
    notBefore,
    notAfter,
  ])
  assert.deepEqual(published, [
    [
      derivePublicSigningKey(TEST_SIGNING_KEY).keyId,
      'current',
      '2026-01-01T00:00:00Z',
      '2027-01-01T00:00:00Z',
    ],
    [
      derivePublicSigningKey(retired).keyId,
      'retired',
      '2025-01-01T00:00:00Z',
      '2026-01-01T00:00:00Z',
    ],
    [
      derivePublicSigningKey(OTHER_TEST_SIGNING_KEY).keyId,
      'next',
      '2027-01-01T00:00:00.000Z',
      null,
    ],
  ])
})

test('publishes the current key without dates if it has no metadata', (t) => {
  assert.equal(noteMistake(t, noteKeys([OTHER_TEST_SIGNING_KEY, 'next'])), undefined)
  const config = configureSecrets(t, { 'signing-key.pem': pemOf(TEST_SIGNING_KEY) })
  const [current] = inspectSecrets(config, NOW_MS).secrets.publishedKeys
  assert.deepEqual(
    [current?.status, current?.notBefore, current?.notAfter],
    ['current', null, null],
  )
})

test('a current key that is not the private one is refused', (t) => {
  const expected = 'expected the key marked current to be the one of the private signing key'
  assert.equal(noteMistake(t, noteKeys([OTHER_TEST_SIGNING_KEY, 'current'])), expected)
  const both = noteKeys([TEST_SIGNING_KEY, 'current'], [OTHER_TEST_SIGNING_KEY, 'current'])
  assert.equal(noteMistake(t, both), expected)
})

test('refuses a private key whose metadata says retired or next', (t) => {
  for (const status of ['retired', 'next']) {
    assert.equal(
      noteMistake(t, noteKeys([TEST_SIGNING_KEY, status])),
      `expected the key of the private signing key to be marked current, found it marked ${status}`,
    )
  }
})

test('refuses a current key without its private key in either runtime and creates nothing', async (t) => {
  const text = noteKeys([TEST_SIGNING_KEY, 'current'])
  assert.match(
    noteMistake(t, text, null) ?? '',
    /^expected no key marked current without its private half, in SVC_SIGNING_KEY or \S+signing-key\.pem$/,
  )
  const config = configureSecrets(t, { 'signing-keys.json': text })
  await assert.rejects(openSecrets(config, NOW_MS), ConfigError)
  assert.deepEqual(listFolder(config.secretsDir), ['signing-keys.json'])
})

test('metadata of other keys lets the local runtime create its own key', async (t) => {
  const config = configureSecrets(t, {
    'signing-keys.json': noteKeys([OTHER_TEST_SIGNING_KEY, 'retired']),
  })
  const { secrets } = await openSecrets(config, NOW_MS)
  assert.deepEqual(
    secrets.publishedKeys.map(({ status }) => status),
    ['current', 'retired'],
  )
})

test('refuses duplicate metadata of a key', (t) => {
  const twice = noteKeys([OTHER_TEST_SIGNING_KEY, 'next'], [OTHER_TEST_SIGNING_KEY, 'retired'])
  assert.equal(noteMistake(t, twice), 'expected each public key once, found one twice')
})

test('dates are existing UTC timestamps in order', (t) => {
  for (const date of [
    '2026-01-31',
    '2026-02-30T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:00:00+01:00',
    'March 7, 2026',
    '',
    1_767_225_600_000,
    false,
  ]) {
    const mistake = noteMistake(t, noteKeys([TEST_SIGNING_KEY, 'current', date])) ?? ''
    assert.match(mistake, /^expected JSON of the form .* times such as 2026-01-31T00:00:00Z/)
  }
  const day = '2026-01-01T00:00:00Z'
  for (const [from, until] of [
    [day, day],
    ['2026-01-02T00:00:00Z', day],
  ]) {
    assert.equal(
      noteMistake(t, noteKeys([TEST_SIGNING_KEY, 'current', from, until])),
      `expected notBefore to be earlier than notAfter, found ${from} and ${until}`,
    )
  }
})

test('refuses a current key before its period and accepts one after it', (t) => {
  const soon = formatInstant(NOW_MS + 1)
  assert.equal(
    noteMistake(t, noteKeys([TEST_SIGNING_KEY, 'current', soon])),
    `expected notBefore of the current key to be in the past, found ${soon}; verifiers would refuse its signatures until then`,
  )
  for (const [from, until] of [
    [formatInstant(NOW_MS), null],
    ['2025-01-01T00:00:00Z', formatInstant(NOW_MS - 1)],
  ]) {
    assert.equal(noteMistake(t, noteKeys([TEST_SIGNING_KEY, 'current', from, until])), undefined)
  }
  assert.equal(noteMistake(t, noteKeys([OTHER_TEST_SIGNING_KEY, 'next', soon])), undefined)
})

test('refuses malformed metadata and a private key in the metadata file', (t) => {
  const publicKeyPem = derivePublicSigningKey(OTHER_TEST_SIGNING_KEY).publicKeyPem
  const note = { publicKeyPem, status: 'next', notBefore: null, notAfter: null }
  for (const value of [
    null,
    [],
    {},
    { keys: {} },
    { keys: [null] },
    { keys: [{ ...note, status: 'previous' }] },
    { keys: [{ ...note, publicKeyPem: 1 }] },
    { keys: [{ publicKeyPem, status: 'next' }] },
  ]) {
    assert.match(noteMistake(t, JSON.stringify(value)) ?? '', /^expected JSON of the form/)
  }
  const withPem = (pem: string) => JSON.stringify({ keys: [{ ...note, publicKeyPem: pem }] })
  assert.equal(noteMistake(t, withPem('x')), 'expected an Ed25519 public key in PEM')
  assert.equal(
    noteMistake(t, withPem(pemOf(OTHER_TEST_SIGNING_KEY))),
    'expected an Ed25519 public key in PEM, found a private key',
  )
})
