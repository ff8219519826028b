import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { readVersions } from '../../../src/publishing/releases/published-versions.ts'
import { verifyReleases } from '../../../src/publishing/releases/verify-releases.ts'
import { openReleaseStore, type ReleaseStore } from '../../../src/releases/release-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { editContent, FIXTURE_NOW_MS, makeContent } from '../content-fixture.ts'

/** A store with three versions, two of them with another status, and what is read of it. */
async function publishThree(t: TestContext) {
  const contentDir = makeContent(t)
  const folder = path.join(temporaryFolder(t), 'releases')
  const opened = openReleaseStore(folder)
  const reads: string[] = []
  const store: ReleaseStore = {
    ...opened,
    readVersionText(id) {
      reads.push(id)
      return opened.readVersionText(id)
    },
    readResource(name, digest) {
      reads.push(`${name}/${digest}`)
      return opened.readResource(name, digest)
    },
    readResourceText(name, digest) {
      reads.push(`${name}/${digest}`)
      return opened.readResourceText(name, digest)
    },
  }
  const publish = () =>
    publishRelease({
      contentDir,
      store: opened,
      nowMs: FIXTURE_NOW_MS,
      registryVersion: '1.0.0',
      note: 'N.',
    })
  const first = await publish()
  editContent(contentDir, 'status', 'summary: What', 'summary: Now, what')
  await publish()
  editContent(contentDir, 'status', 'summary: Now, what', 'summary: See what')
  await publish()
  const fileOf = (name: string) =>
    path.join(folder, 'resources', name, `${first.entry.resources[name]}.json`)
  return { contentDir, store, reads, publish, fileOf }
}

test('an audit reads each file once', async (t) => {
  const { store, reads } = await publishThree(t)
  assert.deepEqual((await verifyReleases(store)).findings, [])
  assert.deepEqual(reads.toSorted(), [...new Set(reads)].toSorted())
  assert.equal(reads.filter((each) => each.startsWith('status/')).length, 3)
})

test('versions that a command read are not read again', async (t) => {
  const { contentDir, store, reads, publish } = await publishThree(t)
  const known = readVersions(store)
  editContent(contentDir, 'status', 'summary: See what', 'summary: Hear what')
  await publish()
  reads.length = 0
  assert.equal(readVersions(store, known).length, 4)
  assert.deepEqual(reads, ['VS-0003', 'VS-0004'])
  // A folder that lacks them, or has a colleague's version in the place of one, is read as a whole.
  const [first, second, third] = known
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const ofOther = [first, second, { ...third, note: 'Of another history.' }]
  assert.deepEqual(readVersions(store, ofOther), readVersions(store))
  assert.deepEqual(readVersions({ ...store, readVersionIds: () => ['VS-0001'] }, known), [first])
})

test('a publication writes what is new or damaged, and leaves other files as they are', async (t) => {
  const { contentDir, store, publish, fileOf } = await publishThree(t)
  const [sound, damaged] = [fileOf('roadmap'), fileOf('changelog')]
  const [before, text] = [statSync(sound).ino, readFileSync(damaged, 'utf8')]
  writeFileSync(damaged, '{}')
  editContent(contentDir, 'status', 'summary: See what', 'summary: Hear what')
  await publish()
  assert.equal(statSync(sound).ino, before)
  assert.equal(readFileSync(damaged, 'utf8'), text)
  assert.deepEqual((await verifyReleases(store)).findings, [])
})
