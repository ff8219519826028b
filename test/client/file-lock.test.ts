import assert from 'node:assert/strict'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { LockedError, withFileLock } from '@public-api/client-internal/node/file-lock'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('calls under one name run one after the other, and leave no file', async (t) => {
  const folder = temporaryFolder(t)
  const name = path.join(folder, 'state')
  let running = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, (running += 1))
    for (let step = 0; step < 20; step += 1) await turn()
    running -= 1
  }
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(name, 60_000, work)))
  assert.deepEqual([most, readdirSync(folder)], [1, []])
  const failing = withFileLock(name, 0, () => Promise.reject(new RangeError('inner')))
  await assert.rejects(failing, RangeError)
  assert.deepEqual(readdirSync(folder), [])
})

test('waits for a lock whose owner runs, and removes one whose owner was killed', async (t) => {
  const folder = temporaryFolder(t)
  const name = path.join(folder, 'state')
  const left = `${name}.0123456789ab.lock`
  writeFileSync(left, '')
  // A file of the user, and a lock of another name.
  const others = ['state.json', 'other.0123456789ab.lock']
  for (const each of others) writeFileSync(path.join(folder, each), '')
  let nowMs = 0
  let beat = true
  t.mock.method(performance, 'now', () => {
    // Its owner touches it while it runs. The clock of its machine may differ.
    if (beat) utimesSync(left, 1000 + nowMs, 1000 + nowMs)
    return (nowMs += 1000)
  })
  const run = () => withFileLock(name, 30_000, async () => 'done')
  await assert.rejects(run, LockedError)
  assert.deepEqual(readdirSync(folder).toSorted(), [...others, path.basename(left)].toSorted())
  beat = false
  assert.equal(await run(), 'done')
  assert.deepEqual(readdirSync(folder).toSorted(), others.toSorted())
})
