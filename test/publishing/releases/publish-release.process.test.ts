import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { checkRelease } from '../../../scripts/check-release.ts'
import { readHistory, versionHash } from '../../../src/crypto/published-history.ts'
import { sha256Base64url } from '../../../src/crypto/sha256.ts'
import type { PublishResult } from '../../../src/publishing/releases/append-version.ts'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { PublishError, type PublishFault } from '../../../src/publishing/rules/publish-error.ts'
import {
  openReleaseStore,
  ReleaseFileError,
  type ReleaseStore,
} from '../../../src/releases/release-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { textsBelow } from '../../support/texts-below.ts'
import { editContent, FIXTURE_NOW_MS, makeContent } from '../content-fixture.ts'

const HOUR_MS = 3_600_000

interface Rig {
  readonly contentDir: string
  readonly releasesDir: string
  readonly store: ReleaseStore
  readonly publish: (
    change?: Partial<Parameters<typeof publishRelease>[0]>,
  ) => Promise<PublishResult>
  readonly check: (registryVersion?: string) => Promise<readonly string[]>
}

function makeRig(t: TestContext): Rig {
  const contentDir = makeContent(t)
  const releasesDir = path.join(temporaryFolder(t), 'releases')
  const store = openReleaseStore(releasesDir)
  return {
    contentDir,
    releasesDir,
    store,
    publish: (change = {}) =>
      publishRelease({
        contentDir,
        store,
        nowMs: FIXTURE_NOW_MS,
        registryVersion: '1.0.0',
        note: 'A note.',
        ...change,
      }),
    check: async (registryVersion = '1.0.0') => {
      const findings = await checkRelease({
        contentDir,
        store,
        nowMs: FIXTURE_NOW_MS,
        registryVersion,
        publishCommand: 'svc publish',
      })
      return findings.map(({ where, message }) =>
        `${where}: ${message}`.replaceAll(contentDir, 'content'),
      )
    },
  }
}

async function assertRefused(
  run: Promise<unknown>,
  code: PublishFault,
  message: RegExp,
): Promise<PublishError> {
  let refused: PublishError | undefined
  await assert.rejects(run, (error) => {
    assert.ok(error instanceof PublishError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, message)
    refused = error
    return true
  })
  assert.ok(refused !== undefined)
  return refused
}

/** Every file below a folder, to show that nothing changed. */
const contentsOf = (folder: string) => (existsSync(folder) ? textsBelow(folder) : new Map())

test('the first version: genesis, everything added, each file named by its hash', async (t) => {
  const { publish, releasesDir, store, check } = makeRig(t)
  const { outcome, entry } = await publish({ note: 'The first one.' })
  assert.equal(outcome, 'published')
  assert.equal(entry.snapshotId, 'VS-0001')
  assert.equal(entry.createdAt, '2026-03-01T12:00:00.000Z')
  assert.equal(entry.apiVersion, 'v1')
  assert.equal(entry.registryVersion, '1.0.0')
  assert.equal(entry.note, 'The first one.')
  assert.equal(entry.previousHash, '0'.repeat(64))
  assert.deepEqual(Object.keys(entry.resources).toSorted(), [...SNAPSHOT_NAMES].toSorted())
  assert.deepEqual(
    entry.changes,
    [...SNAPSHOT_NAMES].toSorted().map((resource) => ({ resource, kind: 'added' })),
  )
  assert.equal(store.readVersionText('VS-0001'), canonicalJson({ ...entry }))
  assert.deepEqual(readHistory(store), [entry])
  assert.deepEqual(await check(), [])
  assert.deepEqual(readdirSync(path.join(releasesDir, 'versions')), ['VS-0001.json'])
})

test('openssl computes the digest of a resource file, which is its name', async (t) => {
  if (spawnSync('openssl', ['version']).status !== 0) {
    t.skip('openssl is not on this machine')
    return
  }
  const { publish, releasesDir } = makeRig(t)
  const { entry } = await publish()
  const digest = entry.resources['wallet/security'] ?? ''
  const file = path.join(releasesDir, 'resources', 'wallet', 'security', `${digest}.json`)
  const bytes = execFileSync('openssl', ['dgst', '-sha256', '-binary', file])
  assert.equal(bytes.toString('base64url'), digest)
})

