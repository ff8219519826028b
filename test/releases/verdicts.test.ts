import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { sha256Base64url } from '../../src/crypto/sha256.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { readUpdate } from '../../src/service/releases/read-releases.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { resourceFile } from '../support/deployment.ts'
import { folderWithLog, folderWithReleases } from '../support/logged-releases.ts'
import { madeEntry } from '../support/made-entry.ts'
import { failedWith, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'

type Data = { readonly [member: string]: JsonValue }
type Damage = (releases: string) => void

const versionFile = (releases: string, id: string) => path.join(releases, `versions/${id}.json`)

function writeVersion(
  releases: string,
  changed: { readonly [name: string]: string | undefined },
  content: Partial<VersionEntry> = {},
): void {
  const head = JSON.parse(fs.readFileSync(versionFile(releases, 'VS-0002'), 'utf8')) as VersionEntry
  const resources = { ...head.resources }
  for (const [name, text] of Object.entries(changed)) {
    delete resources[name]
    if (text === undefined) continue
    const digest = (resources[name] = sha256Base64url(text))
    const file = path.join(releases, 'resources', name, `${digest}.json`)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
  const entry = madeEntry(head, resources, content)
  fs.writeFileSync(versionFile(releases, 'VS-0003'), canonicalJson({ ...entry }))
}

/** A third version of a chain that is right, with another text of a resource. */
const chained =
  (name: string, text: string | undefined, content?: Partial<VersionEntry>): Damage =>
  (releases) =>
    writeVersion(releases, { [name]: text }, content)

/** The same with an edited status. */
const withStatus =
  (edit: (status: Data) => JsonValue, content?: Partial<VersionEntry>): Damage =>
  (releases) => {
    const text = fs.readFileSync(resourceFile(releases, 'VS-0002', 'status'), 'utf8')
    const edited = edit(JSON.parse(text) as Data)
    writeVersion(releases, { status: canonicalJson(edited) }, content)
  }

const intact = withStatus((status) => ({ ...status, summary: 'Of the third version.' }))
const LATER = { registryVersion: '99.0.0' }

/** What is done to a folder after its third version was written. */
const after =
  (damage: Damage): Damage =>
  (releases) => {
    intact(releases)
    damage(releases)
  }
const copyOfVersion = (id: string) =>
  after((releases) => fs.copyFileSync(versionFile(releases, 'VS-0003'), versionFile(releases, id)))

/**
 * Folders, and what a start does: it serves all of the newest version, does not serve a resource, or refuses. The audit may
 * name more, which nothing serves.
 */
const FOLDERS: readonly (readonly [
  what: string,
  start: 'serves' | 'refuses' | { readonly lacks: string },
  damage: Damage,
  audit?: RegExp,
])[] = [
  ['an intact version', 'serves', intact],
  ['a member that is missing', { lacks: 'status' }, withStatus(({ summary: _, ...rest }) => rest)],
  ['a member of another type', { lacks: 'status' }, withStatus((each) => ({ ...each, state: 7 }))],
  ['an unknown member', 'serves', withStatus((each) => ({ ...each, tier: 'gold' }))],
  ['an unknown resource', 'serves', chained('site/banner', '{"a":1}')],
  ['a list in place of a status', { lacks: 'status' }, withStatus(() => [])],
  ['other spelling of JSON', { lacks: 'roadmap' }, chained('roadmap', '{ "items": [] }')],
  ['no JSON', { lacks: 'roadmap' }, chained('roadmap', 'text')],
  ['a byte order mark', { lacks: 'roadmap' }, chained('roadmap', '\u{feff}{}')],
  ['no resource of an endpoint', { lacks: 'roadmap' }, chained('roadmap', undefined)],
  ['no organization', { lacks: 'site/organization' }, chained('site/organization', '{"name":7}')],
  [
    'no list of a year',
    { lacks: 'site/events/2024' },
    chained('site/events/2024', '{"incidents":7}'),
  ],
  ['a state of a later program', 'serves', withStatus((each) => ({ ...each, state: 'x' }), LATER)],
  ['a list of a later program', 'serves', withStatus(() => [], LATER)],
  ['no resource of a later program', 'serves', chained('roadmap', undefined, LATER)],
  ['no JSON of a later program', { lacks: 'site/a' }, chained('site/a', 'text', LATER)],
  [
    'a resource that is removed',
    { lacks: 'status' },
    after((releases) => fs.rmSync(resourceFile(releases, 'VS-0003', 'status'))),
  ],
  [
    'an older resource that is damaged',
    'serves',
    after((releases) => fs.writeFileSync(resourceFile(releases, 'VS-0001', 'status'), '{}')),
    /VS-0001 status: found the digest/,
  ],
  [
    'a broken link of the chain',
    'refuses',
    withStatus((each) => ({ ...each, summary: 'A.' }), { changes: [] }),
  ],
  [
    'an entry that is cut',
    'refuses',
    after((each) => fs.writeFileSync(versionFile(each, 'VS-0003'), '{')),
  ],
  ['no version', 'refuses', (each) => fs.rmSync(path.join(each, 'versions'), { recursive: true })],
  [
    'resources behind a link',
    'refuses',
    after((releases) => {
      fs.renameSync(path.join(releases, 'resources'), `${releases}-resources`)
      fs.symlinkSync(`${releases}-resources`, path.join(releases, 'resources'))
    }),
    /resources: found a link/,
  ],
  [
    'a second name of a version',
    'serves',
    copyOfVersion('VS-00003'),
    /VS-00003\.json: found a file/,
  ],
  ['another name of a version', 'serves', copyOfVersion('VS-0000'), /VS-0000\.json: found a file/],
]

for (const [what, start, damage, audit] of FOLDERS) {
  test(`audit, check, start and take-up agree on a folder with ${what}`, async (t) => {
    const folder = folderWithReleases(t, 2)
    const releases = path.join(folder, 'releases')
    const store = openReleaseStore(releases)
    const { served } = loadReleases(store)
    damage(releases)
    const audited = await svcIn(folder, ['audit', releases])
    const checked = await svcIn(folder, ['check', '--config'])
    assert.doesNotMatch(audited.error, /\n +at /, 'a stack is not a finding')
    if (start === 'refuses') {
      assert.throws(() => loadReleases(store, undefined, 'unread'))
      assert.deepEqual([audited.status === 0, checked.status], [false, 1])
      assert.match(checked.error, /SVC_RELEASES_DIR: expected releases to serve, found /)
      if (audit !== undefined) assert.match(audited.error, audit)
      return
    }
    const loaded = loadReleases(store, undefined, 'unread')
    assert.equal(checked.status, 0, checked.error)
    if (start !== 'serves') {
      assert.deepEqual(
        loaded.faults.map(({ resource }) => resource),
        [start.lacks],
      )
      assert.throws(() => readUpdate(store, served), new RegExp(`the resource ${start.lacks} `))
      assert.equal(audited.status, 1)
      assert.match(audited.error, new RegExp(`^VS-0003 ${start.lacks}: `, 'm'))
      assert.match(
        checked.out,
        new RegExp(`^ {2}${start.lacks} of VS-0003 is damaged and will `, 'm'),
      )
      return
    }
    assert.deepEqual(loaded.faults, [])
    assert.equal(audited.status, audit === undefined ? 0 : 1, audited.error)
    if (audit !== undefined) assert.match(audited.error, audit)
    const update = readUpdate(store, served)
    assert.equal(update?.versionTexts.length, 1)
    const app = await runApp(t, { releases: loadReleases(store, served.head).extend(update) })
    for (const target of ['/api/v1/status', '/en', '/en/status', '/th/status.md', '/en/roadmap']) {
      assert.equal((await app.fetch(target)).status, 200, target)
    }
  })
}

test('a log without a checkpoint is a finding of the audit', async (t) => {
  const { folder, releases } = await folderWithLog(t, 2)
  assert.equal((await svcIn(folder, ['audit', releases])).status, 0)
  fs.rmSync(path.join(releases, 'log/checkpoint'))
  const error = failedWith(1, await svcIn(folder, ['audit', releases]))
  assert.match(error, /^log\/checkpoint: is missing, expected the checkpoint of the log$/m)
})
