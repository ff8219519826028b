import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { propertyOf } from '@public-api/contract/json/property-of'
import { REGISTER } from '../support/registering-app.ts'
import { runIn, SVC } from '../support/run-program.ts'
import { succeeded } from '../support/run-svc.ts'
import { startService, type ServiceProcess } from '../support/service-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Release 0.1.0. A newer release replaces it. */
const LAST_RELEASE = 'f7bf73fa29fea5620712a9b96e493b902141f76f'

/** The last state of the main branch before events of past years, records and closing for what a later program wrote. */
const CHECKOUT_OF_NOV_28 = '115328fe44a344bb92e543f2bdafe9857ee398a2'

const lacks = (commit: string) =>
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0
    ? undefined
    : `the history of this checkout lacks ${commit}`

/** The source of a commit, with its own workspaces and the installed packages of this checkout. */
function extract(t: TestContext, commit: string): string {
  const folder = temporaryFolder(t)
  const input = execFileSync('git', ['archive', commit], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input })
  const [from, to] = [path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules')]
  mkdirSync(path.join(to, '@public-api'), { recursive: true })
  for (const name of readdirSync(from)) {
    if (name !== '@public-api') symlinkSync(path.join(from, name), path.join(to, name))
  }
  for (const name of readdirSync(path.join(from, '@public-api'))) {
    const target = readlinkSync(path.join(from, '@public-api', name))
    symlinkSync(target, path.join(to, '@public-api', name))
  }
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
  { skip: lacks(LAST_RELEASE) },
  async (t) => {
    const release = extract(t, LAST_RELEASE)
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
    succeeded(runIn(folder, [oldSvc, 'waitlist', 'copy', copy]))
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
    succeeded(
      runIn(folder, [SVC, 'publish', ...content, '--note', 'After the upgrade', ...over], {
        env: { SVC_RELEASES_DIR: releasesDir },
      }),
    )
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

test(
  'an upgrade and the way back keep the list closed, and feeds, calendar, log and proofs as they were',
  { skip: lacks(CHECKOUT_OF_NOV_28) },
  async (t) => {
    const checkout = extract(t, CHECKOUT_OF_NOV_28)
    const folder = temporaryFolder(t)
    const [content, releases] = ['content', 'releases'].map((name) => path.join(folder, name))
    assert.ok(content !== undefined && releases !== undefined)
    cpSync(path.join(checkout, 'content'), content, { recursive: true })
    cpSync(path.join(checkout, 'releases'), releases, { recursive: true })
    const programs = {
      old: {
        main: [path.join(checkout, 'src', 'main.ts')],
        svc: path.join(checkout, 'src', 'cli', 'svc.ts'),
      },
      current: { main: undefined, svc: SVC },
    } as const
    type Program = keyof typeof programs
    const run = (program: Program, ...args: readonly string[]) => {
      const { status, out, error } = runIn(folder, [programs[program].svc, ...args])
      assert.equal(status, 0, `${program} svc ${args.join(' ')}: ${error}`)
      return out
    }
    const update = (program: Program, ...args: readonly string[]) =>
      run(program, ...args, '--content', content, '--releases', releases, '--publish')

    /** What readers of a program have. */
    async function readersOf(program: Program) {
      const service = startService(t, folder, { SVC_CHALLENGE: 'test' }, programs[program].main)
      const { origin } = await service.serving()
      const read = async (file: string) => (await fetch(`${origin}${file}`)).text()
      const body = JSON.stringify({
        email: `${program}-${Math.random()}@example.org`,
        consent: true,
        challengeToken: 'test-pass',
      })
      const headers = { 'Content-Type': 'application/json' }
      const registered = await fetch(`${origin}${REGISTER}`, { method: 'POST', headers, body })
      const feed = JSON.parse(await read('/en/status.json')) as {
        readonly items: readonly { readonly id: string }[]
      }
      const calendar = await read('/en/maintenance.ics')
      const found = {
        registered: registered.status,
        feed: feed.items.map(({ id }) => id).toSorted(),
        calendar: [...calendar.matchAll(/^UID:(.*)/gm)].map(([, uid]) => uid?.trim()),
        log: (await read('/log/checkpoint')).split('\n')[1],
        head: propertyOf(JSON.parse(await read('/api/v1/version')) as unknown, 'data'),
      }
      await service.stop()
      return { ...found, head: propertyOf(found.head, 'snapshotId') }
    }

    await readersOf('old')
    run('old', 'tlog', 'init', '--origin', 'api.example.org/log', '--releases', releases)
    const [component = ''] = /(?<=- id: )[a-z-]+/.exec(
      readFileSync(path.join(content, 'status.yaml'), 'utf8'),
    ) ?? ['']
    const text = ['--text', 'We look.', '--summary', 'Slow.']
    const title = ['--title', 'Slow reads', '--impact', 'minor']
    update('old', 'incident', 'open', ...title, '--component', `${component}=degraded`, ...text)
    const ahead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const times = ['--from', ahead(2), '--to', ahead(3), '--component', component]
    update('old', 'maintenance', 'schedule', '--title', 'Disks', ...times, '--text', 'New disks.')
    writeFileSync(
      path.join(content, 'early-access.yaml'),
      'state: closed\ntext: The list is full.\n',
    )
    run('old', 'publish', '-m', 'Close the list', '--content', content, '--releases', releases)
    const proof = path.join(folder, 'old.tlog-proof')
    const policy = path.join(releases, 'log', 'policy')
    run(
      'old',
      'tlog',
      'prove',
      'VS-0014',
      '--releases',
      releases,
      '--out',
      proof,
      '--policy',
      policy,
    )
    const before = await readersOf('old')
    assert.equal(before.registered, 503)
    assert.equal(before.feed.length, 2)
    assert.equal(before.calendar.length, 1)

    // Forward: the later program serves the same, and publishes.
    assert.deepEqual(await readersOf('current'), before)
    run('current', 'publish', '-m', 'Upgrade', '--content', content, '--releases', releases)
    const [, id = ''] =
      /id: (\S*slow-reads\S*)/.exec(readFileSync(path.join(content, 'status.yaml'), 'utf8')) ?? []
    update('current', 'incident', 'update', id, '--state', 'identified', '--text', 'Found.')
    run('current', 'verify', '--proof', proof, '--policy', policy)
    assert.match(run('current', 'audit', releases), /is intact/)
    const after = await readersOf('current')
    const same = { registered: 503, feed: before.feed, calendar: before.calendar }
    assert.deepEqual(after, { ...after, ...same })
    assert.notEqual(after.head, before.head)
    assert.equal(after.log, String(Number(String(after.head).slice(3))))

    // Back: the list stays closed, whatever else the older program makes of it.
    const back = await readersOf('old')
    assert.deepEqual(back, { ...after, ...same })
    run('old', 'verify', '--proof', proof, '--policy', policy)
    const older = runIn(folder, [programs.old.svc, 'audit', releases])
    assert.match(older.out + older.error, /record\.json/)
    // And forward again.
    assert.deepEqual(await readersOf('current'), after)
  },
)
