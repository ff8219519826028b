import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { REDIS_SKIP_REASON, startRedis } from '../storage/counters/redis-server.ts'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { startRegistering } from '../support/registering-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const RECORDER = new URL('../support/record-packages.mjs', import.meta.url).href

/** The packages that a service loads, in all its processes and threads, until it has stored a registration. */
async function loadedPackages(
  t: TestContext,
  env: { readonly [name: string]: string },
): Promise<ReadonlySet<string>> {
  const file = path.join(temporaryFolder(t), 'packages')
  const node = await startRegistering(t, {
    NODE_OPTIONS: `--import=${RECORDER}`,
    RECORD_PACKAGES: file,
    SVC_WORKERS: '2',
    ...env,
  })
  const { status, text } = await node.register({ email: 'first@example.org' })
  assert.equal(status, 200, text)
  await node.service.stop()
  return new Set(readFileSync(file, 'utf8').trim().split('\n'))
}

test('the drivers of PostgreSQL and Valkey are not loaded by default', async (t) => {
  const packages = await loadedPackages(t, {})
  assert.ok(packages.has('pino'), 'packages are recorded')
  const drivers = [...packages].filter((name) => /^(?:pg|ioredis|redis)/.test(name))
  assert.deepEqual(drivers, [])
})

test(
  'each driver is loaded if its variable is set',
  { skip: postgresMissing ?? REDIS_SKIP_REASON ?? false },
  async (t) => {
    const { url } = await startPostgres(t)
    const shared = await loadedPackages(t, { SVC_DATABASE_URL: url })
    assert.deepEqual([shared.has('pg'), shared.has('ioredis')], [true, false])
    const counted = await loadedPackages(t, { SVC_VALKEY_URL: (await startRedis(t)).url })
    assert.deepEqual([counted.has('pg'), counted.has('ioredis')], [false, true])
  },
)
