import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { readUpdateInProcess } from '../../src/process/read-update.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'

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
