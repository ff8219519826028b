import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { futureVersionOf, laterProgramOf } from '@public-api/contract/registry/release-notices'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { sha256Base64url } from '../../../src/crypto/sha256.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { readReleases, readUpdate } from '../../../src/service/releases/read-releases.ts'
import { loadReleases } from '../../../src/service/releases/releases.ts'
import { isEarlyAccessUnread } from '../../../src/service/releases/unread-early-access.ts'
import { makeContent } from '../../publishing/content-fixture.ts'
import { folderWithReleases } from '../../support/logged-releases.ts'
import { madeEntry } from '../../support/made-entry.ts'
import { argsOf, svcIn } from '../../support/run-svc.ts'
import { runApp, TEST_BASE_URL } from '../../support/running-app.ts'

function headOf(releases: string): VersionEntry {
  const store = openReleaseStore(releases)
  return JSON.parse(store.readVersionText(store.readVersionIds().at(-1) ?? '')) as VersionEntry
}

/** Appends what a later program would write: a later registry, an unknown resource, and an unknown member of the status. */
function appendLater(releases: string, content: Partial<VersionEntry> = {}): VersionEntry {
  const store = openReleaseStore(releases)
  const newest = headOf(releases)
  const write = (name: string, data: JsonValue) => {
    const text = canonicalJson(data)
    const digest = sha256Base64url(text)
    const file = path.join(releases, 'resources', name, `${digest}.json`)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
    return digest
  }
  const status = JSON.parse(store.readResourceText('status', newest.resources['status'] ?? ''))
  const resources = {
    ...newest.resources,
    status: write('status', { ...(status as object), tier: 'gold', state: 'of a later program' }),
    'site/banner': write('site/banner', { state: 'shown' }),
  }
  const entry = madeEntry(newest, resources, { registryVersion: '99.0.0', ...content })
  fs.writeFileSync(
    path.join(releases, 'versions', `${entry.snapshotId}.json`),
    canonicalJson({ ...entry } as unknown as JsonValue),
  )
  return entry
}

function prepare(t: TestContext) {
  const folder = folderWithReleases(t, 2)
  return { folder, releases: path.join(folder, 'releases') }
}

