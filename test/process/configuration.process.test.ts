import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { noteKeys, pemOf } from '../support/configured-secrets.ts'
import { listFolder, makeDeployment } from '../support/deployment.ts'
import { serve } from '../support/loopback-server.ts'
import { failedStart, startService } from '../support/service-process.ts'
import { startMistakes } from '../support/start-mistakes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { TEST_SIGNING_KEY } from '../vectors/signing-key.ts'

const FAILED = { code: 1, signal: null }
const PRODUCTION = {
  SVC_RUNTIME: 'production',
  SVC_BASE_URL: 'https://api.example.test',
  SVC_API_KEY_HASH_SECRET: 'k'.repeat(32),
  SVC_ADDRESS_HASH_SECRET: 'a'.repeat(32),
  SVC_WAITLIST_RECIPIENT: 'age1yndu64g529zcj9txr67ysn6szmgktymx2wyutv3qzkqmvqsg9ppsn4pra5',
}

test('reports all mistakes together, each with its variable, and creates nothing', async (t) => {
  const folder = temporaryFolder(t)
  const { ending, service } = await failedStart(t, folder, {
    PORT: '70000',
    HOST: 'not a host',
    SVC_BASE_URL: 'https://example.test/path',
    SVC_RUNTIME: 'staging',
    SVC_DEPLOYMENT: 'canary',
    SVC_RELEASES_DIR: 'nowhere',
    SVC_DATABASE_URL: 'mysql://root:hunter2@db/app',
    SVC_VALKEY_URL: 'valkey://:hunter2@cache',
    SVC_CHALLENGE: 'turnstile',
    SVC_TRUSTED_PROXIES: '10.0.0.0/33',
    SVC_WORKERS: '0',
    SVC_ADMIN_PORT: 'x',
    SVC_NTP_SERVER: 'time.example:port',
    SVC_LOG_LEVEL: 'loud',
    SVC_API_KEY_HASH_SECRET: 'short',
  })
  assert.deepEqual(ending, FAILED)
  const [headline, ...mistakes] = service.stderr().trimEnd().split('\n')
  assert.equal(headline, 'Invalid configuration (16 errors):')
  const named = mistakes.map((line) => /^ {2}(\w+): expected \S/.exec(line)?.[1] ?? line)
  assert.deepEqual(named.toSorted(), [
    'HOST',
    'PORT',
    'SVC_ADMIN_PORT',
    'SVC_API_KEY_HASH_SECRET',
    'SVC_BASE_URL',
    'SVC_CHALLENGE_SECRET',
    'SVC_CHALLENGE_SITE_KEY',
    'SVC_DATABASE_URL',
    'SVC_DEPLOYMENT',
    'SVC_LOG_LEVEL',
    'SVC_NTP_SERVER',
    'SVC_RELEASES_DIR',
    'SVC_RUNTIME',
    'SVC_TRUSTED_PROXIES',
    'SVC_VALKEY_URL',
    'SVC_WORKERS',
  ])
  assert.ok(!service.stderr().includes('hunter2'), 'a password in an address is not repeated')
  assert.equal(service.stdout(), '')
  assert.deepEqual(listFolder(folder), [])
})

test('rejects a file in the place of a folder, and creates nothing', (t) => {
  const { folder } = makeDeployment(t)
  writeFileSync(path.join(folder, 'a-file'), '')
  for (const [variable, value] of [
    ['SVC_RELEASES_DIR', 'a-file'],
    ['SVC_DATA_DIR', 'a-file'],
    ['SVC_DATA_DIR', 'a-file/data'],
    ['SVC_SECRETS_DIR', 'a-file'],
  ] as const) {
    const mistakes = startMistakes(folder, { [variable]: value })
    const place = path.join(folder, 'a-file')
    assert.match(
      mistakes,
      new RegExp(`^${variable}: expected a folder .*, found (?:a file|an unreadable one) at `, 'm'),
    )
    assert.ok(mistakes.includes(place))
    assert.deepEqual(listFolder(folder), ['a-file', 'releases'])
  }
})

