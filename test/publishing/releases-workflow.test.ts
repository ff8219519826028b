import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createExample } from '@public-api/contract/documents/examples'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import {
  ORGANIZATION_RESOURCE,
  ORGANIZATION_SCHEMA,
  type Organization,
} from '@public-api/contract/snapshots/organization'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { sha256Base64url } from '../../src/crypto/sha256.ts'
import { appendVersion } from '../../src/publishing/releases/append-version.ts'
import { publishRelease } from '../../src/publishing/releases/publish-release.ts'
import { readVersions } from '../../src/publishing/releases/published-versions.ts'
import { redactResource } from '../../src/publishing/releases/redact-resource.ts'
import { rollBackRelease } from '../../src/publishing/releases/roll-back-release.ts'
import { verifyReleases } from '../../src/publishing/releases/verify-releases.ts'
import { PublishError, type PublishFault } from '../../src/publishing/rules/publish-error.ts'
import { openReleaseStore, ReleaseFileError } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { editContent, FIXTURE_NOW_MS, makeContent } from './content-fixture.ts'

/** Three versions: the second has another roadmap title, the third another status name as well. */
async function publishThree(t: TestContext) {
  const contentDir = makeContent(t)
  const releasesDir = path.join(temporaryFolder(t), 'releases')
  const store = openReleaseStore(releasesDir)
  const common = { store, nowMs: FIXTURE_NOW_MS, registryVersion: '1.0.0' }
  const publish = (note: string) => publishRelease({ ...common, contentDir, note })
  const first = await publish('One.')
  editContent(contentDir, 'roadmap', 'title: Writing', 'title: Personal data')
  const second = await publish('Two.')
  editContent(contentDir, 'roadmap', 'title: Personal data', 'title: Writing well')
  editContent(contentDir, 'status', 'name: Read API', 'name: Reads')
  const third = await publish('Three.')
  const fileOf = (digest: string, name = 'roadmap'): string =>
    path.join(releasesDir, 'resources', name, `${digest}.json`)
  return {
    contentDir,
    releasesDir,
    common,
    store,
    publish,
    fileOf,
    entries: [first.entry, second.entry, third.entry] as const,
  }
}

async function assertRefused(
  work: Promise<unknown>,
  code: PublishFault,
  message: RegExp,
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof PublishError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  })
}

test('a rollback is a new version with the older content', async (t) => {
  const { common, store, entries } = await publishThree(t)
  const rollBack = (snapshotId: string) => rollBackRelease({ ...common, snapshotId, note: 'Back.' })
  const { outcome, entry } = await rollBack('VS-0001')
  assert.equal(outcome, 'published')
  assert.deepEqual(entry.resources, entries[0].resources)
  assert.deepEqual(entry.changes, [
    { resource: 'roadmap', kind: 'changed' },
    { resource: 'status', kind: 'changed' },
  ])
  assert.equal(entry.previousHash, entries[2].hash)
  assert.deepEqual((await verifyReleases(store)).findings, [])
  assert.equal((await rollBack('VS-0001')).outcome, 'unchanged')
  assert.equal((await rollBack('VS-0004')).outcome, 'unchanged')
  assert.equal(store.readVersionIds().length, 4)
  await assertRefused(
    rollBack('VS-0009'),
    'VERSION',
    /no version "VS-0009"; expected VS-0001 to VS-0004/,
  )
})

test('a rollback to damaged or outdated content is refused, and nothing changes', async (t) => {
  const { common, store, fileOf, entries } = await publishThree(t)
  const rollBack = () => rollBackRelease({ ...common, snapshotId: 'VS-0001', note: 'Back.' })
  const file = fileOf(entries[0].resources['roadmap'] ?? '')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('Writing', 'Writinh'))
  await assertRefused(
    rollBack(),
    'VERSION',
    /^VS-0001 cannot be published again: roadmap: found the digest/,
  )
  rmSync(file)
  await assertRefused(rollBack(), 'VERSION', /roadmap: .*is missing/)
  assert.equal(store.readVersionIds().length, 3)
})

/** Appends a version as an older release of the software published it: with data that today's rules refuse. */
function publishOlder(
  store: ReturnType<typeof openReleaseStore>,
  changed: { readonly [name: string]: object },
): string {
  const versions = readVersions(store)
  const resources = { ...versions.at(-1)?.resources }
  const texts = Object.entries(changed).map(([name, data]) => {
    const text = canonicalJson(data as JsonValue)
    const digest = sha256Base64url(text)
    resources[name] = digest
    return { name, digest, text }
  })
  const options = { store, nowMs: FIXTURE_NOW_MS, registryVersion: '1.0.0', note: 'Older.' }
  const { entry } = appendVersion(options, versions, resources, () => {
    for (const { name, digest, text } of texts) store.writeResource(name, digest, text)
    return []
  })
  return entry.snapshotId
}

