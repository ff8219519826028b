import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { withFileLock } from '../../../src/storage/sqlite/file-lock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('work under one lock never overlaps, and leaves an empty file', async (t) => {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'lock')
  let running = 0
  const results = await Promise.all(
    Array.from({ length: 5 }, (_each, index) =>
      withFileLock(file, 5000, async () => {
        running += 1
        assert.equal(running, 1)
        await delay(10)
        running -= 1
        return index
      }),
    ),
  )
  assert.deepEqual(results, [0, 1, 2, 3, 4])
  assert.deepEqual([readdirSync(folder), statSync(file).size], [['lock'], 0])
})

test('a failure of the work releases the lock and keeps its error', async (t) => {
  const file = path.join(temporaryFolder(t), 'lock')
  const failure = new Error('of the work')
  await assert.rejects(
    withFileLock(file, 0, () => Promise.reject(failure)),
    (error) => error === failure,
  )
  assert.equal(await withFileLock(file, 0, async () => 'done'), 'done')
})

test('a lock that stays held is an error after the wait', async (t) => {
  const file = path.join(temporaryFolder(t), 'lock')
  await withFileLock(file, 0, async () => {
    await assert.rejects(
      withFileLock(file, 60, async () => {}),
      /database is locked/,
    )
  })
})