test('the next version lists changes and keeps unchanged resources', async (t) => {
  const { publish, contentDir, store, check } = makeRig(t)
  const first = await publish()
  editContent(contentDir, 'roadmap', 'title: Writing', 'title: Writing well')
  assert.deepEqual(await check(), [
    'content roadmap: found unpublished changes, expected what VS-0001 publishes; run svc publish',
  ])
  const second = await publish({ nowMs: FIXTURE_NOW_MS + HOUR_MS })
  assert.equal(second.outcome, 'published')
  assert.equal(second.entry.snapshotId, 'VS-0002')
  assert.equal(second.entry.previousHash, first.entry.hash)
  assert.deepEqual(second.entry.changes, [{ resource: 'roadmap', kind: 'changed' }])
  assert.equal(second.entry.resources['status'], first.entry.resources['status'])
  assert.deepEqual(await check(), [])

  // Going back is publishing once more: what was said before gets its old digest, in a version of its own.
  editContent(contentDir, 'roadmap', 'title: Writing well', 'title: Writing')
  const third = await publish({ nowMs: FIXTURE_NOW_MS + HOUR_MS })
  assert.equal(third.entry.snapshotId, 'VS-0003')
  assert.equal(third.entry.resources['roadmap'], first.entry.resources['roadmap'])
  assert.equal(readHistory(store).length, 3)
})

test('comments and layout of the YAML are not changes', async (t) => {
  const { publish, contentDir, releasesDir } = makeRig(t)
  await publish()
  editContent(contentDir, 'roadmap', 'title: Writing', '# A comment.\n    "title":   "Writing"')
  const before = contentsOf(releasesDir)
  const { outcome, entry } = await publish({ nowMs: FIXTURE_NOW_MS + HOUR_MS })
  assert.equal(outcome, 'unchanged')
  assert.equal(entry.snapshotId, 'VS-0001')
  assert.deepEqual(contentsOf(releasesDir), before)
})

test('a new registry version is a new version without changed resources', async (t) => {
  const { publish, check } = makeRig(t)
  await publish()
  assert.deepEqual(await check('1.1.0'), [
    'VS-0001: found the registry version 1.0.0, expected 1.1.0; run svc publish',
  ])
  const { outcome, entry } = await publish({ registryVersion: '1.1.0' })
  assert.equal(outcome, 'published')
  assert.deepEqual(entry.changes, [])
  assert.equal(entry.registryVersion, '1.1.0')
  assert.deepEqual(await check('1.1.0'), [])
})

test('lists a resource as removed if only older versions have it', async (t) => {
  const { publish, store } = makeRig(t)
  const { entry } = await makeRig(t).publish()
  // Of a locale that the content folder no longer has.
  const translations = 'site/translations/th'
  const resources = { ...entry.resources, [translations]: 'A'.repeat(43) }
  const { hash: _, ...unhashed } = {
    ...entry,
    resources,
    changes: changesBetween({}, resources),
  }
  store.appendVersion('VS-0001', canonicalJson({ ...unhashed, hash: versionHash(unhashed) }))
  const next = await publish({ over: 'VS-0001' })
  assert.deepEqual(next.entry.changes, [{ resource: translations, kind: 'removed' }])
})

test('content with mistakes publishes nothing and lists them all', async (t) => {
  const { publish, contentDir, releasesDir } = makeRig(t)
  editContent(contentDir, 'roadmap', 'horizon: later', 'horizon: soon')
  editContent(contentDir, 'status', 'name: Read API', 'name: 1')
  const error = await assertRefused(publish(), 'CONTENT', /^the content has 2 mistakes$/)
  assert.deepEqual(
    error.mistakes.map(({ file, line, field }) => [path.basename(file), line, field]),
    [
      ['roadmap.yaml', 11, 'items[1].horizon'],
      ['status.yaml', 6, 'components[0].name'],
    ],
  )
  assert.deepEqual(contentsOf(releasesDir), new Map())
})

