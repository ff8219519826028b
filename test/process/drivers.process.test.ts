import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { startRegistering } from '../support/registering-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const RECORDER = new URL('../support/record-packages.mjs', import.meta.url).href

/** What a visitor and a program read: every kind of page, and a text that is made from one. */
const READ = [
  '/en',
  '/en/status',
  '/en/architecture',
  '/en/roadmap',
  '/en/history',
  '/en/history/VS-0001',
  '/en/reference',
  '/en/verify',
  '/en/early-access',
  '/en/status.atom',
  '/en/search.json',
  '/llms.txt',
  '/statuspage/api/v2/summary.json',
  '/api/v1/status',
]

/** The packages that a service loads, in all its processes and threads, until it has stored a registration. */
async function loadedPackages(
  t: TestContext,
  env: { readonly [name: string]: string },
  targets: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  const file = path.join(temporaryFolder(t), 'packages')
  const node = await startRegistering(t, {
    NODE_OPTIONS: `--import=${RECORDER}`,
    RECORD_PACKAGES: file,
    SVC_WORKERS: '2',
    ...env,
  })
  assert.doesNotMatch(readFileSync(file, 'utf8'), /^age-encryption$/m, 'loaded at the start')
  const { status, text } = await node.register({ email: 'first@example.org' })
  assert.equal(status, 200, text)
  for (const target of targets) assert.equal((await node.read(target)).status, 200, target)
  await node.service.stop()
  return new Set(readFileSync(file, 'utf8').trim().split('\n'))
}

// age-encryption loads with the first registration. altcha-lib, which loads with the first challenge of ALTCHA, is not needed
// for the challenge of this service.
const OF_SERVICE = [
  '@dagrejs/dagre',
  '@scure/base',
  'age-encryption',
  'pino',
  'sodium-native',
  'structured-headers',
]

test('the service loads no package that only a command needs, whatever is read', async (t) => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Record<'dependencies' | 'optionalDependencies', object>
  const loaded = await loadedPackages(t, {}, READ)
  const own = Object.keys({ ...dependencies, ...optionalDependencies })
  assert.deepEqual(own.filter((name) => loaded.has(name)).toSorted(), OF_SERVICE)
})

test(
  'the driver of PostgreSQL is loaded if it is the database',
  { skip: postgresMissing ?? false },
  async (t) => {
    const { url } = await startPostgres(t)
    const shared = await loadedPackages(t, { SVC_DATABASE_URL: url })
    assert.ok(shared.has('pg'))
  },
)
