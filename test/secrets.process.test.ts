import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { ConfigError } from '../src/config-mistake.ts'
import { derivePublicSigningKey } from '../src/crypto/signing-keys.ts'
import { openSecrets } from '../src/local-secrets.ts'
import { inspectSecretsLines as inspectSecrets } from './support/config-lines.ts'
import { configureSecrets, noteKeys, pemOf } from './support/configured-secrets.ts'
import { listFolder } from './support/deployment.ts'
import { TEST_SIGNING_KEY } from './vectors/signing-key.ts'

const NOW_MS = Date.UTC(2026, 5, 1, 12, 0, 0)
const RECIPIENT = 'age1yndu64g529zcj9txr67ysn6szmgktymx2wyutv3qzkqmvqsg9ppsn4pra5'

test('the local runtime creates only missing secrets', async (t) => {
  const config = configureSecrets(t)
  const { secrets, made } = await openSecrets(config, NOW_MS)
  assert.deepEqual(
    made.map((file) => path.basename(file)).toSorted(),
    listFolder(config.secretsDir),
  )
  assert.equal(statSync(config.secretsDir).mode & 0o777, 0o700)
  for (const file of made) assert.equal(statSync(file).mode & 0o777, 0o600, file)
  assert.match(secrets.keyHashSecret, /^[0-9a-f]{64}$/)
  assert.match(secrets.addressHashSecret, /^[0-9a-f]{64}$/)
  assert.notEqual(secrets.keyHashSecret, secrets.addressHashSecret)
  assert.equal(secrets.publishedKeys.length, 1)
  assert.equal(secrets.publishedKeys[0]?.notBefore, '2026-06-01T12:00:00.000Z')

  const again = await openSecrets(config, NOW_MS + 1)
  assert.deepEqual(again.made, [])
  assert.deepEqual(again.secrets.publishedKeys, secrets.publishedKeys)

  rmSync(path.join(config.secretsDir, 'address-hash-secret.txt'))
  const third = await openSecrets(config, NOW_MS)
  assert.deepEqual(third.made, [path.join(config.secretsDir, 'address-hash-secret.txt')])
  assert.equal(third.secrets.keyHashSecret, secrets.keyHashSecret)
  assert.notEqual(third.secrets.addressHashSecret, secrets.addressHashSecret)
})

test('the mode of a secret does not depend on the umask', async (t) => {
  for (const umask of [0o000, 0o077, 0o277]) {
    const config = configureSecrets(t)
    mkdirSync(config.secretsDir)
    const before = process.umask(umask)
    try {
      const { made } = await openSecrets(config, NOW_MS)
      assert.ok(made.length > 0)
      for (const file of made) assert.equal(statSync(file).mode & 0o777, 0o600, file)
    } finally {
      process.umask(before)
    }
  }
})