test('the note is one line, short, and searched for secrets', async (t) => {
  const { publish } = makeRig(t)
  await assertRefused(publish({ note: 'two\nlines' }), 'NOTE', /expected one line of text$/)
  await assertRefused(
    publish({ note: 'x'.repeat(501) }),
    'NOTE',
    /^the note has 501 characters; expected 1 to 500 characters$/,
  )
  await assertRefused(publish({ note: '   ' }), 'NOTE', /^the note has no text; expected 1 to 500/)
  const error = await assertRefused(
    publish({ note: 'asked someone@example.org' }),
    'CONTENT',
    /a mistake/,
  )
  assert.deepEqual(
    error.mistakes.map(({ file, rule }) => [file, rule]),
    [['the note', 'email-address']],
  )
})

test('a note is one line of at most 500 characters, with no space around it', async (t) => {
  const { publish, store } = makeRig(t)
  for (const note of [
    ' a note',
    'a note ',
    '\u00a0a note',
    'two\u2028lines',
    'two\u2029lines',
    'a\ttab',
    'a\u0000',
    'a\u0085',
    'a lone \ud800 surrogate',
    'turned \u202e around',
  ]) {
    const { message } = await assertRefused(publish({ note }), 'NOTE', /^the note has /)
    assert.doesNotMatch(message, /YAML/, 'a note is written on the command line')
  }
  assert.deepEqual(store.readVersionIds(), [])
  const longest = `${'a '.repeat(249)}bc`
  assert.equal(longest.length, 500)
  assert.equal((await publish({ note: longest })).entry.note, longest)
  assert.equal((await publish({ note: '中文 🦊', registryVersion: '1.0.1' })).entry.note, '中文 🦊')
})

test('a version that no transparency log could contain is not written', async (t) => {
  const { publish, store } = makeRig(t)
  await assertRefused(
    publish({ registryVersion: '1'.repeat(65_536) }),
    'VERSION',
    /the entry of VS-0001 would have \d+ bytes; expected at most 65535/,
  )
  assert.deepEqual(store.readVersionIds(), [])
})

test('a version of a clock that was ahead does not block the next one', async (t) => {
  const { publish, contentDir } = makeRig(t)
  await publish({ nowMs: FIXTURE_NOW_MS + HOUR_MS })
  editContent(contentDir, 'roadmap', 'title: Writing', 'title: Writing well')
  const { entry, warnings } = await publish()
  assert.equal(entry.createdAt, '2026-03-01T13:00:00.001Z')
  assert.deepEqual(warnings, [
    'the clock says 2026-03-01T12:00:00.000Z, before the newest version (2026-03-01T13:00:00.000Z); the new version has 2026-03-01T13:00:00.001Z',
  ])
})

test('a broken history is not extended, and the entry is named', async (t) => {
  const { publish, contentDir, releasesDir, store, check } = makeRig(t)
  await publish({ note: 'one' })
  for (const [index, title] of ['well', 'better'].entries()) {
    editContent(
      contentDir,
      'roadmap',
      'id: writing\n    title: Writing',
      `id: writing\n    title: Writing ${title}, not`,
    )
    await publish({ nowMs: FIXTURE_NOW_MS + index * HOUR_MS })
  }
  const file = path.join(releasesDir, 'versions', 'VS-0002.json')
  const intact = readFileSync(file, 'utf8')
  const { hash: _, ...unhashed } = JSON.parse(intact) as VersionEntry
  const hiding = { ...unhashed, changes: [] }
  const breakages: readonly (readonly [text: string | undefined, message: RegExp])[] = [
    [
      intact.replace('"note":"A note."', '"note":"edited"'),
      /history is damaged: VS-0002: HASH is broken/,
    ],
    [
      canonicalJson({ ...hiding, hash: versionHash(hiding) }),
      /history is damaged: VS-0002: CHANGES is broken: expected roadmap changed, found nothing/,
    ],
    [intact.slice(0, -1), /VS-0002: the entry is not JSON/],
    [`${intact}\n`, /VS-0002: the text is not the canonical JSON/],
    [undefined, /VS-0002: SNAPSHOT_ID is broken: expected VS-0002, found VS-0003/],
  ]
  editContent(contentDir, 'status', 'name: Read API', 'name: The read API')
  for (const [text, message] of breakages) {
    if (text === undefined) rmSync(file)
    else writeFileSync(file, text)
    const before = contentsOf(releasesDir)
    await assertRefused(publish({ nowMs: FIXTURE_NOW_MS + 9 * HOUR_MS }), 'HISTORY', message)
    assert.deepEqual(contentsOf(releasesDir), before)
    assert.match((await check())[0] ?? '', /^version history: .*VS-0002/)
  }
  writeFileSync(file, intact)
  assert.equal((await publish({ nowMs: FIXTURE_NOW_MS + 9 * HOUR_MS })).entry.snapshotId, 'VS-0004')
  assert.equal(store.readVersionIds().length, 4)
})

