import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { folderWithLog } from '../support/logged-releases.ts'
import { svcIn } from '../support/run-svc.ts'

test('git add of the releases leaves the lock of the log out', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  assert.equal((await svcIn(folder, ['rollback', 'VS-0001', '--note', 'Back'])).status, 0)
  assert.equal(existsSync(path.join(releases, 'log', 'lock')), true)
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder }).toString()
  git('init', '--quiet')
  git('add', '--all', 'releases')
  assert.deepEqual(git('ls-files', 'releases/log').trim().split('\n'), [
    'releases/log/checkpoint',
    'releases/log/origin',
    'releases/log/policy',
  ])
})