const SAID =
  /VS-0003 was written by a later program \(registry 99\.0\.0, with site\/banner; this one knows/

test('a start and a running server take up what a later program wrote, and call nothing damaged', (t) => {
  const { releases } = prepare(t)
  const store = openReleaseStore(releases)
  const { served } = loadReleases(store)
  appendLater(releases)
  assert.deepEqual(readReleases(store).faults, [])
  const update = readUpdate(store, served)
  assert.deepEqual(update?.faults, [])
  assert.equal(update?.resources.length, 2)
})

test('registration is closed while a later program, or a damaged state, says what is open', async (t) => {
  const stored: unknown[] = []
  const message = 'You are on the list.'
  const waitlist = {
    isOpen: () => true,
    admit: () => Promise.resolve(),
    register(input: unknown) {
      stored.push(input)
      return Promise.resolve({ ticket: 'EA-0123456789ABCDEF', status: 'WAITING', message } as const)
    },
  }
  const stateOf = async (releases: string) => {
    const app = await runApp(t, { waitlist, releases: loadReleases(openReleaseStore(releases)) })
    const read = await app.fetch(READ_PATHS.earlyAccess)
    const { data } = (await read.json()) as { readonly data: { readonly state: string } }
    const body = JSON.stringify({ email: 'a@example.org', consent: true, challengeToken: 'a' })
    const headers = { 'Content-Type': 'application/json', Origin: TEST_BASE_URL }
    const sent = await app.fetch(ENDPOINTS.register.path, { method: 'POST', body, headers })
    const status = await app.fetch(READ_PATHS.status)
    const pages = await Promise.all(
      ['en', 'th', 'zh-CN'].map(async (locale) =>
        (await (await app.fetch(`/${locale}/early-access`)).text()).includes('<form'),
      ),
    )
    // The page says the same.
    assert.deepEqual(
      pages,
      pages.map(() => data.state === 'open'),
    )
    return [data.state, sent.status, status.status]
  }
  const { releases } = prepare(t)
  assert.deepEqual(await stateOf(releases), ['open', 200, 200])
  const unread = prepare(t)
  const digest = 'A'.repeat(43)
  appendLater(unread.releases, {
    registryVersion: REGISTRY_VERSION,
    resources: { ...headOf(unread.releases).resources, 'site/early-access': digest },
    changes: [{ resource: 'site/early-access', kind: 'added' }],
  })
  assert.deepEqual(await stateOf(unread.releases), ['unavailable', 503, 200])
  appendLater(releases)
  assert.deepEqual(await stateOf(releases), ['unavailable', 503, 200])
  assert.equal(stored.length, 1)
})

test('members that no schema knows are a later program’s, and may close the waitlist', async (t) => {
  const { folder, releases } = prepare(t)
  const store = openReleaseStore(releases)
  const { served } = loadReleases(store)
  const newest = headOf(releases)
  const text = canonicalJson({ state: 'open', text: 'It is open.', opensAt: 'later' })
  const digest = sha256Base64url(text)
  store.writeResource('site/early-access', digest, text)
  const entry = madeEntry(newest, { ...newest.resources, 'site/early-access': digest })
  store.appendVersion(entry.snapshotId, canonicalJson({ ...entry }))
  assert.deepEqual(served.unknownMembers, [])
  const update = readUpdate(store, served)
  assert.deepEqual(update?.faults, [])
  assert.ok(update !== undefined)
  const names = ['site/early-access/opensAt']
  const started = loadReleases(store)
  const takenUp = loadReleases(store, newest).extend(update)
  assert.deepEqual([started.served.unknownMembers, takenUp.served.unknownMembers], [names, names])
  assert.deepEqual([started, takenUp].map(isEarlyAccessUnread), [true, true])
  const said = /VS-0003 was written by a later program .*with site\/early-access\/opensAt; this one/
  assert.match((await svcIn(folder, ['audit', releases])).error, said)
  assert.match((await svcIn(folder, ['check', '--config'])).out, said)
  const back = await svcIn(folder, ['rollback', 'VS-0001', '--no-cards', '--note', 'Back'])
  assert.match(back.error, said)
})

test('audit and check --config name the later program, and publish does not go back', async (t) => {
  const { folder, releases } = prepare(t)
  appendLater(releases)
  const audited = await svcIn(folder, ['audit', releases])
  assert.equal(audited.status, 0, audited.error)
  assert.match(audited.error, SAID)
  const checked = await svcIn(folder, ['check', '--config'])
  assert.match(checked.out, SAID)
  const back = await svcIn(folder, ['rollback', 'VS-0001', '--no-cards', '--note', 'Back'])
  assert.equal(back.status, 1)
  assert.match(back.error, SAID)
  // Content of an older base is not advised to use --over, which is refused, too.
  const publish = [...argsOf('publish --no-cards -m Mine --content'), makeContent(t)]
  const mine = await svcIn(folder, [...publish, '--releases', releases])
  assert.equal(mine.status, 1)
  assert.match(mine.error, SAID)
  assert.equal(fs.existsSync(path.join(releases, 'versions', 'VS-0004.json')), false)
})

test('a version of a clock that is ahead is named, and that of this program is not', () => {
  const version = { snapshotId: 'VS-0027', createdAt: '2027-11-28T09:00:00.000Z' }
  const nowMs = Date.UTC(2026, 10, 28, 9)
  assert.match(
    futureVersionOf(version, nowMs) ?? '',
    /^FUTURE_VERSION: VS-0027 is of 2027-11-28.*525600 min ahead/,
  )
  const near = new Date(nowMs + 300_000).toISOString()
  assert.equal(futureVersionOf({ ...version, createdAt: near }, nowMs), undefined)
  const resources = {
    status: 'a',
    'site/events/2026': 'a',
    'site/translations/th/events/2026': 'a',
  }
  for (const registryVersion of ['1.0.0', '0.99.0', REGISTRY_VERSION]) {
    assert.equal(laterProgramOf({ snapshotId: 'VS-0001', registryVersion, resources }), undefined)
  }
})