test('damaged resource files are found by the check and written again by publishing', async (t) => {
  const { publish, releasesDir, check } = makeRig(t)
  const { entry } = await publish()
  const fileOf = (name: string): string =>
    path.join(releasesDir, 'resources', name, `${entry.resources[name] ?? ''}.json`)
  const intact = contentsOf(releasesDir)
  rmSync(fileOf('status'))
  writeFileSync(
    fileOf('roadmap'),
    readFileSync(fileOf('roadmap'), 'utf8').replace('Writing', 'Writinh'),
  )
  const findings = await check()
  assert.ok(findings.some((finding) => /^VS-0001 status: .*json is missing$/.test(finding)))
  assert.ok(
    findings.some((finding) =>
      /^VS-0001 roadmap: found the digest [\w-]{43}, expected [\w-]{43}$/.test(finding),
    ),
  )
  const again = await publish()
  assert.equal(again.outcome, 'unchanged')
  assert.deepEqual(again.damaged, ['roadmap', 'status'])
  assert.deepEqual(contentsOf(releasesDir), intact)
  assert.deepEqual(await check(), [])
  assert.deepEqual(await publish(), {
    outcome: 'unchanged',
    entry,
    damaged: [],
    undone: [],
    moved: [],
    removed: [],
    warnings: [],
  })
})

test('the check validates published data, not only its digest', async (t) => {
  const { entry } = await makeRig(t).publish()
  for (const [wrong, fault] of [
    ['{"state":"fine"}', '/summary: expected this member'],
    ['not JSON', ': expected the type object'],
  ] as const) {
    const { store, check } = makeRig(t)
    // A version by other hands: valid hashes, wrong shape.
    const digest = sha256Base64url(wrong)
    const resources = { status: digest }
    const changes = changesBetween({}, resources)
    const { hash: _, ...unhashed } = { ...entry, apiVersion: 'v2', resources, changes }
    store.writeResource('status', digest, wrong)
    store.appendVersion('VS-0001', canonicalJson({ ...unhashed, hash: versionHash(unhashed) }))
    const findings = await check()
    const found = (start: string) => findings.some((finding) => finding.startsWith(start))
    assert.ok(found(`VS-0001: status does not match its schema: ${fault}`), findings.join('\n'))
    assert.ok(found('VS-0001: wallet/security is not in it'))
    assert.ok(found('VS-0001: found the API version v2, expected v1'))
  }
})

test('a check without a release, and one with broken content', async (t) => {
  const { publish, contentDir, check } = makeRig(t)
  assert.deepEqual(await check(), [
    'version history: found no version, expected one; run svc publish',
  ])
  await publish()
  editContent(contentDir, 'roadmap', 'horizon: later', 'horizon: soon')
  assert.match(
    (await check())[0] ?? '',
    /^content: .*roadmap\.yaml:11:14: items\[1\]\.horizon: found "soon"/,
  )
})

