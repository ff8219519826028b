import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { editFile, listFolder, makeDeployment } from '../support/deployment.ts'
import { failedStart, startService, servedKeyId } from '../support/service-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('the first start creates secrets that only the owner can read, the second creates none', async (t) => {
  const { folder, secretsDir } = makeDeployment(t)
  const first = startService(t, folder)
  const { origin, port } = await first.serving()
  assert.ok(port > 0, 'the log has the port that the system chose')

  const files = [
    'address-hash-secret.txt',
    'key-hash-secret.txt',
    'signing-key.pem',
    'signing-keys.json',
    'waitlist-identity.txt',
    'waitlist-recipient.txt',
  ]
  assert.deepEqual(listFolder(secretsDir), files)
  assert.equal(statSync(secretsDir).mode & 0o777, 0o700)
  for (const file of files) {
    assert.equal(statSync(path.join(secretsDir, file)).mode & 0o777, 0o600, file)
  }
  const created = await first.line('Created local secrets')
  assert.ok(created.msg.includes(secretsDir))
  assert.deepEqual(
    (created['files'] as string[]).toSorted(),
    files.map((file) => path.join(secretsDir, file)),
  )
  const written = first.stdout() + first.stderr()
  for (const file of files.filter((name) => name.endsWith('.txt'))) {
    const secret = readFileSync(path.join(secretsDir, file), 'utf8').trim()
    assert.ok(!written.includes(secret), `${file} is not in the log`)
  }
  const keyId = await servedKeyId(origin)
  const { api } = await first.line('Serving at')
  const response = await fetch(`${String(api)}/status`)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('x-svc-signature') ?? '', /^[A-Za-z0-9+/]{86}==$/)
  assert.deepEqual(await first.stop(), { code: 0, signal: null })
  assert.equal(first.stderr(), '')

  const before = files.map((file) => readFileSync(path.join(secretsDir, file), 'utf8'))
  const second = startService(t, folder)
  assert.equal(await servedKeyId((await second.serving()).origin), keyId)
  assert.deepEqual(await second.stop(), { code: 0, signal: null })
  assert.ok(second.lines().every(({ msg }) => !msg.includes('Created local secrets')))
  assert.deepEqual(
    files.map((file) => readFileSync(path.join(secretsDir, file), 'utf8')),
    before,
  )
})

test('a start that fails on releases creates no secrets', async (t) => {
  for (const workers of ['1', '2']) {
    const { folder, releasesDir } = makeDeployment(t)
    editFile(path.join(releasesDir, 'versions', 'VS-0001.json'), (text) =>
      text.replace('Made by a test.', 'Broken by a test.'),
    )
    const { ending, service } = await failedStart(t, folder, { SVC_WORKERS: workers })
    assert.deepEqual(ending, { code: 1, signal: null })
    assert.match(service.stderr(), /could not start: The version chain is broken at VS-0001: HASH/)
    assert.equal(service.stderr().trimEnd().split('\n').length, 1, 'one clear line')
    const line = service.lines().at(-1)
    assert.equal(line?.level, 'error')
    assert.match(line?.msg ?? '', /VS-0001/)
    assert.deepEqual(listFolder(folder), ['releases'])
  }
})

test('caches compiled code in the checkout only, and starts without the cache', async (t) => {
  const checkout = temporaryFolder(t)
  const modules = path.join(checkout, 'node_modules')
  for (const name of ['src', 'locales', 'assets']) {
    cpSync(new URL(`../../${name}`, import.meta.url), path.join(checkout, name), {
      recursive: true,
    })
  }
  cpSync(new URL('../../package.json', import.meta.url), path.join(checkout, 'package.json'))
  mkdirSync(modules)
  const installed = new URL('../../node_modules/', import.meta.url)
  for (const name of readdirSync(installed)) {
    if (!name.startsWith('.')) symlinkSync(new URL(name, installed), path.join(modules, name))
  }
  const { folder } = makeDeployment(t)
  const TMPDIR = temporaryFolder(t)
  // Without the cache of the tests.
  const env = { TMPDIR, NODE_COMPILE_CACHE: '' }
  const start = async () => {
    const service = startService(t, folder, env, [path.join(checkout, 'src', 'main.mjs')])
    await service.serving()
    assert.equal((await service.stop()).code, 0)
    assert.equal(service.stderr(), '')
  }
  await start()
  assert.deepEqual(listFolder(TMPDIR), [])
  const kept = path.join(modules, '.cache', 'svc')
  assert.equal(listFolder(kept).length, 1)
  assert.equal(statSync(kept).mode & 0o022, 0, 'only the owner writes there')

  // A file in its place, since the rights of a folder do not bind root.
  rmSync(path.join(modules, '.cache'), { recursive: true })
  writeFileSync(path.join(modules, '.cache'), '')
  await start()
  assert.deepEqual(listFolder(TMPDIR), [])
})
