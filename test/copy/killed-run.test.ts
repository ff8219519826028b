import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { type CopyFile, listCopyFiles } from '../../src/copy/copy-source.ts'
import { withCopyFolder, writeCopy } from '../../src/copy/write-copy.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { missingIn, readCopy } from '../support/copy-consistency.ts'
import { folderWithLog, rollBackTo } from '../support/logged-releases.ts'

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** The files of a copy of a releases folder, made once. */
async function filesOf(releasesDir: string): Promise<readonly CopyFile[]> {
  const files: CopyFile[] = []
  const options = {
    releases: loadReleases(openReleaseStore(releasesDir)),
    cards: [],
    program: 'of the test',
    origin: 'https://api.example.org',
    baseUrl: undefined,
    keyId: undefined,
    clock: { nowMs: () => 0 },
    log: SILENT,
  }
  for await (const file of listCopyFiles(options)) {
    const bytes = await file.make()
    files.push({ ...file, make: () => bytes })
  }
  return files
}

/** Ends the process, as far as a test can: nothing after this call to the file system happens. */
class Killed extends Error {}

/** Calls `before` with the number of each change to the file system that readers can see, before it is made. */
function watchChanges(t: TestContext, before: (number: number) => void): () => number {
  let number = 0
  t.mock.restoreAll()
  const { renameSync, rmSync } = fs
  t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    before((number += 1))
    renameSync(from, to)
  })
  t.mock.method(fs, 'rmSync', (file: string, options?: fs.RmOptions) => {
    if (options?.recursive !== true) before((number += 1))
    rmSync(file, options)
  })
  return () => number
}

test('a run that is killed after any change leaves a copy without a contradiction, and the next one completes it', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const ofOld = await filesOf(releases)
  assert.equal((await rollBackTo(folder, 'VS-0001', 'Back.')).status, 0)
  const ofNew = await filesOf(releases)
  const names = ofNew.map(({ file }) => file)
  const lastAsset = names.findLastIndex((file) => file.startsWith('assets/'))
  const firstPage = names.findIndex((file) => file.endsWith('.html'))
  assert.ok(lastAsset < firstPage, 'assets come before what names them')
  const write = (copy: string, files: readonly CopyFile[]) =>
    withCopyFolder(copy, () => {
      const madeOf = files === ofNew ? 'new' : 'old'
      return writeCopy(copy, { madeOf, files: () => files })
    })
  const at = (name: string): string => path.join(folder, name)

  await write(at('old'), ofOld)
  await write(at('new'), ofNew)
  const [original, wanted] = [readCopy(at('old')), readCopy(at('new'))]
  assert.deepEqual(missingIn(readCopy(at('old'))), [])
  assert.deepEqual(missingIn(wanted), [])

  fs.cpSync(at('old'), at('watched'), { recursive: true })
  const count = watchChanges(t, (number) => {
    assert.deepEqual(missingIn(readCopy(at('watched'))), [], `before change ${number}`)
  })
  await write(at('watched'), ofNew)
  const changes = count()
  assert.ok(changes > 20)

  // The lock's file is removed, the list of what changes is written, files are moved and removed, and the lists come last.
  const deaths = [1, 3, Math.floor(changes / 2), changes - 1, changes]
  for (const start of ['old', 'nothing']) {
    for (const last of deaths) {
      const copy = at('killed')
      t.mock.restoreAll()
      fs.rmSync(copy, { recursive: true, force: true })
      if (start === 'old') fs.cpSync(at('old'), copy, { recursive: true })
      watchChanges(t, (number) => {
        if (number >= last) throw new Killed()
      })
      await assert.rejects(write(copy, ofNew), Killed)
      t.mock.restoreAll()
      // The run after it may be killed too, before its first file is moved.
      watchChanges(t, (number) => {
        if (number > 2) throw new Killed()
      })
      // A copy of which no file was moved is the old one already.
      await write(copy, ofOld).catch((error: unknown) => assert.ok(error instanceof Killed))
      t.mock.restoreAll()
      await write(copy, ofOld)
      assert.deepEqual(
        readCopy(copy),
        original,
        `killed at change ${last} from ${start}, and again`,
      )
      await write(copy, ofNew)
      assert.deepEqual(readCopy(copy), wanted, `killed at change ${last} from ${start}`)
    }
  }
})
