import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { installClient } from '../support/installed-client.ts'
import { folderWithLog } from '../support/logged-releases.ts'
import { OTHER_NODES } from '../support/nodes-on-path.ts'
import { runApp } from '../support/running-app.ts'
import { runTamperingProxy } from '../support/tampering-proxy.ts'
import { assertUse } from './installed-use.ts'
import { key } from './scripted-client.ts'

const run = promisify(execFile)
const root = mkdtempSync(path.join(tmpdir(), 'client-runtimes-'))
let consumer = ''

/** What a user does on any runtime. It needs nothing but the package, fetch and WebCrypto. */
const SMOKE = `
import { createClient, VerificationError } from '@public-api/client'
import { history } from '@public-api/client/audit'
import { createArchiveClient, LogError, openPolicy, verifyProof } from '@public-api/client/log'

async function readLog({ origin, policyText, now }) {
  const policy = await openPolicy(policyText)
  const archive = createArchiveClient({ base: origin, policy, now: () => now })
  const { checkpoint, versions } = await archive.history()
  const proof = await archive.proof('VS-0002')
  const { version } = await verifyProof({ proof, policy, nowMs: now })
  const changed = proof.replace(/index 1/, 'index 0')
  const refused = await verifyProof({ proof: changed, policy, nowMs: now }).catch((error) => error)
  return {
    size: checkpoint.size,
    isSame: version.hash === versions[1].hash,
    refused: refused instanceof LogError ? refused.code : String(refused),
  }
}

export async function smoke(settings) {
  const { origin, tamperedOrigin, pin, now } = settings
  const make = (baseUrl) =>
    createClient({ baseUrl, pinnedKeyIds: [pin], now: () => now, maxRetries: 0 })
  const client = make(origin)
  const { data } = await client.status()
  const refused = await make(tamperedOrigin).status().catch((error) => error)
  const versions = []
  for await (const { data } of history(client)) versions.push(data.snapshotId)
  return {
    state: data.state,
    refused: refused instanceof VerificationError ? refused.code : String(refused),
    versions,
    log: await readLog(settings),
  }
}
`

const EXPECTED = {
  state: 'operational',
  refused: 'DIGEST',
  versions: ['VS-0002', 'VS-0001'],
  log: { size: 2, isSame: true, refused: 'INCLUSION' },
}

/** A workerd that runs one test with the bundled module, and may connect to this machine. */
const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ( name = "main", worker = (
        modules = [ ( name = "worker", esModule = embed "worker.js" ) ],
        compatibilityDate = "2026-01-01",
        globalOutbound = "network" ) ),
    ( name = "network", network = ( allow = [ "private", "local", "public" ] ) ),
  ]
);
`

before(async () => {
  ;({ consumer } = await installClient(root))
  writeFileSync(path.join(consumer, 'smoke.js'), SMOKE)
  writeFileSync(
    path.join(consumer, 'main.js'),
    `import { smoke } from './smoke.js'
console.log(JSON.stringify(await smoke(JSON.parse(process.argv[2]))))`,
  )
})

after(() => rmSync(root, { recursive: true, force: true }))

/** The service with a transparency log, and a proxy before it that alters one byte of each body. */
async function settingsOf(t: TestContext): Promise<string> {
  const { releases, vkey } = await folderWithLog(t, 2)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const proxy = await runTamperingProxy(t, app.origin)
  proxy.tamper = ({ target, body }) => {
    if (target.startsWith('/api/v1/status')) body[body.length - 1] = ' '.charCodeAt(0)
  }
  const { origin, clock } = app
  const policyText = `log ${vkey}\nquorum none\n`
  const [tamperedOrigin, pin] = [proxy.origin, key.keyId]
  return JSON.stringify({ origin, tamperedOrigin, pin, now: clock.ms, policyText })
}

const COMMANDS: { readonly [runtime: string]: readonly string[] } = {
  bun: ['run', 'main.js'],
  deno: ['run', '--allow-net=127.0.0.1', '--allow-read', 'main.js'],
}

describe('the packed client reads, refuses an altered byte, and follows the history and the log', () => {
  for (const [runtime, args] of Object.entries(COMMANDS)) {
    test(`in ${runtime}`, async (t) => {
      if (!hasProgram(runtime)) {
        t.skip(`${runtime} is not installed; .ci/run --long installs it`)
        return
      }
      const { stdout } = await run(runtime, [...args, await settingsOf(t)], {
        cwd: consumer,
        env: { ...process.env, DENO_DIR: path.join(root, 'deno'), DENO_NO_UPDATE_CHECK: '1' },
        timeout: 30_000,
      })
      assert.deepEqual(JSON.parse(stdout), EXPECTED)
    })
  }

  test('in workerd, bundled as for a worker', async (t) => {
    if (!hasProgram('workerd')) {
      t.skip('workerd is not installed; .ci/run --long installs it')
      return
    }
    await build({
      stdin: {
        contents: `import { smoke } from './smoke.js'
export default {
  async test() {
    console.log('found ' + JSON.stringify(await smoke(${await settingsOf(t)})))
  },
}`,
        resolveDir: consumer,
      },
      outfile: path.join(consumer, 'worker.js'),
      bundle: true,
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'],
    })
    writeFileSync(path.join(consumer, 'config.capnp'), WORKERD)
    const { stdout, stderr } = await run('workerd', ['test', 'config.capnp'], {
      cwd: consumer,
      timeout: 30_000,
    })
    const [, found = ''] = /found (\{.*\})/.exec(stdout + stderr) ?? []
    assert.deepEqual(JSON.parse(found), EXPECTED)
  })
})

for (const [version, program] of OTHER_NODES) {
  test(`reads, audits and passes every vector on Node ${version}`, (t) =>
    assertUse(t, consumer, program))
}
