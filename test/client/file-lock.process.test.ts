import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { LockedError, withFileLock } from '@public-api/client-internal/node/file-lock'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('calls under one lock run one after the other, and leave an empty file', async (t) => {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const file = path.join(folder, 'lock')
  let running = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, (running += 1))
    for (let step = 0; step < 20; step += 1) await turn()
    running -= 1
  }
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(file, 60_000, work)))
  assert.deepEqual([most, readdirSync(folder)], [1, ['lock']])
  const { size, mode } = statSync(file)
  assert.deepEqual([size, mode & 0o777], [0, 0o644])
  const failing = withFileLock(file, 0, () => Promise.reject(new RangeError('inner')))
  await assert.rejects(failing, RangeError)
  assert.equal(await withFileLock(file, 0, async () => 'done'), 'done')
})

test('a link in place of the lock is refused', async (t) => {
  const folder = temporaryFolder(t)
  symlinkSync(path.join(folder, 'target'), path.join(folder, 'lock'))
  const locked = withFileLock(path.join(folder, 'lock'), 0, async () => 'done')
  await assert.rejects(locked, /lock: expected a regular file/)
  assert.deepEqual(readdirSync(folder), ['lock'])
})

const HOLD = `
import { withFileLock } from '@public-api/client-internal/node/file-lock'
await withFileLock(process.argv[1], 0, async () => {
  process.stdout.write('held')
  await new Promise((resolve) => setInterval(resolve, 2 ** 30))
})`

test('a suspended process keeps the lock, and a killed one loses it at once and leaves nothing else', async (t) => {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'lock')
  const args = ['--input-type=module-typescript', '-e', HOLD, file]
  const holder = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  holder.kill('SIGSTOP')
  const take = () => withFileLock(file, 100, async () => 'done')
  await assert.rejects(take, LockedError)
  const ended = once(holder, 'close')
  holder.kill('SIGKILL')
  await ended
  assert.deepEqual(readdirSync(folder), ['lock'])
  assert.equal(await take(), 'done')
})
