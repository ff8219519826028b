import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/sqlite-storage.ts'
import { makeRegistration } from '../storage/waitlist-fixture.ts'
import { makeDeployment } from '../support/deployment.ts'
import { failedWith, svcIn } from '../support/run-svc.ts'
import { failedStart } from '../support/service-process.ts'

const PAGE_BYTES = 4096

test('damage in the middle of the database: the start, backup and check-database refuse it', async (t) => {
  const { folder, dataDir } = makeDeployment(t)
  const file = path.join(dataDir, 'service.sqlite')
  const storage = await openSqlite('create', { file })
  await Promise.all(
    Array.from({ length: 300 }, (_, number) => storage.waitlist.add(makeRegistration(number))),
  )
  await storage.close()
  const intact = await svcIn(folder, ['db', 'check'])
  assert.deepEqual([intact.status, intact.error], [0, ''])
  assert.match(intact.out, /service\.sqlite is intact\.\n$/)

  const pages = statSync(file).size / PAGE_BYTES
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (pages - 2) * PAGE_BYTES)
  closeSync(descriptor)
  const before = readFileSync(file)

  const { ending, service } = await failedStart(t, folder)
  assert.equal(ending.code, 1)
  assert.match(service.stderr(), /service\.sqlite: the database is damaged; restore a backup/)
  for (const args of [
    ['db', 'check'],
    ['db', 'backup', 'copy.sqlite'],
  ]) {
    const error = failedWith(1, await svcIn(folder, args))
    assert.match(error, /the database is damaged|could not be read|damaged or not a database/)
  }
  assert.deepEqual(readFileSync(file), before)
})
