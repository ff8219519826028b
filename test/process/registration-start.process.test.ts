import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { execSql } from '../storage/sqlite/sqlite-fixture.ts'
import {
  copyDeployment,
  listFolder,
  makeDeployment,
  type Deployment,
} from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { holdConnection } from '../support/held-connection.ts'
import { rawRegistration } from '../support/raw-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'
import {
  databaseFileOf,
  readKept,
  REGISTERING_ENV,
  sayRegistration,
  solvedToken,
  startRegistering,
} from '../support/registering-service.ts'
import { failedStart, hastyProgram, startService } from '../support/service-process.ts'
import { startMistakes } from '../support/start-mistakes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { useFileScope } from '../support/test-scope.ts'

const FAILED = { code: 1, signal: null }
/** A stop that cuts nothing off, however busy the machine is. */
const PATIENT = hastyProgram({ graceMs: 3_600_000, killAfterMs: 3_600_000 })
/** Less than a registration waits for a lock. */
const SHORT_LOCK_MS = 1500

const scope = useFileScope()
let used: Promise<Deployment> | undefined

/** A deployment that was started once, and registered one address: a copy for each test. */
async function usedDeployment(t: TestContext): Promise<Deployment> {
  return copyDeployment(t, await (used ??= useDeployment()))
}

async function useDeployment(): Promise<Deployment> {
  const running = await startRegistering(scope)
  assert.equal((await running.register({ email: 'first@example.org' })).status, 200)
  assert.deepEqual(await running.service.stop(), { code: 0, signal: null })
  assert.deepEqual(listFolder(running.dataDir), ['service.sqlite'], 'the log was written back')
  return running
}

/** Asserts that the start fails with one line that holds this, and that the database is as it was. */
async function assertRefusedStart(
  t: TestContext,
  deployment: Deployment,
  expected: RegExp,
): Promise<void> {
  const file = databaseFileOf(deployment)
  const digest = () => createHash('sha256').update(readFileSync(file)).digest('hex')
  const before = digest()
  const { ending, service } = await failedStart(t, deployment.folder, REGISTERING_ENV)
  assert.deepEqual(ending, FAILED)
  assert.match(service.stderr(), expected)
  assert.ok(service.stderr().includes(file), 'the file is named')
  assert.equal(service.stderr().trimEnd().split('\n').length, 1, service.stderr())
  assert.equal(digest(), before)
  // To look into it, SQLite makes an index and an empty log beside it, and may leave them there.
  const beside = listFolder(deployment.dataDir).filter((name) => name !== path.basename(file))
  assert.deepEqual(
    beside
      .filter((name) => !name.endsWith('-shm'))
      .flatMap((name) => [...readFileSync(path.join(deployment.dataDir, name))]),
    [],
  )
}

test('a start with a newer database fails and leaves it unchanged', async (t) => {
  const deployment = await usedDeployment(t)
  execSql(databaseFileOf(deployment), 'PRAGMA user_version = 4711')
  await assertRefusedStart(t, deployment, /could not start: .*written by a newer version/)
})

test('starts while the database is locked, and accepts registrations once it is free', async (t) => {
  const deployment = await usedDeployment(t)
  // So the log cannot be opened either.
  using database = new DatabaseSync(databaseFileOf(deployment))
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  const running = await startRegistering(t, {}, { deployment })
  const line = await running.service.line('Database unavailable')
  assert.equal(line.level, 'error')
  assert.match(line.msg, /serving reads/)
  assert.equal((await running.read('/api/v1/status')).status, 200)
  const order: string[] = []
  const note = (what: string) => () => void order.push(what)
  const refusing = running.register({ email: 'second@example.org' })
  const [refused] = await Promise.all([
    refusing,
    refusing.then(note('registration')),
    running.read('/api/v1/status').then(note('read')),
  ])
  assert.deepEqual(order, ['read', 'registration'], 'no one else waits for the lock')
  assert.deepEqual([refused.status, refused.code], [503, 'REGISTRATION_UNAVAILABLE'])
  const { data } = await running.read('/api/v1/early-access')
  assert.equal(data['state'], 'unavailable')

  database.close()
  await running.service.line('Database available')
  assert.equal((await running.register({ email: 'second@example.org' })).status, 200)
  assert.equal((await running.register({ email: 'first@example.org' })).code, 'DUPLICATE')
  assert.equal((await readKept(deployment)).length, 2)
  assert.deepEqual(await running.service.stop(), { code: 0, signal: null })
})