test('warns about secret files that other users can access, not about public ones, and about an unknown variable', async (t) => {
  const { folder, secretsDir } = makeDeployment(t)
  const message = 'Other users can access'
  const first = startService(t, folder)
  await first.serving()
  assert.equal((await first.stop()).code, 0)
  assert.ok(!first.stdout().includes(message))
  const pathOf = (file: string) => path.join(secretsDir, file)
  for (const file of ['signing-keys.json', 'waitlist-recipient.txt']) {
    chmodSync(pathOf(file), 0o644)
  }
  const second = startService(t, folder)
  await second.serving()
  assert.equal((await second.stop()).code, 0)
  assert.ok(!second.stdout().includes(message), 'public files may be readable')
  chmodSync(pathOf('signing-key.pem'), 0o644)
  chmodSync(pathOf('waitlist-recipient.txt'), 0o666)
  const third = startService(t, folder, { SVC_WORKRES: '4' })
  await third.serving()
  const warning = await third.line(message)
  assert.deepEqual(
    warning['files'],
    [pathOf('signing-key.pem'), pathOf('waitlist-recipient.txt')],
    'a public file that others can replace is a finding',
  )
  const unknown = await third.line('SVC_WORKRES')
  assert.deepEqual([unknown.level, unknown['variable']], ['warn', 'SVC_WORKRES'])
  assert.equal((await third.stop()).code, 0)
})

test('production without a signing key starts with a warning, unsigned and without a signing-key document', async (t) => {
  const { folder } = makeDeployment(t)
  const contact = 'mailto:security@example.test'
  const service = startService(t, folder, { ...PRODUCTION, SVC_SECURITY_CONTACT: contact })
  const { origin } = await service.serving()
  assert.equal((await service.line('unsigned')).level, 'warn')

  const status = await fetch(`${origin}/api/v1/status`)
  assert.equal(status.status, 200)
  for (const name of ['content-digest', 'x-svc-signed-at', 'x-svc-signature']) {
    assert.equal(status.headers.get(name), null, name)
  }
  const keys = await fetch(`${origin}/api/v1/keys/signing-key`)
  assert.equal(keys.status, 503)
  const { error } = (await keys.json()) as { error: { code: string } }
  assert.equal(error.code, 'SIGNING_UNAVAILABLE')
  const text = await (await fetch(`${origin}/.well-known/security.txt`)).text()
  assert.ok(text.startsWith(`Contact: ${contact}\n`))
  assert.deepEqual(listFolder(folder), ['data', 'releases'], 'production makes no secret')
  assert.equal((await service.stop()).code, 0)
})

test('a start that cannot create secrets fails with the reason', async (t) => {
  const { folder } = makeDeployment(t)
  // Not even root makes a folder there.
  const { ending, service } = await failedStart(t, folder, { SVC_SECRETS_DIR: '/sys/svc-secrets' })
  assert.deepEqual(ending, FAILED)
  assert.match(
    service.stderr(),
    /SVC_SECRETS_DIR: expected a writable folder \(.*\/sys\/svc-secrets/,
  )
})

test('a start on an occupied port fails with the reason, also for the admin port', async (t) => {
  const { port } = new URL(await serve(t, () => {}))
  const { folder } = makeDeployment(t)
  for (const env of [{ PORT: port }, { SVC_ADMIN_PORT: port }, { PORT: port, SVC_WORKERS: '2' }]) {
    const { ending, service } = await failedStart(t, folder, env)
    assert.deepEqual(ending, FAILED, JSON.stringify(env))
    assert.match(
      service.stderr(),
      new RegExp(`Cannot listen on 127\\.0\\.0\\.1 port ${port}: the port is already in use`),
    )
    assert.doesNotMatch(`${service.stderr()}${service.stdout()}`, /"stack"|\n\s+at /)
  }
})

test('an expired signing key logs an error', async (t) => {
  const { folder, secretsDir } = makeDeployment(t)
  mkdirSync(secretsDir)
  writeFileSync(path.join(secretsDir, 'signing-key.pem'), pemOf(TEST_SIGNING_KEY))
  const [from, until] = ['2020-01-01T00:00:00Z', '2020-02-01T00:00:00Z']
  const notes = noteKeys([TEST_SIGNING_KEY, 'current', from, until])
  writeFileSync(path.join(secretsDir, 'signing-keys.json'), notes)
  const service = startService(t, folder)
  await service.serving()
  const line = await service.line('The current signing key has expired')
  assert.deepEqual([line.level, line['notAfter']], ['error', until])
  assert.equal((await service.stop()).code, 0)
})

test('an unreadable secret file is a mistake, not a missing secret', (t) => {
  const { folder, secretsDir } = makeDeployment(t)
  // A folder in its place: unlike a file without rights, not even root reads it.
  mkdirSync(path.join(secretsDir, 'signing-key.pem'), { recursive: true })
  assert.match(startMistakes(folder), /signing-key\.pem: expected a readable file/)
  assert.deepEqual(listFolder(secretsDir), ['signing-key.pem'])
})
