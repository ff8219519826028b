import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { writeBase } from '../../../src/publishing/releases/content-base.ts'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { redactResource } from '../../../src/publishing/releases/redact-resource.ts'
import { rollBackRelease } from '../../../src/publishing/releases/roll-back-release.ts'
import { PublishError } from '../../../src/publishing/rules/publish-error.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { failedWith, svc } from '../../support/run-svc.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { editContent, FIXTURE_NOW_MS, makeContent } from '../content-fixture.ts'

/** Two people with a copy each of content that was published as VS-0001. */
async function shareContent(t: TestContext) {
  const releasesDir = path.join(temporaryFolder(t), 'releases')
  const store = openReleaseStore(releasesDir)
  const common = { store, nowMs: FIXTURE_NOW_MS, registryVersion: '1.0.0', note: 'A note.' }
  const publish = (contentDir: string, over?: string) =>
    publishRelease({ ...common, contentDir, over })
  const first = makeContent(t)
  await publish(first)
  const second = path.join(temporaryFolder(t), 'content')
  cpSync(first, second, { recursive: true })
  return { first, second, publish, store, releasesDir, common }
}

function baseOf(folder: string): { readonly [name: string]: unknown } {
  return JSON.parse(readFileSync(path.join(folder, '.published.json'), 'utf8')) as {}
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof PublishError, String(error))
  assert.equal(error.code, 'BASE')
  return error.message
}

test('content that is based on an older version is refused with what came in between', async (t) => {
  const { first, second, publish, store } = await shareContent(t)
  editContent(first, 'roadmap', 'title: Writing', 'title: Writing well')
  await publish(first)
  editContent(second, 'status', 'name: Read API', 'name: Reads')
  assert.equal(
    await refusal(publish(second)),
    'the content was last published as VS-0001; VS-0002 came after it and changed roadmap; expected content with these changes, or --over VS-0002 to replace them',
  )
  assert.equal(store.readVersionIds().length, 2)
  assert.match(
    await refusal(publish(second, 'VS-0001')),
    /^--over names "VS-0001"; the newest version is VS-0002$/,
  )
  const { entry, undone } = await publish(second, 'VS-0002')
  assert.equal(entry.snapshotId, 'VS-0003')
  assert.deepEqual(undone, ['roadmap'])
  // The second folder is based on the newest version from now on, and the first one is not.
  editContent(second, 'status', 'name: Reads', 'name: Read API')
  assert.equal((await publish(second)).outcome, 'published')
  assert.match(await refusal(publish(first)), /VS-0003, VS-0004 came after it/)
})

test('content with the same resources is up to date, wherever it comes from', async (t) => {
  const { first, second, publish } = await shareContent(t)
  for (const folder of [first, second]) editContent(folder, 'roadmap', 'title: Writing', 'title: W')
  await publish(first)
  assert.equal((await publish(second)).outcome, 'unchanged')
  editContent(second, 'roadmap', 'title: W', 'title: Writing')
  assert.equal((await publish(second)).outcome, 'published')
})

test('content without a base, with a conflict in it or of another history is refused', async (t) => {
  const { first, publish } = await shareContent(t)
  const file = path.join(first, '.published.json')
  editContent(first, 'roadmap', 'title: Writing', 'title: W')
  rmSync(file)
  assert.match(
    await refusal(publish(first)),
    /does not state which version .* differs from VS-0001 in roadmap/,
  )
  writeFileSync(file, '<<<<<<< HEAD\n{}\n')
  assert.match(await refusal(publish(first)), /\.published\.json has a merge conflict; expected /)
  writeFileSync(file, JSON.stringify({ snapshotId: 'VS-0007', hash: 'f'.repeat(64) }))
  assert.match(
    await refusal(publish(first)),
    /^the content was last published as VS-0007 of another history/,
  )
})

for (const [left, of] of [
  ['', 'an empty file'],
  ['{\n  "snapshotId": "VS-0001",', 'half a file'],
] as const) {
  test(`${of} in the place of the base stands for the newest version`, async (t) => {
    const { first, publish } = await shareContent(t)
    editContent(first, 'roadmap', 'title: Writing', 'title: W')
    writeFileSync(path.join(first, '.published.json'), left)
    assert.equal((await publish(first)).entry.snapshotId, 'VS-0002')
    const { next, ...base } = baseOf(first)
    assert.deepEqual([base['snapshotId'], next], ['VS-0002', undefined])
  })
}

test('a publisher that loses after slow work leaves what each folder states', async (t) => {
  const { first, second, publish, common } = await shareContent(t)
  const stated = baseOf(second)
  const lose = (contentDir: string) => {
    const prepare = async () => {
      await publish(first)
      return []
    }
    return assert.rejects(publishRelease({ ...common, contentDir, prepare }), { code: 'CONFLICT' })
  }
  editContent(first, 'roadmap', 'title: Writing', 'title: W')
  editContent(second, 'status', 'name: Read API', 'name: Reads')
  await lose(second)
  assert.deepEqual(baseOf(second), stated)
  // In the folder of the winner.
  editContent(first, 'roadmap', 'title: W', 'title: Writing')
  await lose(first)
  assert.deepEqual([baseOf(first)['snapshotId'], baseOf(first)['next']], ['VS-0003', undefined])
  editContent(first, 'roadmap', 'title: Writing', 'title: W')
  assert.equal((await publish(first)).entry.snapshotId, 'VS-0004')
})

