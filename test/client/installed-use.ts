import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { build } from 'esbuild'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { runApp } from '../support/running-app.ts'
import type { TestScope } from '../support/test-scope.ts'
import { key } from './scripted-client.ts'

const run = promisify(execFile)

const JAVASCRIPT = `
import { createClient, VerificationError } from '@public-api/client'
import { auditHistory, history } from '@public-api/client/audit'
import { createFileHeadStore } from '@public-api/client/node'
import { runVectors } from './run-vectors.js'
import { keySelf } from '@public-api/client/write'
import { readFile } from 'node:fs/promises'

const [baseUrl, pin, now] = process.argv.slice(2)
const make = (pinnedKeyIds) => createClient({ baseUrl, pinnedKeyIds, now: () => Number(now) })
const client = make([pin])
const first = await client.status()
const second = await client.status()
const refused = await make(['A'.repeat(43)]).status().catch((error) => error)
const store = createFileHeadStore(process.argv[5])
await auditHistory({ client, store })
const { previousHead, versionsRead } = await auditHistory({ client, store })
const versions = []
for await (const { data } of history(client)) versions.push(data.snapshotId)
const apiKey = process.argv[6]
const self = await keySelf(client, { apiKey })
const folder = new URL('.', import.meta.resolve('@public-api/client/vectors/index.json'))
const results = await runVectors((file) => readFile(new URL(file, folder), 'utf8'))
console.log(JSON.stringify({
  state: first.data.state,
  isRenewed: first.data === second.data,
  isRefused: refused instanceof VerificationError && refused.code,
  previousHead: previousHead.snapshotId,
  versionsRead,
  versions,
  keyId: self.data.keyId,
  vectors: results.length,
  wrong: results.filter(({ expected, found }) => expected !== found).map(({ name }) => name),
}))
`

/** Reads and audits with the client that is installed in a folder, and runs every vector of its package, on a Node. */
export async function assertUse(t: TestScope, consumer: string, program: string): Promise<void> {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  const file = path.join(consumer, 'use.js')
  writeFileSync(file, JAVASCRIPT)
  await build({
    entryPoints: [fileURLToPath(new URL('../support/run-vectors.ts', import.meta.url))],
    outfile: path.join(consumer, 'run-vectors.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
  })
  const head = path.join(mkdtempSync(path.join(consumer, 'head-')), 'head.json')
  const { stdout } = await run(
    program,
    [file, app.origin, key.keyId, String(app.clock.ms), head, FAKE_KEYS.good],
    { cwd: consumer },
  )
  const { vectors, ...report } = JSON.parse(stdout) as { readonly vectors: number }
  assert.deepEqual(report, {
    state: 'operational',
    isRenewed: true,
    isRefused: 'UNKNOWN_KEY',
    previousHead: 'VS-0002',
    versionsRead: 0,
    versions: ['VS-0002', 'VS-0001'],
    keyId: sliceKeyId(FAKE_KEYS.good),
    wrong: [],
  })
  assert.ok(vectors > 100, `only ${vectors} vectors`)
}
