import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { PublishError } from '../../../src/publishing/rules/publish-error.ts'
import { openReleaseStore, type ReleaseStore } from '../../../src/releases/release-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { FIXTURE_NOW_MS, makeContent } from '../content-fixture.ts'

function makeRig(t: TestContext) {
  const contentDir = makeContent(t)
  const releasesDir = path.join(temporaryFolder(t), 'releases')
  const store = openReleaseStore(releasesDir)
  const publish = (change: Partial<Parameters<typeof publishRelease>[0]> = {}) =>
    publishRelease({
      contentDir,
      store,
      nowMs: FIXTURE_NOW_MS,
      registryVersion: '1.0.0',
      note: 'A note.',
      ...change,
    })
  return { releasesDir, store, publish }
}

test('a note is one line of at most 500 characters, with no space around it', async (t) => {
  const { publish, store } = makeRig(t)
  for (const note of [
    ' a note',
    'a note ',
    '\u00a0a note',
    'two\nlines',
    'two\u2028lines',
    'two\u2029lines',
    'a\ttab',
    'a\u0000',
    'a\u0085',
    'a lone \ud800 surrogate',
    'turned \u202e around',
    `${'a '.repeat(250)}b`,
  ]) {
    await assert.rejects(
      publish({ note }),
      (error) => {
        assert.ok(error instanceof PublishError && error.code === 'NOTE')
        assert.doesNotMatch(error.message, /YAML/, 'a note is written on the command line')
        return true
      },
      JSON.stringify(note),
    )
  }
  assert.deepEqual(store.readVersionIds(), [])
  const longest = `${'a '.repeat(249)}bc`
  assert.equal(longest.length, 500)
  assert.equal((await publish({ note: longest })).entry.note, longest)
  assert.equal((await publish({ note: '中文 🦊', registryVersion: '1.0.1' })).entry.note, '中文 🦊')
})

test('a version that no transparency log could contain is not written', async (t) => {
  const { publish, store } = makeRig(t)
  await assert.rejects(publish({ registryVersion: '1'.repeat(65_536) }), (error) => {
    assert.ok(error instanceof PublishError && error.code === 'VERSION')
    assert.match(error.message, /the entry of VS-0001 would have \d+ bytes; expected at most 65535/)
    return true
  })
  assert.deepEqual(store.readVersionIds(), [])
})

test('a repair returns the repaired version', async (t) => {
  const { publish, store, releasesDir } = makeRig(t)
  const { entry, damaged } = await publish()
  assert.deepEqual(damaged, [])
  const [name = '', digest = ''] = Object.entries(entry.resources)[0] ?? []
  rmSync(path.join(releasesDir, 'resources', ...name.split('/'), `${digest}.json`))
  const unchanged = { outcome: 'unchanged', entry, undone: [], removed: [], warnings: [] }
  assert.deepEqual(await publish(), { ...unchanged, damaged: [name] })
  assert.deepEqual(await publish(), { ...unchanged, damaged: [] })
  assert.deepEqual(store.readVersionIds(), ['VS-0001'])
})

test('a damaged history and a conflict have their reason, and a defect is rethrown unchanged', async (t) => {
  const { publish, store } = makeRig(t)
  await publish()
  const defect = new Error('a defect')
  const failing = (calls: Partial<ReleaseStore>) =>
    publish({ store: { ...store, ...calls }, registryVersion: '1.0.1' })
  const throwDefect = (): never => {
    throw defect
  }
  await assert.rejects(failing({ readVersionIds: throwDefect }), defect)
  await assert.rejects(failing({ writeResource: throwDefect }), defect)
  await assert.rejects(failing({ appendVersion: throwDefect }), defect)
  await assert.rejects(
    publish({ store: { ...store, readResourceText: throwDefect } }),
    defect,
    'while the files of an unchanged release are looked at',
  )
  await assert.rejects(
    failing({ readVersionText: () => '{}' }),
    (error) =>
      error instanceof PublishError &&
      error.code === 'HISTORY' &&
      error.mistakes.length === 0 &&
      (error.cause as Error).name === 'VersionEntryError',
  )
  await assert.rejects(
    failing({ appendVersion: () => store.appendVersion('VS-0001', '{}') }),
    (error) =>
      error instanceof PublishError &&
      error.code === 'CONFLICT' &&
      (error.cause as Error).name === 'ReleaseFileError',
  )
})