test('a start that cannot write leaves no empty secret', async (t) => {
  if (spawnSync('prlimit', ['--version']).error !== undefined) return t.skip('no prlimit here')
  const config = configureSecrets(t)
  const module = (name: string) => JSON.stringify(new URL(`../src/${name}`, import.meta.url).href)
  const program = `
    import { inspectConfig } from ${module('config.ts')}
    import { openSecrets } from ${module('local-secrets.ts')}
    await openSecrets(inspectConfig({}, ${JSON.stringify(path.dirname(config.secretsDir))}).config, 0)`
  // A file may be made and nothing written to it, as on a disk that is full.
  const { status, stderr } = spawnSync(
    'prlimit',
    ['--fsize=0', process.execPath, '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  )
  assert.equal(status, 1)
  assert.match(stderr, /a writable folder \(EFBIG/)
  assert.deepEqual(listFolder(config.secretsDir), [])
  const { made } = await openSecrets(config, NOW_MS)
  assert.deepEqual(
    made.map((file) => path.basename(file)).toSorted(),
    listFolder(config.secretsDir),
  )
})

test('restores a lost recipient from the identity, so that older rows stay readable', async (t) => {
  const config = configureSecrets(t)
  const { secrets } = await openSecrets(config, NOW_MS)
  const identity = readFileSync(path.join(config.secretsDir, 'waitlist-identity.txt'), 'utf8')
  assert.equal(await identityToRecipient(identity.trim()), secrets.waitlistRecipient)

  rmSync(path.join(config.secretsDir, 'waitlist-recipient.txt'))
  const again = await openSecrets(config, NOW_MS)
  assert.deepEqual(again.made, [path.join(config.secretsDir, 'waitlist-recipient.txt')])
  assert.equal(again.secrets.waitlistRecipient, secrets.waitlistRecipient)
})

test('accepts an identity file of age-keygen with its comments', async (t) => {
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  const text = `# created: 2026-06-01T12:00:00Z\r\n# public key: ${recipient}\r\n${identity}\r\n`
  const config = configureSecrets(t, { 'waitlist-identity.txt': text })
  const { secrets } = await openSecrets(config, NOW_MS)
  assert.equal(secrets.waitlistRecipient, recipient)
  const file = path.join(config.secretsDir, 'waitlist-identity.txt')
  assert.equal(readFileSync(file, 'utf8'), text, 'the file stays as it is')
})

test('names only the file of an unreadable identity and creates nothing', async (t) => {
  const identity = await generateX25519Identity()
  const other = await generateX25519Identity()
  const mistyped = identity.slice(0, -1) + (identity.endsWith('Q') ? 'P' : 'Q')
  for (const text of [
    mistyped,
    `# a note\n${mistyped}\n`,
    identity.slice(0, -1),
    `${identity} `.repeat(2),
    `${identity}\n${other}\n`,
    identity.toLowerCase(),
    'AGE-SECRET-KEY-1',
    '# a note alone\n',
    '',
  ]) {
    const config = configureSecrets(t, { 'waitlist-identity.txt': text })
    await assert.rejects(openSecrets(config, NOW_MS), (error) => {
      assert.ok(error instanceof ConfigError)
      const file = path.join(config.secretsDir, 'waitlist-identity.txt')
      assert.deepEqual(error.lines, [
        `${file}: expected one age identity (a line AGE-SECRET-KEY-1…)`,
      ])
      assert.equal(error.cause, undefined)
      return true
    })
    assert.deepEqual(listFolder(config.secretsDir), ['waitlist-identity.txt'])
  }
})

test('an identity that is not a file is a mistake, not a missing identity', async (t) => {
  const config = configureSecrets(t)
  mkdirSync(path.join(config.secretsDir, 'waitlist-identity.txt'), { recursive: true })
  await assert.rejects(openSecrets(config, NOW_MS), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.match(error.lines.join(), /waitlist-identity\.txt: expected a readable file/)
    return true
  })
  assert.deepEqual(listFolder(config.secretsDir), ['waitlist-identity.txt'])
})

test('a variable has precedence over the file, which is not created', async (t) => {
  const env = {
    SVC_SIGNING_KEY: pemOf(TEST_SIGNING_KEY),
    SVC_SIGNING_KEYS: noteKeys([TEST_SIGNING_KEY, 'current', '2026-01-01T00:00:00Z']),
    SVC_API_KEY_HASH_SECRET: 'k'.repeat(32),
    SVC_ADDRESS_HASH_SECRET: 'a'.repeat(32),
    SVC_WAITLIST_RECIPIENT: RECIPIENT,
  }
  const config = configureSecrets(t, { 'key-hash-secret.txt': 'f'.repeat(40) }, env)
  const { secrets, made } = await openSecrets(config, NOW_MS)
  assert.deepEqual(made, [])
  assert.deepEqual(listFolder(config.secretsDir), ['key-hash-secret.txt'])
  assert.equal(secrets.keyHashSecret, 'k'.repeat(32))
  assert.equal(secrets.waitlistRecipient, RECIPIENT)
  assert.equal(secrets.publishedKeys[0]?.keyId, derivePublicSigningKey(TEST_SIGNING_KEY).keyId)
  assert.equal(secrets.publishedKeys[0]?.notBefore, '2026-01-01T00:00:00Z')
})

test('reads the hash secrets of earlier rotations and creates none', async (t) => {
  const [today, before, longBefore] = ['t'.repeat(32), 'b'.repeat(32), 'l'.repeat(32)]
  const files = {
    'key-hash-secret.txt': today,
    'key-hash-secret-previous.txt': `${before}\n${longBefore}\n`,
  }
  const { secrets } = await openSecrets(configureSecrets(t, files), NOW_MS)
  assert.deepEqual(secrets.previousKeyHashSecrets, [before, longBefore])
  const plain = configureSecrets(t, {})
  assert.deepEqual((await openSecrets(plain, NOW_MS)).secrets.previousKeyHashSecrets, [])
  assert.ok(!listFolder(plain.secretsDir).includes('key-hash-secret-previous.txt'))
})

test('reports a previous hash secret that is too short or equals the current one, without quoting it', (t) => {
  for (const [previous, expected] of [
    ['short', /expected at least 32 characters/],
    ['t'.repeat(32), /expected secrets from before the rotation, found the current one/],
  ] as const) {
    const config = configureSecrets(t, {
      'key-hash-secret.txt': 't'.repeat(32),
      'key-hash-secret-previous.txt': previous,
    })
    const { mistakes } = inspectSecrets(config, NOW_MS)
    assert.equal(mistakes.length, 1)
    assert.match(mistakes[0] ?? '', expected)
    assert.match(mistakes[0] ?? '', /key-hash-secret-previous\.txt: /)
    assert.ok(!mistakes[0]?.includes(previous))
  }
})

test('refuses a hash secret that contains white space', (t) => {
  const config = configureSecrets(t, {
    'key-hash-secret.txt': `${'a'.repeat(32)} ${'b'.repeat(32)}`,
  })
  const { mistakes } = inspectSecrets(config, NOW_MS)
  assert.equal(mistakes.length, 1)
  assert.match(mistakes[0] ?? '', /expected one secret without white space inside/)
})

test('another process can be given the same secrets as variables', async (t) => {
  const files = { 'key-hash-secret-previous.txt': 'b'.repeat(32) }
  const config = configureSecrets(t, files, { SVC_ADDRESS_HASH_SECRET: 'a'.repeat(32) })
  const { secrets } = await openSecrets(config, NOW_MS)
  const elsewhere = {
    ...configureSecrets(t),
    secretVariables: inspectSecrets(config, Date.now()).texts,
  }
  const { secrets: same, made } = await openSecrets(elsewhere, NOW_MS)
  assert.deepEqual(made, [])
  const { signingKey, ...rest } = same
  const { signingKey: original, ...others } = secrets
  assert.deepEqual(rest, others)
  assert.ok(original !== undefined && signingKey?.equals(original))
})

test('production creates nothing and names every missing secret', async (t) => {
  const config = configureSecrets(t, {}, { SVC_RUNTIME: 'production' })
  await assert.rejects(openSecrets(config, NOW_MS), (error) => {
    assert.ok(error instanceof ConfigError)
    const variables = error.mistakes.map(({ variable }) => variable)
    assert.deepEqual(variables, [
      'SVC_API_KEY_HASH_SECRET',
      'SVC_ADDRESS_HASH_SECRET',
      'SVC_WAITLIST_RECIPIENT',
    ])
    return true
  })
  assert.ok(!existsSync(config.secretsDir))
})

test('names an invalid secret by its file and the expectation, never by its content', (t) => {
  const { privateKey } = generateKeyPairSync('x25519')
  const wrong: readonly (readonly [
    file: string,
    variable: string,
    text: string,
    expected: RegExp,
  ])[] = [
    [
      'signing-key.pem',
      'SVC_SIGNING_KEY',
      'nonsense',
      /expected an Ed25519 private key in PKCS#8 PEM/,
    ],
    [
      'signing-key.pem',
      'SVC_SIGNING_KEY',
      pemOf(privateKey),
      /expected an Ed25519 key, found x25519/,
    ],
    [
      'key-hash-secret.txt',
      'SVC_API_KEY_HASH_SECRET',
      'x'.repeat(31),
      /expected at least 32 characters/,
    ],
    ['address-hash-secret.txt', 'SVC_ADDRESS_HASH_SECRET', 'nonsense', /expected at least 32/],
    [
      'waitlist-recipient.txt',
      'SVC_WAITLIST_RECIPIENT',
      'AGE-SECRET-KEY-1ABC',
      /expected an age X25519/,
    ],
    // A letter is wrong, which its checksum detects.
    [
      'waitlist-recipient.txt',
      'SVC_WAITLIST_RECIPIENT',
      RECIPIENT.replace('yndu', 'yndx'),
      /expected an age X25519/,
    ],
    ['signing-keys.json', 'SVC_SIGNING_KEYS', 'nonsense', /expected JSON of the form/],
  ]
  for (const [file, variable, text, expected] of wrong) {
    const inFile = configureSecrets(t, { [file]: text })
    const [fileMistake = '', ...others] = inspectSecrets(inFile, NOW_MS).mistakes
    assert.deepEqual(others, [], file)
    assert.ok(fileMistake.startsWith(`${path.join(inFile.secretsDir, file)}: `), fileMistake)
    assert.match(fileMistake, expected)
    assert.ok(!fileMistake.includes(text), 'the content is not repeated')

    const [variableMistake = ''] = inspectSecrets(
      configureSecrets(t, {}, { [variable]: text }),
      NOW_MS,
    ).mistakes
    assert.ok(variableMistake.startsWith(`${variable}: `), variableMistake)
    assert.match(variableMistake, expected)
  }
})

test('an empty file is a mistake, not a missing secret', async (t) => {
  const config = configureSecrets(t, { 'signing-key.pem': '', 'key-hash-secret.txt': '\n' })
  await assert.rejects(openSecrets(config, NOW_MS), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.equal(error.mistakes.length, 2)
    return true
  })
  assert.deepEqual(listFolder(config.secretsDir), ['key-hash-secret.txt', 'signing-key.pem'])
})

test('reports every mistake of every secret at once', (t) => {
  const config = configureSecrets(
    t,
    { 'signing-key.pem': 'x', 'signing-keys.json': 'x', 'key-hash-secret.txt': 'x' },
    { SVC_RUNTIME: 'production', SVC_ADDRESS_HASH_SECRET: 'x' },
  )
  const { mistakes, secrets } = inspectSecrets(config, NOW_MS)
  assert.equal(mistakes.length, 5, mistakes.join('\n'))
  assert.deepEqual(secrets, {
    signingKey: undefined,
    publishedKeys: [],
    keyHashSecret: undefined,
    previousKeyHashSecrets: [],
    addressHashSecret: undefined,
    waitlistRecipient: undefined,
  })
})
