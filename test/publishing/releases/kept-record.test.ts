import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { verifyReleases } from '../../../src/publishing/releases/verify-releases.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { FIXTURE_NOW_MS, makeContent } from '../content-fixture.ts'

test('a record that is damaged is named, and publishing makes it again, also without news', async (t) => {
  const contentDir = makeContent(t)
  const directory = path.join(temporaryFolder(t), 'releases')
  const store = openReleaseStore(directory)
  const publish = () =>
    publishRelease({
      store,
      contentDir,
      nowMs: FIXTURE_NOW_MS,
      registryVersion: '1.0.0',
      note: 'N.',
    })
  const findings = async () =>
    (await verifyReleases(store)).findings.map(({ where, message }) => `${where}: ${message}`)
  await publish()
  const record = store.readRecord() ?? ''
  assert.deepEqual(await findings(), [])
  for (const [damaged, expected] of [
    [
      '{}',
      ['record.json: found another kind of file, expected a record; remove it and publish again'],
    ],
    [
      record.replace(/"firstAt":"2/, '"firstAt":"1'),
      ['record.json: found another record than that of its versions; remove it and publish again'],
    ],
    // The versions of an older backup beside it.
    [
      record.replace('"sequence":1', '"sequence":2'),
      ['record.json: found the record of 2 versions, expected it of 1'],
    ],
    // A later program knows what it means; this one does not use it.
    ['{"format":3,"all":[]}', []],
    // An earlier program recorded something else by the same members.
    [record.replace('"format":2', '"format":1').replace(/"firstAt":"2/, '"firstAt":"1'), []],
    // A record of another history says nothing about this one, and is not used.
    [record.replace(/"hash":"./, '"hash":"-'), []],
  ] as const) {
    assert.notEqual(damaged, record)
    store.writeRecord(damaged)
    assert.deepEqual(await findings(), expected)
    if (expected.length > 0) rmSync(path.join(directory, 'record.json'))
    assert.equal((await publish()).outcome, 'unchanged')
    assert.equal(store.readRecord(), record)
    assert.deepEqual(await findings(), [])
  }
})
