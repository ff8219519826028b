import assert from 'node:assert/strict'
import fs, { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { CommandFailure } from '@public-api/cli-kit/command'
import { parseKeyRecordJson, parseKeyRecordText } from '@public-api/cli/src/pinning/key-record.ts'
import { formatInstant } from '@public-api/contract/text/instant'
import { createSigningKey, promoteSigningKey, retireSigningKey } from '../../src/cli/signing-key.ts'
import type { Config } from '../../src/config.ts'
import { derivePublicSigningKey, SigningKeyError } from '../../src/crypto/signing-keys.ts'
import { inspectSecrets } from '../../src/secrets.ts'
import { configureSecrets, pemOf } from '../support/configured-secrets.ts'
import { listFolder } from '../support/deployment.ts'
import { failedWith, succeeded, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from '../vectors/signing-key.ts'

const NOW_MS = Date.UTC(2026, 5, 1, 12)
const HOUR_MS = 3_600_000
const NO_PERIOD = { notBefore: null, notAfter: null }

/** What the server would sign with and publish if it started at this time. */
function loadedKeys(config: Config, nowMs: number) {
  const { secrets, mistakes } = inspectSecrets(config, nowMs)
  assert.deepEqual(mistakes, [])
  assert.ok(secrets.signingKey)
  return {
    signs: derivePublicSigningKey(secrets.signingKey).keyId,
    published: secrets.publishedKeys?.map(({ keyId, status }) => [keyId, status]),
  }
}

function fileIn(config: Config, name: string): string {
  return path.join(config.secretsDir, name)
}

function failureFrom(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    assert.ok(error instanceof CommandFailure || error instanceof SigningKeyError)
    return error.message
  }
  return ''
}

/** A folder in which `next` is announced beside the first key. */
function announcedKeys(t: TestContext) {
  const config = configureSecrets(t)
  const first = createSigningKey(config, NO_PERIOD, NOW_MS)
  const next = createSigningKey(config, NO_PERIOD, NOW_MS)
  return { config, first, next }
}

test('the first key signs, the second one is announced, and only the owner can read them', (t) => {
  const { config, first, next } = announcedKeys(t)
  assert.equal(first.notBefore, formatInstant(NOW_MS))
  assert.deepEqual(loadedKeys(config, NOW_MS), {
    signs: first.keyId,
    published: [
      [first.keyId, 'current'],
      [next.keyId, 'next'],
    ],
  })
  for (const file of ['signing-key.pem', 'signing-key-next.pem']) {
    assert.equal(statSync(fileIn(config, file)).mode & 0o777, 0o600)
  }
})

test('a key without metadata is listed when the next one is announced', (t) => {
  const config = configureSecrets(t, { 'signing-key.pem': pemOf(TEST_SIGNING_KEY) })
  const next = createSigningKey(config, NO_PERIOD, NOW_MS)
  assert.deepEqual(loadedKeys(config, NOW_MS).published, [
    [derivePublicSigningKey(TEST_SIGNING_KEY).keyId, 'current'],
    [next.keyId, 'next'],
  ])
})

test('a promotion signs with the announced key and keeps the one before it published', (t) => {
  const { config, first, next } = announcedKeys(t)
  const laterMs = NOW_MS + HOUR_MS
  promoteSigningKey(config, laterMs, HOUR_MS)
  assert.deepEqual(loadedKeys(config, laterMs), {
    signs: next.keyId,
    published: [
      [next.keyId, 'current'],
      [first.keyId, 'retired'],
    ],
  })
  assert.deepEqual(listFolder(config.secretsDir), ['signing-key.pem', 'signing-keys.json'])
})

test('a promotion that was interrupted after its commit is served as promoted, and a second run finishes it', (t) => {
  const { config, first, next } = announcedKeys(t)
  const [current, announced] = ['signing-key.pem', 'signing-key-next.pem'].map((name) =>
    readFileSync(fileIn(config, name), 'utf8'),
  )
  promoteSigningKey(config, NOW_MS, HOUR_MS)
  // The state between the two writes: the metadata is new, the private keys lie as before.
  writeFileSync(fileIn(config, 'signing-key.pem'), current ?? '')
  writeFileSync(fileIn(config, 'signing-key-next.pem'), announced ?? '')
  assert.equal(loadedKeys(config, NOW_MS).signs, next.keyId)
  assert.equal(promoteSigningKey(config, NOW_MS, HOUR_MS).keyId, next.keyId)
  assert.deepEqual(listFolder(config.secretsDir), ['signing-key.pem', 'signing-keys.json'])
  const promoted = [
    [next.keyId, 'current'],
    [first.keyId, 'retired'],
  ]
  assert.deepEqual(loadedKeys(config, NOW_MS).published, promoted)
  // A new key finishes it too, and is another one than the promoted key.
  writeFileSync(fileIn(config, 'signing-key.pem'), current ?? '')
  writeFileSync(fileIn(config, 'signing-key-next.pem'), announced ?? '')
  const { keyId } = createSigningKey(config, NO_PERIOD, NOW_MS)
  assert.deepEqual(loadedKeys(config, NOW_MS), {
    signs: next.keyId,
    published: [...promoted, [keyId, 'next']],
  })
})

test('an announced private key without its metadata is announced rather than replaced', (t) => {
  const config = configureSecrets(t, {
    'signing-key.pem': pemOf(TEST_SIGNING_KEY),
    'signing-key-next.pem': pemOf(OTHER_TEST_SIGNING_KEY),
  })
  const { keyId } = createSigningKey(config, NO_PERIOD, NOW_MS)
  assert.equal(keyId, derivePublicSigningKey(OTHER_TEST_SIGNING_KEY).keyId)
})

test('a refused change writes nothing', (t) => {
  const { config, first, next } = announcedKeys(t)
  const snapshot = () =>
    listFolder(config.secretsDir).map((name) => readFileSync(fileIn(config, name), 'utf8'))
  const before = snapshot()
  assert.match(
    failureFrom(() => createSigningKey(config, NO_PERIOD, NOW_MS)),
    /promote or retire it first/,
  )
  assert.match(
    failureFrom(() => retireSigningKey(config, first.keyId, formatInstant(NOW_MS))),
    /current/,
  )
  const other = pemOf(OTHER_TEST_SIGNING_KEY)
  const announced = readFileSync(fileIn(config, 'signing-key-next.pem'), 'utf8')
  writeFileSync(fileIn(config, 'signing-key-next.pem'), other)
  assert.match(
    failureFrom(() => promoteSigningKey(config, NOW_MS, HOUR_MS)),
    new RegExp(`expected the private key of ${next.keyId}`),
  )
  writeFileSync(fileIn(config, 'signing-key-next.pem'), announced)
  assert.deepEqual(snapshot(), before)
})

test('a withdrawn key is gone with its private half', (t) => {
  const { config, first, next } = announcedKeys(t)
  assert.equal(retireSigningKey(config, next.keyId, formatInstant(NOW_MS)), 'withdrawn')
  assert.deepEqual(loadedKeys(config, NOW_MS).published, [[first.keyId, 'current']])
  assert.deepEqual(listFolder(config.secretsDir), ['signing-key.pem', 'signing-keys.json'])
})

test('a withdrawal that was interrupted while it deleted the private key can be repeated', (t) => {
  const { config, first, next } = announcedKeys(t)
  const removal = t.mock.method(fs, 'rmSync', () => {
    throw new Error('EIO')
  })
  syncBuiltinESMExports()
  const failure = failureFrom(() => retireSigningKey(config, next.keyId, formatInstant(NOW_MS)))
  removal.mock.restore()
  syncBuiltinESMExports()
  assert.match(failure, /could not be written/)
  assert.equal(retireSigningKey(config, next.keyId, formatInstant(NOW_MS)), 'withdrawn')
  assert.deepEqual(loadedKeys(config, NOW_MS).published, [[first.keyId, 'current']])
  assert.deepEqual(listFolder(config.secretsDir), ['signing-key.pem', 'signing-keys.json'])
})

test('the metadata keeps its mode, and a current key without its private half is refused', (t) => {
  const { config } = announcedKeys(t)
  const metadata = fileIn(config, 'signing-keys.json')
  chmodSync(metadata, 0o640)
  promoteSigningKey(config, NOW_MS, HOUR_MS)
  assert.equal(statSync(metadata).mode & 0o777, 0o640)
  rmSync(fileIn(config, 'signing-key.pem'))
  assert.match(
    failureFrom(() => createSigningKey(config, NO_PERIOD, NOW_MS)),
    /marks a key as current, but \S+signing-key\.pem does not exist/,
  )
})

test('keys in variables are left to the operator', (t) => {
  const config = configureSecrets(t, {}, { SVC_SIGNING_KEY: pemOf(TEST_SIGNING_KEY) })
  assert.match(
    failureFrom(() => createSigningKey(config, NO_PERIOD, NOW_MS)),
    /^SVC_SIGNING_KEY is set/,
  )
})

test('the program lists, announces and promotes, as text and as JSON', async (t) => {
  const folder = temporaryFolder(t)
  const svc = (...args: string[]) => svcIn(folder, ['signing-key', ...args])
  const empty = await svc('list')
  assert.deepEqual([empty.status, empty.error], [0, ''])
  assert.equal((await svc('new')).status, 0)
  const announced = await svc('new', '--not-after', '2999-01-01T00:00:00Z', '--json')
  const { key } = JSON.parse(announced.out) as { key: { keyId: string; status: string } }
  assert.equal(key.status, 'next')
  const refused = await svc('new', '--json')
  assert.equal(refused.status, 1)
  assert.match(refused.error, /^error: expected no announced key, found /)
  assert.partialDeepStrictEqual(JSON.parse(refused.out), { ok: false, code: 'SIGNING_KEYS' })
  assert.match(
    (await svc('promote')).out,
    new RegExp(`^Promoted signing key ${key.keyId} in \\S+secrets\\.\n`),
  )
  const { keys } = JSON.parse((await svc('list', '--json')).out) as { keys: readonly unknown[] }
  assert.equal(keys.length, 2)
  assert.partialDeepStrictEqual(keys, [
    { status: 'retired', privateKey: null },
    { keyId: key.keyId, status: 'current', period: 'valid' },
  ])
  const wrong = await svc('new', '--not-before', 'tomorrow')
  assert.deepEqual([wrong.status, wrong.out], [2, ''])
  assert.match(wrong.error, /--not-before expects a time such as \S+Z or \S+\+07:00/)
  assert.equal((await svc('retire', 'short')).status, 2)
  assert.match((await svc('new')).out, /wait for two days after the reload, because clients/)
})

test('the record of the keys is read back by --pin-from', async (t) => {
  const { config, first, next } = announcedKeys(t)
  const env = { SVC_SECRETS_DIR: config.secretsDir }
  const print = (...more: readonly string[]) =>
    svcIn(
      config.secretsDir,
      ['signing-key', 'record', '--host', 'api.example.org', '--json', ...more],
      { env },
    )
  const log = 'api.example.org/log+23e81afd+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c'
  const ids = `v=svc1; kid=${first.keyId}; next=${next.keyId}`
  const keys = { kid: first.keyId, next: next.keyId }
  for (const [more, expected, record] of [
    [[], ids, keys],
    [['--log', log], `${ids}; log=${log}`, { ...keys, log }],
  ] as const) {
    const out = succeeded(await print(...more))
    const { name, txt, file } = JSON.parse(out) as { readonly [member: string]: string }
    assert.equal(name, '_public-api-key.api.example.org')
    assert.equal(txt, expected)
    assert.deepEqual(parseKeyRecordText(txt ?? ''), record)
    assert.deepEqual(parseKeyRecordJson(file, 'api.example.org'), record)
  }
  const wrong = failedWith(2, await print('--log', 'a; kid=b'))
  assert.match(wrong, /--log expects the verifier key of a log/)
})
