import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { listFolder } from '../support/deployment.ts'
import { folderWithLog } from '../support/logged-releases.ts'
import { startService } from '../support/service-process.ts'

test('the service serves the log without its key and state', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const secretsDir = path.join(folder, 'secrets')
  rmSync(secretsDir, { recursive: true })
  const service = startService(t, folder, { SVC_TLOG_KEY: 'unreadable' })
  const { origin } = await service.serving()
  const response = await fetch(`${origin}/log/checkpoint`)
  assert.equal(response.status, 200)
  assert.equal(
    await response.text(),
    readFileSync(path.join(releases, 'log', 'checkpoint'), 'utf8'),
  )
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
  assert.deepEqual(
    listFolder(secretsDir).filter((file) => file.startsWith('log-')),
    [],
  )
})
