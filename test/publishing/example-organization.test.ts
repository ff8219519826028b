import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { SNAPSHOT_NAMES, type SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { buildExample } from '../../scripts/build-example.ts'
import { compileContent } from '../../src/publishing/compile/compile-content.ts'
import { verifyReleases } from '../../src/publishing/releases/verify-releases.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { builtExample } from '../support/built-example.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { textsBelow } from '../support/texts-below.ts'

test('the example organization: three months, an incident, a correction, a redaction, translations', async (t) => {
  const { content, releases } = await builtExample()
  const store = openReleaseStore(releases)
  const { versions, findings, redacted } = await verifyReleases(store)
  assert.deepEqual(findings, [])
  assert.equal(redacted.length, 1)
  assert.ok(versions.length >= 15 && versions.length <= 25, String(versions.length))
  assert.ok(versions.some(({ note }) => note.startsWith('Correction:')))
  const months =
    Date.parse(versions.at(-1)?.createdAt ?? '') - Date.parse(versions[0]?.createdAt ?? '')
  assert.ok(months > 80 * 86_400_000)

  const head = versions.at(-1)
  assert.ok(head !== undefined)
  const dataOf = (entry: VersionEntry, name: string): unknown =>
    JSON.parse(store.readResourceText(name, entry.resources[name] ?? ''))
  // New data has the time of its version.
  for (const [index, entry] of versions.entries()) {
    if (entry.note.startsWith('Back to')) continue
    for (const name of SNAPSHOT_NAMES) {
      const digest = entry.resources[name] ?? ''
      const isNew = versions[index - 1]?.resources[name] !== digest
      if (!isNew || store.readRedaction(name, digest) !== undefined) continue
      const { updatedAt } = dataOf(entry, name) as { updatedAt: string }
      assert.equal(
        Date.parse(updatedAt),
        Date.parse(entry.createdAt),
        `${entry.snapshotId} ${name}`,
      )
    }
  }
  const [incident] = (dataOf(head, 'status') as SnapshotData<'status'>).incidents
  assert.equal(incident?.state, 'resolved')
  assert.equal(incident.updates.length, 4)
  assert.equal((dataOf(head, 'wallet') as SnapshotData<'wallet'>).attached, true)
  for (const name of ['site/organization', 'site/translations/th', 'site/translations/zh-CN']) {
    assert.ok(head.resources[name] !== undefined, name)
  }
  for (const file of textsBelow(releases).values()) assert.ok(!file.includes('Alex Rivers'))

  // What is in the content folder at the end is what the newest version says.
  const { resources } = await compileContent(content, Date.parse(head.createdAt))
  assert.deepEqual(
    Object.fromEntries([...resources].map(([name, { digest }]) => [name, digest])),
    head.resources,
  )

  // Byte for byte the same, from the same input.
  const [again, releasesAgain] = [temporaryFolder(t), path.join(temporaryFolder(t), 'releases')]
  await buildExample(again, releasesAgain)
  assert.deepEqual(textsBelow(releasesAgain), textsBelow(releases))
})