test('a crash before any write leaves the old version, and the next run publishes', async (t) => {
  // The steps of publishing are the resources and, last, the entry: die before each in turn.
  for (let survived = 0; survived <= SNAPSHOT_NAMES.length; survived += 1) {
    const { publish, contentDir, store, check } = makeRig(t)
    await publish()
    for (const name of SNAPSHOT_NAMES) editContent(contentDir, name, 'What it is.', 'What it was.')
    let done = 0
    const step = (write: () => void): void => {
      if (done === survived) throw new Error('simulated crash')
      done += 1
      write()
    }
    const dying: ReleaseStore = {
      ...store,
      writeResource: (...args) => step(() => store.writeResource(...args)),
      appendVersion: (...args) => step(() => store.appendVersion(...args)),
    }
    await assert.rejects(publish({ store: dying }), /simulated crash/)
    assert.deepEqual(store.readVersionIds(), ['VS-0001'])
    const findings = await check()
    assert.ok(
      findings.every((finding) => finding.includes('unpublished changes')),
      findings.join('\n'),
    )
    assert.equal((await publish()).entry.snapshotId, 'VS-0002')
    assert.deepEqual(await check(), [])
  }
})

test('a full disk is reported, and no version appears', async (t) => {
  const { publish, store } = makeRig(t)
  const full: ReleaseStore = {
    ...store,
    writeResource: () => {
      throw new ReleaseFileError('UNWRITABLE', '/r/x.json cannot be written: ENOSPC')
    },
  }
  await assertRefused(
    publish({ store: full }),
    'STORAGE',
    /^the release could not be written: .*ENOSPC$/,
  )
  assert.deepEqual(store.readVersionIds(), [])
})

test('one of two concurrent publishers succeeds and the other fails with CONFLICT', async (t) => {
  const { publish, contentDir, releasesDir, store } = makeRig(t)
  await publish()
  const otherContent = makeContent(t)
  editContent(contentDir, 'roadmap', 'title: Writing', 'title: Writing well')
  editContent(otherContent, 'status', 'name: Read API', 'name: The read API')
  const settled = await Promise.allSettled([
    publish(),
    publish({ contentDir: otherContent, store: openReleaseStore(releasesDir) }),
  ])
  // Both run in one process, step by step, so both may also succeed one after the other; never is one lost.
  const published = settled.filter((each) => each.status === 'fulfilled')
  assert.equal(store.readVersionIds().length, 1 + published.length)
  readHistory(store)

  // And the exact race: the other one appends between our look at the head and our own append.
  const racing: ReleaseStore = {
    ...store,
    appendVersion: (snapshotId, text) => {
      const rival = canonicalJson({ ...JSON.parse(text), note: 'rival' })
      openReleaseStore(releasesDir).appendVersion(snapshotId, rival)
      store.appendVersion(snapshotId, text)
    },
  }
  editContent(contentDir, 'roadmap', 'title: Reading', 'title: Reading well')
  const next = `VS-000${store.readVersionIds().length + 1}`
  await assertRefused(
    publish({ store: racing }),
    'CONFLICT',
    new RegExp(`^another publisher published ${next} first; look at it and publish again$`),
  )
  assert.match(store.readVersionText(next), /"note":"rival"/)
})

test('a damaged history and a conflict have their reason, and a defect is rethrown unchanged', async (t) => {
  const { publish, store, contentDir } = makeRig(t)
  await publish()
  const defect = new Error('a defect')
  const failing = (calls: Partial<ReleaseStore>) =>
    publish({ store: { ...store, ...calls }, registryVersion: '1.0.1' })
  const throwDefect = (): never => {
    throw defect
  }
  await assert.rejects(failing({ readVersionIds: throwDefect }), defect)
  // Only what is new is written.
  editContent(contentDir, 'roadmap', 'title: Reading', 'title: Reading well')
  await assert.rejects(failing({ writeResource: throwDefect }), defect)
  editContent(contentDir, 'roadmap', 'title: Reading well', 'title: Reading')
  await assert.rejects(failing({ appendVersion: throwDefect }), defect)
  await assert.rejects(
    publish({ store: { ...store, readResource: throwDefect } }),
    defect,
    'while the files of an unchanged release are looked at',
  )
  const damaged = await assertRefused(
    failing({ readVersionText: () => '{}' }),
    'HISTORY',
    /damaged/,
  )
  assert.deepEqual(damaged.mistakes, [])
  assert.equal((damaged.cause as Error).name, 'VersionEntryError')
  const conflict = await assertRefused(
    failing({ appendVersion: () => store.appendVersion('VS-0001', '{}') }),
    'CONFLICT',
    /./,
  )
  assert.equal((conflict.cause as Error).name, 'ReleaseFileError')
})