test('a version that was written before its publisher could record it is the base', async (t) => {
  const { first, second, publish, store, common } = await shareContent(t)
  const stated = baseOf(first)
  editContent(first, 'roadmap', 'title: Writing', 'title: W')
  let recorded = {}
  // What the folder states when the version appears.
  const appendVersion = (id: string, text: string) => {
    recorded = baseOf(first)
    store.appendVersion(id, text)
  }
  const { entry } = await publishRelease({
    ...common,
    store: { ...store, appendVersion },
    contentDir: first,
  })
  assert.deepEqual(recorded, { ...stated, next: entry.hash })
  writeFileSync(path.join(first, '.published.json'), JSON.stringify(recorded))
  editContent(first, 'roadmap', 'title: W', 'title: Writing well')
  assert.equal((await publish(first)).entry.snapshotId, 'VS-0003')
  // A version that never appeared does not count.
  writeFileSync(
    path.join(second, '.published.json'),
    JSON.stringify({ ...stated, next: 'f'.repeat(64) }),
  )
  editContent(second, 'status', 'name: Read API', 'name: Reads')
  assert.match(await refusal(publish(second)), /was last published as VS-0001; VS-0002, VS-0003/)
})

test('an edit of what is published goes on where the base was not recorded', async (t) => {
  const { first, second, publish, common } = await shareContent(t)
  const stated = readFileSync(path.join(first, '.published.json'))
  editContent(second, 'roadmap', 'title: Writing', 'title: W')
  await publish(second)
  /** As a command that edits the status and publishes it. */
  const edit = (folder: string, from: string, to: string) => {
    const before = new Map([['status.yaml', readFileSync(path.join(folder, 'status.yaml'))]])
    editContent(folder, 'status', from, to)
    const only = new Set(['status'] as const)
    return publishRelease({ ...common, contentDir: folder, only, before })
  }
  // The status was as published, and the roadmap lacks what the other folder published.
  await edit(first, 'name: Read API', 'name: Reads')
  assert.equal(baseOf(first)['snapshotId'], 'VS-0001')
  await edit(first, 'name: Reads', 'name: All reads')
  assert.match(await refusal(publish(first)), /VS-0004 came after it and changed roadmap;/)
  // The whole folder was as published.
  editContent(first, 'roadmap', 'title: Writing', 'title: W')
  writeFileSync(path.join(first, '.published.json'), stated)
  await edit(first, 'name: All reads', 'name: Each read')
  assert.equal(baseOf(first)['snapshotId'], 'VS-0005')
  assert.match(await refusal(edit(second, 'name: Read API', 'name: R')), /VS-0005 came after it/)
})

test('a rollback is not undone by the content from before it', async (t) => {
  const { first, publish, common } = await shareContent(t)
  editContent(first, 'roadmap', 'title: Writing', 'title: W')
  await publish(first)
  await rollBackRelease({ ...common, snapshotId: 'VS-0001' })
  assert.match(await refusal(publish(first)), /VS-0003 came after it and changed roadmap/)
})

test('a content folder that cannot be written is a warning', (t) => {
  const missing = path.join(temporaryFolder(t), 'missing')
  assert.match(
    writeBase(missing, { snapshotId: 'VS-0002', hash: 'a' }) ?? '',
    /could not be written .* needs --over VS-0002$/,
  )
})

test('everything that is published is readable by other users, whatever the umask', async (t) => {
  const before = process.umask(0o077)
  try {
    const { first, publish, releasesDir, common } = await shareContent(t)
    editContent(first, 'roadmap', 'title: Writing', 'title: W')
    await publish(first)
    const redacted = await redactResource({
      ...common,
      snapshotId: 'VS-0001',
      resource: 'roadmap',
      reason: 'A person asked.',
    })
    const folder = path.join(releasesDir, 'resources', 'roadmap')
    const files = {
      [path.join(releasesDir, 'versions', 'VS-0001.json')]: 0o644,
      [path.join(folder, `${redacted.digest}.redacted.json`)]: 0o644,
      [folder]: 0o755,
      [path.dirname(folder)]: 0o755,
      [releasesDir]: 0o755,
      [path.join(first, '.published.json')]: 0o644,
    }
    for (const [file, mode] of Object.entries(files)) {
      assert.equal(statSync(file).mode & 0o777, mode, file)
    }
    assert.match(readFileSync(path.join(first, '.published.json'), 'utf8'), /"VS-0002"/)
  } finally {
    process.umask(before)
  }
})

test('a link in place of .published.json or a content file is refused, and what it leads to is kept', async (t) => {
  const { first, publish } = await shareContent(t)
  const target = path.join(temporaryFolder(t), 'target')
  for (const name of ['.published.json', 'status.yaml']) {
    const file = path.join(first, name)
    const text = readFileSync(file)
    writeFileSync(target, text)
    rmSync(file)
    symlinkSync(target, file)
    editContent(first, 'roadmap', 'title: Writing', 'title: Writing well')
    await assert.rejects(publish(first), (error: PublishError) => {
      const said = [error.message, ...error.mistakes.map(({ file: at, found }) => `${at} ${found}`)]
      assert.match(said.join('\n'), new RegExp(`${name}.* a link`))
      return true
    })
    const checked = failedWith(1, await svc('check', '--content', first))
    assert.match(checked, new RegExp(`${name}.* a link`))
    assert.deepEqual(readFileSync(target), text)
    rmSync(file)
    writeFileSync(file, text)
    editContent(first, 'roadmap', 'title: Writing well', 'title: Writing')
  }
})
