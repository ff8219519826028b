import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { propertyOf } from '@public-api/contract/json/property-of'
import { REGISTER } from '../support/registering-app.ts'
import { runIn, SVC } from '../support/run-program.ts'
import { startService, type ServiceProcess } from '../support/service-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Release 0.1.0. A newer release replaces it. */
const LAST_RELEASE = 'f7bf73fa29fea5620712a9b96e493b902141f76f'

const hasLastRelease =
  spawnSync('git', ['cat-file', '-e', `${LAST_RELEASE}^{commit}`], { cwd: ROOT }).status === 0

/** The source of the last release, with the packages of this checkout. */
function extractLastRelease(t: TestContext): string {
  const folder = temporaryFolder(t)
  const input = execFileSync('git', ['archive', LAST_RELEASE], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input })
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

/** Issues a key with the code of the last release; its pause is in the endpoint alone. */
function issueKey(release: string, database: string, secretsDir: string): string {
  const script = `
    import { randomBytes } from 'node:crypto'
    import { readFileSync } from 'node:fs'
    import { createStoredApiKeys } from './src/service/stored-api-keys.ts'
    import { createMemoryCounters } from './src/storage/memory-counters.ts'
    import { openSqliteStorageHere } from './src/storage/sqlite-here.ts'
    const storage = await openSqliteStorageHere({ file: process.argv[1], mode: 'read-write' })
    const clock = { nowMs: Date.now }
    const keys = createStoredApiKeys({
      store: storage.apiKeys, counters: createMemoryCounters({ clock }), clock, randomBytes,
      hashSecret: readFileSync(process.argv[2], 'utf8').trim(), previousHashSecrets: [],
      onRehashFailure(error) { throw error },
    })
    const { key } = await keys.issue({ label: null, ttlDays: 90 })
    await storage.close()
    process.stdout.write(key)`
  const secret = path.join(secretsDir, 'key-hash-secret.txt')
  return execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', script, database, secret],
    { cwd: release, encoding: 'utf8' },
  )
}

/** What a deployment says of what it was given before. */
async function readBack(service: ServiceProcess, apiKey: string) {
  const { origin } = await service.serving()
  const read = async (target: string, init?: RequestInit) =>
    (await fetch(`${origin}${target}`, init)).json() as Promise<{
      readonly data?: { readonly [name: string]: unknown }
      readonly error?: { readonly code: string }
    }>
  const register = async (email: string) => {
    const body = JSON.stringify({ email, consent: true, challengeToken: 'test-pass' })
    const headers = { 'Content-Type': 'application/json' }
    const { data, error } = await read(REGISTER, { method: 'POST', headers, body })
    return error?.code ?? data?.['status']
  }
  const keySelf = await read('/api/v1/keys/self', { headers: { 'X-SVC-Key': apiKey } })
  const versions = await read('/api/v1/versions')
  const status = await fetch(`${origin}/api/v1/status`)
  return {
    first: await register('first@example.org'),
    second: await register('second@example.org'),
    key: keySelf.data?.['status'],
    head: versions.data?.['head'],
    status: status.status,
  }
}

test(
  'serves the database and releases of the last software release, which can go back as documented',
  { skip: hasLastRelease ? undefined : 'the history of this checkout lacks the last release' },
  async (t) => {
    const release = extractLastRelease(t)
    const oldMain = [path.join(release, 'src', 'main.ts')]
    const oldSvc = path.join(release, 'src', 'cli', 'svc.ts')
    const folder = temporaryFolder(t)
    const env = { SVC_CHALLENGE: 'test' }
    const database = path.join(folder, 'data', 'service.sqlite')
    const releasesDir = path.join(folder, 'releases')
    cpSync(path.join(release, 'releases'), releasesDir, { recursive: true })

    const made = startService(t, folder, env, oldMain)
    await made.serving()
    await made.stop()
    const apiKey = issueKey(release, database, path.join(folder, 'secrets'))
    const old = startService(t, folder, env, oldMain)
    const before = await readBack(old, apiKey)
    assert.deepEqual(
      { ...before, head: undefined },
      { first: 'WAITING', second: 'WAITING', key: 'active', status: 200, head: undefined },
    )
    await old.stop()

    // docs/operating.md, "Backing up and upgrading": copy with the old program, then start the new one and publish.
    const copy = path.join(folder, 'copy.sqlite')
    const copied = runIn(folder, [oldSvc, 'waitlist', 'copy', copy])
    assert.equal(copied.status, 0, copied.error)
    const upgraded = startService(t, folder, env)
    const known = { first: 'DUPLICATE', second: 'DUPLICATE', key: 'active', status: 200 }
    assert.deepEqual(await readBack(upgraded, apiKey), { ...known, head: before.head })
    await upgraded.stop()
    // The older release recorded no base of the content.
    const over = ['--over', String(propertyOf(before.head, 'snapshotId'))]
    // A copy, because publishing records the version in it.
    const contentDir = path.join(folder, 'content')
    cpSync(path.join(ROOT, 'content'), contentDir, { recursive: true })
    const content = ['--content', contentDir]
    const published = runIn(
      folder,
      [SVC, 'publish', ...content, '--note', 'After the upgrade', ...over],
      { env: { SVC_RELEASES_DIR: releasesDir } },
    )
    assert.equal(published.status, 0, published.error)
    const current = startService(t, folder, env)
    const after = await readBack(current, apiKey)
    assert.deepEqual({ ...after, head: undefined }, { ...known, head: undefined })
    assert.notDeepEqual(after.head, before.head)
    await current.stop()

    // Back: the older program refuses a migrated database and says so; the copy takes its place.
    const refused = startService(t, folder, env, oldMain)
    const isRefused = await refused.serving().then(
      () => false,
      () => true,
    )
    if (isRefused) {
      assert.match(refused.stderr(), /newer|later/i)
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
      copyFileSync(copy, database)
    }
    await refused.stop()
    const back = startService(t, folder, env, oldMain)
    assert.deepEqual(await readBack(back, apiKey), { ...known, head: after.head })
    await back.stop()
  },
)
