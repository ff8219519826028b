import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { readUpdateInProcess } from '../../src/process/read-update.ts'
import { openReleaseWatcher } from '../../src/process/release-watcher.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const releasesDir = path.join(import.meta.dirname, '../../releases')
const { served } = loadReleases(openReleaseStore(releasesDir))
const look = { releasesDir, served, checksServed: true }

test('intact releases without a new version have neither an update nor damage', async () => {
  assert.deepEqual(await readUpdateInProcess(look, new AbortController().signal), {})
})

test('a stop ends the process that reads', async () => {
  const closing = new AbortController()
  const reading = readUpdateInProcess(look, closing.signal)
  closing.abort()
  await assert.rejects(reading, { name: 'AbortError' })
})

test('a check of the served versions that did not end is repeated after a minute', async (t) => {
  const folder = temporaryFolder(t)
  cpSync(releasesDir, folder, { recursive: true })
  const first = readFileSync(path.join(folder, 'versions/VS-0001.json'), 'utf8')
  const { resources } = JSON.parse(first) as Pick<VersionEntry, 'resources'>
  writeFileSync(path.join(folder, `resources/status/${resources['status']}.json`), '{}')
  let aheadMs = 0
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() + aheadMs)
  const late = t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort())
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const serving = { served: () => served, applyUpdate() {} }
  const watcher = openReleaseWatcher(folder, 10, log, serving)
  t.after(() => watcher.close())
  assert.match(await eventually('a look that fails', watcher.unread), /did not respond/)
  assert.equal(watcher.refused(), undefined)
  late.mock.restore()
  await eventually('a look without a check', () => watcher.unread() === undefined || undefined)
  assert.equal(watcher.damage(), undefined)
  aheadMs = 60_000
  assert.match(await eventually('a check', watcher.damage), /found the digest/)
})
