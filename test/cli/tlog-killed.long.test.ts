import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { equalHashes, rootOf } from '@public-api/client-internal/log/merkle-tree'
import { verifyCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { readVersions } from '../../src/publishing/releases/published-versions.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { treeOfVersions } from '../../src/tlog/signing/published-log.ts'
import { folderWithLog } from '../support/logged-releases.ts'
import { cleanEnvironment, succeeded, svcIn } from '../support/run-svc.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import { openStubWitness } from '../support/stub-witness.ts'

const SVC = fileURLToPath(new URL('../../src/cli/svc.ts', import.meta.url))
const KILLER = pathToFileURL(
  fileURLToPath(new URL('../support/kill-at-step.ts', import.meta.url)),
).href

/** A log with an honest witness, and every note that ever left the publisher. */
async function openLog(t: TestContext) {
  const { folder, releases, vkey } = await folderWithLog(t)
  const witness = await openStubWitness(t, 'w1', 0x21, vkey)
  const policy = `log ${vkey}\nwitness w1 ${witness.vkey} ${witness.url}\nquorum w1\n`
  writeFileSync(path.join(releases, 'log', 'policy'), policy)
  const notes = new Set<string>()
  const versions = () => readVersions(openReleaseStore(releases))

  /** Publishes in a process of its own, which may be killed. Resolves with whether it ended by itself. */
  async function publish(killed: { readonly step?: number; readonly afterMs?: number }) {
    const before = versions().length
    const id = `VS-000${1 + (before % 2)}`
    const child = spawn(
      process.execPath,
      ['--import', KILLER, SVC, 'rollback', id, '--note', `After version ${before}`],
      {
        cwd: folder,
        env: cleanEnvironment(killed.step === undefined ? {} : { KILL_AT_STEP: `${killed.step}` }),
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let error = ''
    child.stderr.on('data', (part: Buffer) => (error += part.toString()))
    const timer =
      killed.afterMs === undefined
        ? undefined
        : setTimeout(() => child.kill('SIGKILL'), killed.afterMs)
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    clearTimeout(timer)
    assert.ok(code === 0 || signal === 'SIGKILL', `${code} ${signal}: ${error}`)
    assert.ok(versions().length - before <= 1 && versions().length >= before)
    for (const name of ['pending', 'checkpoint']) {
      const file = path.join(releases, 'log', name)
      if (existsSync(file)) notes.add(readFileSync(file, 'utf8'))
    }
    return code === 0
  }

  /** Everything that was signed is a prefix of the final history, and the log has all of it. */
  async function checkAll(): Promise<void> {
    assert.ok(await publish({}))
    for (const body of witness.requests) notes.add(body.slice(body.indexOf('\n\n') + 2))
    const final = versions()
    const tree = await treeOfVersions(final)
    const signedOnly = await openPolicy(`log ${vkey}\nquorum none\n`)
    for (const note of notes) {
      const checks = { policy: signedOnly, nowMs: Date.now() }
      const { size, root } = await verifyCheckpoint({ note, ...checks })
      assert.ok(equalHashes(root, await rootOf(tree, size)), `another tree of ${size} was signed`)
    }
    const served = readFileSync(path.join(releases, 'log', 'checkpoint'), 'utf8')
    const checks = { policy: await openPolicy(policy), nowMs: Date.now() }
    assert.equal((await verifyCheckpoint({ note: served, ...checks })).size, final.length)
    assert.equal(witness.known.size, final.length)
    succeeded(await svcIn(folder, ['tlog', 'status']))
  }

  return { publish, checkAll, notes }
}

test('killed before each of its steps, a publisher never signs two histories', async (t) => {
  const log = await openLog(t)
  // Draws the social cards, so that they take no step afterwards.
  assert.ok(await log.publish({}))
  let step = 1
  while (!(await log.publish({ step }))) step += 1
  // The version, the state, the pending checkpoint, the request and the served checkpoint each take several.
  assert.ok(step > 20, `only ${step - 1} steps`)
  await log.checkAll()
  assert.ok(log.notes.size > 5, `only ${log.notes.size} notes`)
})

test('killed at any time, a publisher never signs two histories', async (t) => {
  const log = await openLog(t)
  const beganMs = performance.now()
  assert.ok(await log.publish({}))
  const wholeMs = performance.now() - beganMs
  const random = createSeededRandom(27)
  for (let round = 0; round < 12; round += 1) {
    await log.publish({ afterMs: (wholeMs * (40 + random(60))) / 100 })
  }
  await log.checkAll()
})