test('a rollback applies the rules of today to what older rules let pass', async (t) => {
  const { common, store } = await publishThree(t)
  const example = createExample(ORGANIZATION_SCHEMA) as unknown as Organization
  const published = (base64: string) => ({
    mediaType: 'image/svg+xml',
    base64,
    width: 9,
    height: 9,
  })
  const svg = (mask: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0" mask="${mask}"/></svg>`
  const logo = (mask: string) => ({
    ...example,
    links: [],
    logo: { ...published(Buffer.from(svg(mask)).toString('base64')), alt: 'A path' },
  })
  const link = { id: 'a', title: 'A', url: 'https://example.org/a b.pdf' }
  const ids = [
    publishOlder(store, { [ORGANIZATION_RESOURCE]: { ...logo('none'), links: [link] } }),
    publishOlder(store, { [ORGANIZATION_RESOURCE]: logo("image-set('https://a.example/b.png')") }),
    publishOlder(store, {
      [ORGANIZATION_RESOURCE]: {
        ...logo('none'),
        accentColor: { light: '#000000', dark: '#ffffff' },
      },
    }),
  ]
  publishOlder(store, { [ORGANIZATION_RESOURCE]: logo('none') })
  const rollBack = (snapshotId = '') => rollBackRelease({ ...common, snapshotId, note: 'Back.' })
  await assertRefused(
    rollBack(ids[0]),
    'VERSION',
    /site\/organization: links\[0\]\.url: found .*not a URI.*expected the URI https:\/\/example\.org\/a%20b\.pdf$/,
  )
  await assertRefused(
    rollBack(ids[1]),
    'VERSION',
    /site\/organization: logo: found .*attribute mask/,
  )
  const { outcome, warnings } = await rollBack(ids[2])
  assert.equal(outcome, 'published')
  assert.deepEqual(
    warnings.map((warning) => warning.replace(/found.*/, '')),
    ['svc check would refuse site/organization: accentColor.light: '],
  )
})

test('a rollback warns of a status that contradicts itself', async (t) => {
  const { common, store, entries } = await publishThree(t)
  const digest = entries[0].resources['status'] ?? ''
  const status = JSON.parse(store.readResourceText('status', digest)) as {
    readonly components: readonly object[]
  }
  const components = status.components.map((each) => ({ ...each, state: 'major_outage' }))
  const contradiction = publishOlder(store, { status: { ...status, components } })
  publishOlder(store, { status })
  const { warnings } = await rollBackRelease({
    ...common,
    snapshotId: contradiction,
    note: 'Back.',
  })
  assert.match(warnings.join('\n'), /^svc check would refuse status: state: found "operational"/)
})

test('a redaction permanently removes the bytes and keeps the chain valid', async (t) => {
  const { contentDir, common, store, fileOf, releasesDir, entries, publish } = await publishThree(t)
  const digest = entries[1].resources['roadmap'] ?? ''
  const redact = (
    snapshotId: string,
    resource = 'roadmap',
    reason = 'Held the data of a person.',
  ) => redactResource({ ...common, snapshotId, resource, reason })
  // What a crash of the publisher may leave beside a file.
  const leftover = `${fileOf(digest)}.0123456789ab.partial`
  writeFileSync(leftover, 'Personal data')
  const bytes = readFileSync(fileOf(digest))
  const result = await redact('VS-0002')
  assert.deepEqual(result, {
    resource: 'roadmap',
    digest,
    reason: 'Held the data of a person.',
    redactedAt: '2026-03-01T12:00:00.000Z',
    snapshotIds: ['VS-0002'],
  })
  for (const name of readdirSync(releasesDir, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(releasesDir, name)
    if (name.endsWith('.json') || name.endsWith('.partial')) {
      assert.ok(!readFileSync(file, 'utf8').includes('Personal data'), name)
    }
  }
  assert.equal(existsSync(fileOf(digest)), false)
  assert.equal(
    readFileSync(fileOf(digest).replace(/json$/, 'redacted.json'), 'utf8'),
    '{"reason":"Held the data of a person.","redactedAt":"2026-03-01T12:00:00.000Z"}',
  )
  assert.throws(
    () => store.readResourceText('roadmap', digest),
    (error) => error instanceof ReleaseFileError && error.code === 'REDACTED',
  )
  assert.deepEqual(store.listRedactions(), [
    { resource: 'roadmap', digest, reason: result.reason, redactedAt: result.redactedAt },
  ])
  const verified = await verifyReleases(store)
  assert.deepEqual(verified.findings, [])
  assert.equal(verified.redacted.length, 1)
  // Bytes that a program that copies the folder left there, whole or damaged.
  for (const left of [bytes, '{}']) {
    writeFileSync(fileOf(digest), left)
    assert.deepEqual(
      (await verifyReleases(store)).findings.map(({ message }) => message),
      ['found the bytes of a redacted resource, expected none; redact it again'],
    )
    assert.equal(loadReleases(store).readResource('roadmap', digest), undefined)
  }
  // The first reason stays, and bytes that are there are removed.
  assert.equal((await redact('VS-0002', 'roadmap', 'Another reason.')).reason, result.reason)
  assert.equal(existsSync(fileOf(digest)), false)

  // It does not come back: by a rollback, nor by publishing the same content.
  const target = { snapshotId: 'VS-0002', note: 'Back.', contentDir }
  const back = await rollBackRelease({ ...common, ...target })
  assert.equal(back.entry.resources['roadmap'], entries[2].resources['roadmap'])
  assert.deepEqual(back.warnings, ['roadmap is redacted in VS-0002; it stays as in VS-0003'])
  editContent(contentDir, 'roadmap', 'title: Writing well', 'title: Personal data')
  await assertRefused(publish('Again.'), 'REDACTED', /roadmap was redacted with this content/)
  assert.equal(store.readVersionIds().length, 4)
})

test('names what cannot be redacted', async (t) => {
  const { common, store } = await publishThree(t)
  const redact = (snapshotId: string, resource: string, reason = 'R.') =>
    redactResource({ ...common, snapshotId, resource, reason })
  await assertRefused(
    redact('VS-0003', 'roadmap'),
    'VERSION',
    /VS-0003, the newest version, serves this roadmap/,
  )
  // The same bytes are served by the newest version.
  await assertRefused(redact('VS-0001', 'changelog'), 'VERSION', /serves this changelog/)
  await assertRefused(
    redact('VS-0001', 'roadmpa'),
    'VERSION',
    /no such resource; did you mean roadmap\?/,
  )
  await assertRefused(redact('VS-0001', '__proto__'), 'VERSION', /no such resource/)
  await assertRefused(redact('VS-0007', 'roadmap'), 'VERSION', /no version "VS-0007"/)
  await assertRefused(
    redact('VS-0001', 'roadmap', 'asked someone@example.org'),
    'NOTE',
    /the reason must not be published/,
  )
  await assertRefused(redact('VS-0001', 'roadmap', ' '), 'NOTE', /the reason has no text/)
  assert.deepEqual(store.listRedactions(), [])
})

test('detects a crash between redaction and removal, and a second redaction finishes it', async (t) => {
  const { common, store, fileOf, entries } = await publishThree(t)
  const digest = entries[1].resources['roadmap'] ?? ''
  const text = readFileSync(fileOf(digest), 'utf8')
  await redactResource({ ...common, snapshotId: 'VS-0002', resource: 'roadmap', reason: 'R.' })
  writeFileSync(fileOf(digest), text)
  assert.match(
    (await verifyReleases(store)).findings[0]?.message ?? '',
    /found the bytes of a redacted resource/,
  )
  await redactResource({ ...common, snapshotId: 'VS-0002', resource: 'roadmap', reason: 'R.' })
  assert.equal(existsSync(fileOf(digest)), false)
  assert.deepEqual((await verifyReleases(store)).findings, [])
})

test('the check of a folder finds a damaged, foreign or misplaced redaction', async (t) => {
  const { store, fileOf, entries } = await publishThree(t)
  const [old = '', newest = ''] = [entries[1].resources['roadmap'], entries[2].resources['roadmap']]
  const redaction = '{"reason":"R.","redactedAt":"2026-03-01T12:00:00.000Z"}'
  const tombstone = (digest: string): string => fileOf(digest).replace(/json$/, 'redacted.json')
  const findingsWith = async (digest: string, text: string): Promise<string> => {
    writeFileSync(tombstone(digest), text)
    const { findings } = await verifyReleases(store)
    rmSync(tombstone(digest))
    return findings.map(({ where, message }) => `${where}: ${message}`).join('\n')
  }
  assert.match(await findingsWith(old, '{}'), /VS-0002 roadmap: .*is not a redaction/)
  assert.match(
    await findingsWith('A'.repeat(43), redaction),
    /a redaction of a resource that no version names/,
  )
  assert.match(
    await findingsWith(newest, redaction),
    /VS-0003 roadmap: found a redaction of what the newest version serves/,
  )
  assert.deepEqual((await verifyReleases(store)).findings, [])
})

test('the commands: diff, log, rollback, redact, verify-releases', async (t) => {
  const { contentDir, releasesDir } = await publishThree(t)
  const svc = (...args: readonly string[]) => svcIn(path.dirname(contentDir), args)
  const releases = ['--releases', releasesDir]

  succeeded(await svc('diff', '--content', contentDir, ...releases))
  editContent(contentDir, 'status', 'summary: What it is.', 'summary: What it was.')
  const diff = succeeded(await svc('diff', '--content', contentDir, ...releases))
  assert.match(diff, /^From VS-0003 to /)
  assert.match(diff, /^status\n {2}summary: What it \[-is-\]\{\+was\+\}\.$/m)
  const between = await svc('diff', 'VS-0001', 'VS-0003', ...releases)
  assert.equal(
    between.out,
    'From VS-0001 to VS-0003:\nroadmap\n  items[writing].title: Writing{+ well+}\nstatus\n  components[read-api].name: [-Read API-]{+Reads+}\n',
  )
  const json = JSON.parse((await svc('diff', 'VS-0001', 'VS-0003', ...releases, '--json')).out) as {
    resources: readonly { resource: string; fields: readonly unknown[] }[]
  }
  assert.deepEqual(json.resources[0], {
    resource: 'roadmap',
    kind: 'changed',
    fields: [
      { path: 'items[writing].title', kind: 'changed', before: 'Writing', after: 'Writing well' },
    ],
  })
  assert.equal((await svc('diff', 'VS-0001', ...releases)).status, 2)
  assert.equal((await svc('diff', 'VS-0001', 'VS-0002', '--content', contentDir)).status, 2)
  assert.equal((await svc('diff', 'VS-0001', 'VS-0009', ...releases)).status, 1)

  assert.equal((await svc('rollback', 'VS-0001', '--note', ' ', ...releases)).status, 2)
  assert.match(
    (await svc('rollback', 'VS-0001', '--no-cards', '--note', 'Back.', ...releases)).out,
    /^Published VS-0004 in .*\n {2}changed: roadmap\n {2}changed: status\n$/,
  )
  const log = await svc('versions', ...releases)
  assert.deepEqual(log.out.match(/^VS-\d{4}/gm), ['VS-0004', 'VS-0003', 'VS-0002', 'VS-0001'])
  assert.match(log.out, /^ {2}"Back\."$/m)
  assert.equal(
    (
      JSON.parse((await svc('versions', '--json', ...releases)).out) as {
        versions: readonly unknown[]
      }
    ).versions.length,
    4,
  )

  assert.equal((await svc('redact', 'VS-0002', 'roadmap', ...releases)).status, 2)
  const unconfirmed = await svc('redact', 'VS-0002', 'roadmap', '--reason', 'R.', ...releases)
  assert.equal(unconfirmed.status, 2)
  // Of many fields, the first ones shown are those that the newest version no longer has.
  assert.match(
    unconfirmed.error,
    /This permanently removes roadmap from VS-0002 in .*\n {2}items\[\d\]\.title: Personal data\n(?: {2}.*\n)+/,
  )
  assert.match(
    unconfirmed.error,
    /expected --yes, because standard input is not a terminal; nothing was removed/,
  )
  assert.doesNotMatch((await svc('versions', ...releases)).out, /redacted/)
  assert.match(
    (await svc('redact', '--yes', 'VS-0002', 'roadmap', '--reason', 'R.', ...releases)).out,
    /^Redacted roadmap of VS-0002 in /,
  )
  assert.match((await svc('versions', ...releases)).out, /^ {2}redacted: roadmap, \S+Z, R\.$/m)
  assert.match(
    (await svc('diff', 'VS-0001', 'VS-0002', ...releases)).out,
    /cannot be compared: .*was redacted/,
  )
  // Every snapshot, and the second form of two of them.
  const resources = SNAPSHOT_NAMES.length + 2
  assert.match(
    (await svc('audit', releasesDir)).out,
    new RegExp(
      `is intact up to VS-0004: 4 versions, ${resources} resources, 1 redaction\\.\\n {2}redacted: roadmap of VS-0002, \\S+Z, R\\.\\n$`,
    ),
  )
  const file = path.join(releasesDir, 'versions', 'VS-0003.json')
  const entry = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...entry, note: 'Another note.' }))
  assert.match((await svc('audit', releasesDir)).error, /: VS-0003 was edited after publication$/m)
  writeFileSync(file, '{}')
  const damaged = await svc('audit', releasesDir, '--json')
  assert.equal(damaged.status, 1)
  assert.partialDeepStrictEqual(JSON.parse(damaged.out), { ok: false, code: 'FINDINGS' })
})