test('starts on a full disk, and accepts registrations once there is room', async (t) => {
  if (spawnSync('prlimit', ['--version']).error !== undefined) {
    t.skip('prlimit (util-linux) is not there')
    return
  }
  const deployment = await usedDeployment(t)
  // Not a byte can be written to any file from the first instruction on. execve keeps the process.
  const main = path.resolve(import.meta.dirname, '../../src/main.ts')
  const command = ['prlimit', '--fsize=0:', process.execPath, main]
  const launcher = `process.execve('/usr/bin/env', ${JSON.stringify(['env', ...command])}, process.env)`
  const running = await startRegistering(t, {}, { deployment, program: ['-e', launcher] })
  assert.match((await running.service.line('Database unavailable')).msg, /serving reads/)
  assert.equal((await running.read('/api/v1/status')).status, 200)
  assert.equal((await running.register({ email: 'second@example.org' })).status, 503)
  const { pid } = running.service
  assert.equal(spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:']).status, 0)
  assert.equal((await running.register({ email: 'second@example.org' })).status, 200)
  assert.equal((await readKept(deployment)).length, 2)
})

test('the first start advises to move the identity, and the service works without it', async (t) => {
  const deployment = makeDeployment(t)
  const first = await startRegistering(t, {}, { deployment })
  const logged = await first.service.line('move it to another machine')
  assert.equal(logged.level, 'info')
  assert.match(logged.msg, /secrets\/waitlist-identity\.txt decrypts the waitlist/)
  assert.equal((await first.service.stop()).code, 0)

  const file = path.join(deployment.secretsDir, 'waitlist-identity.txt')
  const identity = readFileSync(file)
  const elsewhere = path.join(deployment.folder, 'another machine')
  mkdirSync(elsewhere)
  renameSync(file, path.join(elsewhere, 'waitlist-identity.txt'))
  const second = await startRegistering(t, {}, { deployment })
  assert.equal((await second.register({ email: 'first@example.org' })).status, 200)
  assert.equal((await second.service.stop()).code, 0)
  assert.ok(
    second.service.lines().every(({ msg }) => !/Created local secrets|another machine/.test(msg)),
  )
  assert.ok(!listFolder(deployment.secretsDir).includes('waitlist-identity.txt'))
  writeFileSync(file, identity)
  assert.equal((await readKept(deployment)).length, 1)
})

test('production needs only the recipient and creates no secret', async (t) => {
  const deployment = makeDeployment(t)
  const identity = await generateX25519Identity()
  const service = startService(t, deployment.folder, {
    SVC_RUNTIME: 'production',
    SVC_BASE_URL: 'https://api.example.test',
    SVC_API_KEY_HASH_SECRET: 'k'.repeat(32),
    SVC_ADDRESS_HASH_SECRET: 'a'.repeat(32),
    SVC_WAITLIST_RECIPIENT: await identityToRecipient(identity),
  })
  const { port } = await service.serving()
  const challengeToken = await solvedToken(port)
  const email = 'first@example.org'
  const { status, ticket, text } = await sayRegistration(port, { email, challengeToken })
  assert.equal(status, 200, text)
  assert.equal((await service.stop()).code, 0)
  assert.deepEqual(listFolder(deployment.folder), ['data', 'releases'])
  const files = readdirSync(deployment.folder, { recursive: true, encoding: 'utf8' })
  assert.deepEqual(
    files.filter((name) => /identity|secret|key/i.test(name) && !name.startsWith('releases')),
    [],
  )
  // Another machine, with the identity and a copy of the database.
  const secretsDir = temporaryFolder(t)
  writeFileSync(path.join(secretsDir, 'waitlist-identity.txt'), `${identity}\n`)
  const kept = await readKept({ ...deployment, secretsDir })
  assert.deepEqual(
    kept.map(({ entry }) => [entry.email, entry.ticket]),
    [[email, ticket]],
  )
  const mistakes = startMistakes(deployment.folder, {
    SVC_RUNTIME: 'production',
    SVC_API_KEY_HASH_SECRET: 'k'.repeat(32),
    SVC_ADDRESS_HASH_SECRET: 'a'.repeat(32),
    SVC_WAITLIST_RECIPIENT: identity,
  })
  assert.match(mistakes, /^SVC_WAITLIST_RECIPIENT: expected /m, 'an identity is not a recipient')
})

test('completes registrations in flight at SIGTERM and exits with 0', async (t) => {
  const deployment = makeDeployment(t)
  const running = await startRegistering(t, {}, { deployment, program: PATIENT })
  assert.equal((await running.register({ email: 'first@example.org' })).status, 200)
  // They wait for the lock, so they are in flight for certain when the signal comes.
  const database = new DatabaseSync(running.databaseFile)
  const lockedMs = performance.now()
  database.exec('BEGIN IMMEDIATE')
  let sent = 0
  const asked = Array.from({ length: 20 }, (_each, index) =>
    running.register({ email: `reader-${index}@example.org` }, { onSent: () => (sent += 1) }),
  )
  await eventually('all are sent', () => (sent === 20 ? true : undefined))
  assert.equal((await running.read('/api/v1/status')).status, 200)
  running.service.signal('SIGTERM')
  await running.service.line('Stopping')
  database.close()
  const isLate = performance.now() - lockedMs > SHORT_LOCK_MS
  const responses = await Promise.all(asked)
  assert.deepEqual(await running.service.ended, { code: 0, signal: null })
  const tickets = responses.flatMap(({ status, ticket, text }) => {
    // On a busy machine the lock may have lasted longer than a registration waits for it.
    if (isLate && status === 503) return []
    assert.equal(status, 200, text)
    return [ticket]
  })
  assert.deepEqual(listFolder(deployment.dataDir), ['service.sqlite'], 'the log was written back')
  const kept = new Set((await readKept(deployment)).map(({ entry }) => entry.ticket))
  for (const ticket of tickets) assert.ok(kept.has(ticket ?? ''))
  assert.equal(kept.size, tickets.length + 1)
})

for (const workers of ['1', '2']) {
  test(`accepts a half-sent registration at SIGTERM, with SVC_WORKERS=${workers}`, async (t) => {
    const deployment = makeDeployment(t)
    const running = await startRegistering(
      t,
      { SVC_WORKERS: workers },
      { deployment, program: PATIENT },
    )
    const held = await holdConnection(t, running.port)
    const headers = ['Content-Type: application/json', 'Expect: 100-continue']
    const bytes = rawRegistration({ headers, body: JSON.stringify(GOOD_BODY) })
    held.send(bytes.slice(0, -20))
    // A process that logs this has accepted the request.
    await held.until((received) => received.startsWith('HTTP/1.1 100 Continue\r\n\r\n'))
    running.service.signal('SIGTERM')
    await running.service.line('Stopping')
    held.send(bytes.slice(-20))
    const response = await held.closed
    assert.match(response, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
    const [, ticket] = /"ticket":"(EA-[0-9A-F]{16})"/.exec(response) ?? []
    assert.deepEqual(await running.service.ended, { code: 0, signal: null })
    const kept = await readKept(deployment)
    assert.deepEqual(
      kept.map(({ entry }) => [entry.email, entry.ticket]),
      [[GOOD_BODY.email, ticket]],
    )
  })
}
