import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { versionHashText, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { sha256Hex } from '../../src/crypto/sha256.ts'
import {
  editFile,
  makeDeployment,
  resourceFile,
  writeReleases,
  type Deployment,
} from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { startService, type ServiceProcess } from '../support/service-process.ts'

interface Started extends Deployment {
  readonly service: ServiceProcess
  readonly origin: string
  readonly admin: string
}

async function start(
  t: TestContext,
  env: { readonly [name: string]: string } = {},
  prepare = (_releasesDir: string): void => {},
): Promise<Started> {
  const deployment = makeDeployment(t)
  prepare(deployment.releasesDir)
  const service = startService(t, deployment.folder, { SVC_ADMIN_PORT: '0', ...env })
  const { origin } = await service.serving()
  const { port } = await service.line('Health and metrics')
  return { ...deployment, service, origin, admin: `http://127.0.0.1:${String(port)}` }
}

async function headOf(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/v1/version`, { headers: { Connection: 'close' } })
  assert.equal(response.status, 200)
  const { data } = (await response.json()) as { data: { snapshotId: string } }
  return data.snapshotId
}

function untilServed(origin: string, snapshotId: string): Promise<true> {
  return eventually(`${snapshotId} is served`, async () =>
    (await headOf(origin)) === snapshotId ? true : undefined,
  )
}

interface Ready {
  readonly status: string
  readonly release: {
    readonly snapshotId: string
    readonly refused?: { readonly snapshotId: string; readonly reason: string }
    readonly unread?: string
  }
}

async function readyz({ admin }: Started): Promise<Ready> {
  const response = await fetch(`${admin}/readyz`)
  assert.equal(response.status, 200)
  return (await response.json()) as Ready
}

async function metric({ admin }: Started, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${admin}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length))
}

test('a published version is served within the reload interval, in the API and on the pages', async (t) => {
  // A reused response of the old version would outlast the test.
  const started = await start(t, { SVC_RELEASE_POLL_SECONDS: '1', SVC_REUSE_SECONDS: '60' })
  const { service, origin, releasesDir } = started
  assert.equal(await headOf(origin), 'VS-0002')
  assert.ok((await (await fetch(`${origin}/en/history`)).text()).includes('VS-0002'))
  writeReleases(releasesDir, 4)
  await untilServed(origin, 'VS-0004')
  assert.ok((await (await fetch(`${origin}/en/history`)).text()).includes('VS-0004'))
  for (const snapshotId of ['VS-0001', 'VS-0003', 'VS-0004']) {
    const response = await fetch(`${origin}/api/v1/versions/${snapshotId}`)
    assert.equal(response.status, 200, snapshotId)
  }
  const history = (await (await fetch(`${origin}/api/v1/versions`)).json()) as {
    data: { count: number; head: { snapshotId: string }; entries: { snapshotId: string }[] }
  }
  assert.equal(history.data.count, 4)
  assert.equal(history.data.head.snapshotId, 'VS-0004')
  assert.deepEqual(
    history.data.entries.map(({ snapshotId }) => snapshotId),
    ['VS-0004', 'VS-0003', 'VS-0002', 'VS-0001'],
  )
  const status = await fetch(`${origin}/api/v1/status`)
  const digest = path.basename(resourceFile(releasesDir, 'VS-0004', 'status'), '.json')
  assert.equal(status.headers.get('etag'), `W/"${digest}"`)
  assert.equal((await readyz(started)).release.snapshotId, 'VS-0004')
  assert.equal(await metric(started, 'svc_release_info{snapshot_id="VS-0004"}'), 1)
  assert.equal((await service.stop()).code, 0)
})

test('SIGHUP does not end the process, and looks for a release immediately', async (t) => {
  const started = await start(t, { SVC_RELEASE_POLL_SECONDS: '0' })
  const { service, origin, releasesDir } = started
  writeReleases(releasesDir, 3)
  service.signal('SIGHUP')
  await untilServed(origin, 'VS-0003')
  // A storm of signals is a few reloads, one after the other.
  writeReleases(releasesDir, 4)
  for (let each = 0; each < 200; each += 1) service.signal('SIGHUP')
  await untilServed(origin, 'VS-0004')
  assert.equal((await service.stop()).code, 0)
})

/** What is wrong with the newest version, and what the log says of it. */
const REFUSED: readonly (readonly [
  what: string,
  damage: (releasesDir: string, snapshotId: string) => void,
  reason: RegExp,
])[] = [
  [
    'of another chain',
    (...newest) => editEntry(...newest, { previousHash: '1'.repeat(64) }),
    /PREVIOUS_HASH/,
  ],
  ['with false changes', (...newest) => editEntry(...newest, { changes: [] }), /CHANGES/],
  [
    'with a damaged resource',
    (...newest) => editFile(resourceFile(...newest, 'status'), (text) => `${text} `),
    /the resource status cannot be served: found the digest/,
  ],
  [
    'with a missing resource',
    (...newest) => rmSync(resourceFile(...newest, 'status')),
    /the resource status cannot be served: .* is missing/,
  ],
  ['that is not JSON', (...newest) => writeFileSync(entryFile(...newest), '{'), /VS-/],
]

function entryFile(releasesDir: string, snapshotId: string): string {
  return path.join(releasesDir, 'versions', `${snapshotId}.json`)
}

function editEntry(releasesDir: string, snapshotId: string, change: Partial<VersionEntry>): void {
  const file = entryFile(releasesDir, snapshotId)
  const { hash: _, ...entry } = JSON.parse(readFileSync(file, 'utf8')) as VersionEntry
  const edited = { ...entry, ...change }
  writeFileSync(file, canonicalJson({ ...edited, hash: sha256Hex(versionHashText(edited)) }))
}

test('refuses a damaged version and serves the old one until it is repaired', async (t) => {
  const started = await start(t, { SVC_RELEASE_POLL_SECONDS: '0' })
  const { service, origin, releasesDir, folder } = started
  for (const [index, [what, damage, reason]] of REFUSED.entries()) {
    const [served, newest] = [`VS-000${index + 2}`, `VS-000${index + 3}`] as const
    // Prepared elsewhere, so that it appears with its damage.
    const prepared = path.join(folder, 'prepared')
    writeReleases(prepared, index + 3)
    const good = readFileSync(entryFile(prepared, newest), 'utf8')
    damage(prepared, newest)
    rmSync(releasesDir, { recursive: true })
    renameSync(prepared, releasesDir)
    service.signal('SIGHUP')
    const line = await eventually(
      `a version ${what} is refused`,
      () => service.lines().filter(({ msg }) => msg.includes('Release refused'))[index],
    )
    assert.equal(line.level, 'error')
    assert.match(String(line['reason']), reason)
    assert.ok(String(line['reason']).includes(newest), what)
    assert.equal(line['serving'], served)
    assert.equal(await headOf(origin), served)
    const ready = await readyz(started)
    assert.equal(ready.status, 'ready')
    assert.equal(ready.release.snapshotId, served)
    assert.equal(ready.release.refused?.snapshotId, newest)
    assert.match(ready.release.refused?.reason ?? '', reason)
    assert.equal(await metric(started, 'svc_release_reload_failures_total'), index + 1)
    assert.equal(await metric(started, 'svc_release_refused'), 1)

    writeFileSync(entryFile(releasesDir, newest), good)
    writeReleases(releasesDir, index + 3)
    service.signal('SIGHUP')
    await untilServed(origin, newest)
    assert.equal((await readyz(started)).release.refused, undefined)
    assert.equal(await metric(started, 'svc_release_refused'), 0)
  }
  assert.equal((await service.stop()).code, 0)
})

test(
  'a process that reads and is killed is named, and refuses no version',
  { skip: process.platform === 'linux' ? false : 'finds the process in /proc' },
  async (t) => {
    const started = await start(t, { SVC_RELEASE_POLL_SECONDS: '0' }, (releasesDir) =>
      writeFileSync(resourceFile(releasesDir, 'VS-0001', 'status'), 'damaged'),
    )
    const { service, origin, releasesDir } = started
    // The first look ends with it, so that the next process is that of the signal.
    await service.line('The releases folder is damaged')
    service.signal('SIGHUP')
    const children = `/proc/${service.pid}/task/${service.pid}/children`
    const reader = await eventually(
      'the process that reads',
      () => /[1-9]\d*/.exec(readFileSync(children, 'utf8'))?.[0],
    )
    process.kill(Number(reader), 'SIGKILL')
    const line = await service.line('The releases folder could not be read; still serving VS-0002')
    assert.match(String(line['reason']), /ended with SIGKILL$/)
    const { release } = await readyz(started)
    assert.deepEqual([release.unread, release.refused], [line['reason'], undefined])
    assert.equal(await metric(started, 'svc_release_refused'), 1)
    writeReleases(releasesDir, 3)
    service.signal('SIGHUP')
    await untilServed(origin, 'VS-0003')
    assert.equal((await readyz(started)).release.unread, undefined)
    assert.equal(await metric(started, 'svc_release_refused'), 0)
    assert.equal((await service.stop()).code, 0)
  },
)

test('serves a resource once it is repaired', async (t) => {
  const deployment = makeDeployment(t)
  const file = resourceFile(deployment.releasesDir, 'VS-0002', 'roadmap')
  const good = readFileSync(file, 'utf8')
  writeFileSync(file, 'damaged')
  const service = startService(t, deployment.folder, { SVC_RELEASE_POLL_SECONDS: '0' })
  const { origin } = await service.serving()
  assert.equal((await fetch(`${origin}/api/v1/roadmap`)).status, 503)
  writeFileSync(file, good)
  service.signal('SIGHUP')
  await eventually('the roadmap is served', async () =>
    (await fetch(`${origin}/api/v1/roadmap`)).status === 200 ? true : undefined,
  )
  assert.equal((await service.stop()).code, 0)
})

test('all workers serve a new version, also a worker started during a refusal', async (t) => {
  const started = await start(t, { SVC_RELEASE_POLL_SECONDS: '0', SVC_WORKERS: '2' })
  const { service, origin, releasesDir } = started
  const pids = () =>
    service
      .lines()
      .filter(({ msg }) => msg === 'Worker ready')
      .map((line) => Number(line['pid']))
  await eventually('two workers are ready', () => (pids().length === 2 ? true : undefined))
  writeReleases(releasesDir, 3)
  service.signal('SIGHUP')
  const workersOf = (text: string) =>
    new Set(
      service
        .lines()
        .filter(({ msg }) => msg === text)
        .map(({ worker }) => worker),
    ).size
  await eventually('both workers serve it', () =>
    workersOf('Serving release VS-0003') === 2 ? true : undefined,
  )
  for (let each = 0; each < 6; each += 1) assert.equal(await headOf(origin), 'VS-0003')

  writeReleases(releasesDir, 4)
  const damaged = resourceFile(releasesDir, 'VS-0004', 'status')
  const good = readFileSync(damaged, 'utf8')
  writeFileSync(damaged, 'damaged')
  service.signal('SIGHUP')
  await service.line('Release refused')
  process.kill(pids()[0] ?? 0, 'SIGKILL')
  await eventually('a third worker is ready', () => (pids().length === 3 ? true : undefined))
  for (let each = 0; each < 6; each += 1) assert.equal(await headOf(origin), 'VS-0003')

  writeFileSync(damaged, good)
  service.signal('SIGHUP')
  await eventually('old and new workers serve it', () =>
    workersOf('Serving release VS-0004') === 2 ? true : undefined,
  )
  for (let each = 0; each < 6; each += 1) assert.equal(await headOf(origin), 'VS-0004')
  assert.equal((await readyz(started)).release.snapshotId, 'VS-0004')
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
})

interface KeyDocument {
  readonly keyId: string
  readonly keys: readonly { readonly keyId: string; readonly status: string }[]
}

async function keysOf(origin: string): Promise<KeyDocument> {
  const response = await fetch(`${origin}/api/v1/keys/signing-key`, {
    headers: { Connection: 'close' },
  })
  return ((await response.json()) as { data: KeyDocument }).data
}

for (const workers of ['1', '2']) {
  test(`SIGHUP applies a rotation of the signing key step by step with ${workers} worker(s)`, async (t) => {
    const { service, origin, folder, secretsDir } = await start(t, { SVC_WORKERS: workers })
    const { keyId: oldId } = await keysOf(origin)
    const untilKeys = (what: string, isDone: (document: KeyDocument) => boolean) =>
      eventually(what, async () => {
        service.signal('SIGHUP')
        // Several requests, because each may reach another worker.
        const documents = []
        for (let each = 0; each < 4; each += 1) documents.push(await keysOf(origin))
        return documents.every(isDone) ? documents[0] : undefined
      })
    const run = async (...args: readonly string[]) => {
      succeeded(await svcIn(folder, ['signing-key', ...args]))
    }

    await run('new')
    const both = await untilKeys('the next key is published', ({ keys }) => keys.length === 2)
    assert.equal(both.keyId, oldId)
    const nextId = both.keys.find(({ status }) => status === 'next')?.keyId
    assert.notEqual(nextId, undefined)

    // A damaged file leaves the keys in use.
    const file = path.join(secretsDir, 'signing-keys.json')
    const good = readFileSync(file, 'utf8')
    writeFileSync(file, '{')
    service.signal('SIGHUP')
    await service.line('Signing keys refused')
    assert.equal((await keysOf(origin)).keys.length, 2)
    writeFileSync(file, good)

    await run('promote')
    await untilKeys('the next key signs', ({ keyId }) => keyId === nextId)
    assert.equal((await service.stop()).code, 0)
  })
}

test('follows a redaction without a restart, and does not report it as damage', async (t) => {
  const deployment = makeDeployment(t)
  const { folder, releasesDir } = deployment
  const env = { SVC_RELEASE_POLL_SECONDS: '1' }
  const service = startService(t, folder, env)
  const { origin } = await service.serving()
  const args = ['redact', 'VS-0001', 'status', '--yes', '--reason', 'It named a person.']
  succeeded(await svcIn(folder, [...args, '--releases', releasesDir]))
  const line = await service.line('Serving release VS-0002')
  assert.deepEqual([line['versions'], line['redactions']], [0, 1])
  assert.equal((await fetch(`${origin}/api/v1/status`)).status, 200)
  assert.equal((await service.stop()).code, 0)

  const next = startService(t, folder, env)
  await next.serving()
  assert.equal((await next.stop()).code, 0)
  assert.ok(!next.stdout().includes('damaged'))
})
