import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import {
  verifyEvidence,
  type HistoryEvidence,
} from '@public-api/client-internal/history/history-evidence'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { type PublishedHistory } from '../../src/service/releases/releases.ts'
import { rewrittenReleases } from '../client/rewritten-releases.ts'
import { key } from '../client/scripted-client.ts'
import { serve } from '../support/loopback-server.ts'
import { madeHistory } from '../support/made-releases.ts'
import { SVC } from '../support/run-program.ts'
import { cleanEnvironment, failedWith, svc } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { liveDependencies } from './verifying/live-app.ts'

const PIN = ['--pin', key.keyId]

const runService = (t: TestContext, releases: PublishedHistory) =>
  runApp(t, { ...liveDependencies(), releases })

/** Runs `svc watch` until one of its streams has so many lines, then sends the signal. */
async function watchUntil(
  args: readonly string[],
  stream: 'stdout' | 'stderr',
  count: number,
  signal: NodeJS.Signals,
) {
  const child = spawn(process.execPath, [SVC, 'watch', ...args], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const ended = once(child, 'close')
  child[stream === 'stdout' ? 'stderr' : 'stdout'].resume()
  for await (const line of createInterface({ input: child[stream] })) {
    lines.push(line)
    if (lines.length === count) child.kill(signal)
  }
  const [status] = (await ended) as [number | null]
  return { lines, status }
}

test('svc watch prints each version in one line, and ends with 0 on a signal', async (t) => {
  const { origin } = await runService(t, madeHistory(3))
  const after = [origin, ...PIN, '--after', 'VS-0001']
  const { lines, status } = await watchUntil(after, 'stdout', 2, 'SIGINT')
  assert.equal(status, 0)
  assert.match(lines[0] ?? '', /^VS-0002 {2}\d{4}-\S+Z {2}.* \(.*(?:changed|added).*\)$/)
  assert.match(lines[1] ?? '', /^VS-0003 /)
  assert.equal(lines.length, 2)

  const json = await watchUntil([origin, ...PIN, '--json'], 'stdout', 1, 'SIGTERM')
  assert.equal(json.status, 0)
  const [first, ...more] = json.lines.map((line) => JSON.parse(line) as object)
  assert.deepEqual(more, [])
  const { ok, snapshotId, keyId } = first as { readonly [name: string]: unknown }
  assert.deepEqual([ok, snapshotId, keyId], [true, 'VS-0003', key.keyId])
})

test('svc watch names a failure and the time of the next try', async (t) => {
  const origin = await serve(t, (_, response) => response.writeHead(503).end('away'))
  const { lines, status } = await watchUntil([origin, ...PIN], 'stderr', 1, 'SIGINT')
  assert.equal(status, 0)
  assert.match(
    lines.join('\n'),
    /^warning: \S+ sent status 503 without a signature.*; next try at \d{4}-\d\d-\d\dT\d\d:\S+Z$/,
  )
})

test('svc watch ends with 0 when the reader of its output is gone', async (t) => {
  const { origin } = await runService(t, madeHistory(1))
  const child = spawn(process.execPath, [SVC, 'watch', origin, ...PIN], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.destroy()
  assert.deepEqual(await once(child, 'close'), [0, null])
})

test('svc watch ends with 1 and evidence if the history is rewritten', async (t) => {
  const evidence = path.join(temporaryFolder(t), 'evidence.json')
  const before = await runService(t, madeHistory(2))
  const other = rewrittenReleases(2, 2, (entry) => ({ ...entry, note: 'another' }))
  const now = await runService(t, other)
  const origin = await serve(t, (request, response) => {
    const target = String(request.url)
    const app = target.startsWith(`${READ_PATHS.versions}/`) ? before : now
    void app.fetch(target).then(async (upstream) => {
      response.writeHead(upstream.status, Object.fromEntries(upstream.headers))
      response.end(Buffer.from(await upstream.arrayBuffer()))
    })
  })
  const args = ['watch', origin, ...PIN, '--after', 'VS-0002', '--evidence', evidence]
  const { status, out, error } = await svc(...args)
  assert.deepEqual([status, out.includes(evidence)], [1, true])
  assert.match(error, /^error: REWRITTEN: /)
  const proof = JSON.parse(readFileSync(evidence, 'utf8')) as HistoryEvidence
  await verifyEvidence(proof, { pinnedKeyIds: [key.keyId] })
})

test('svc watch refuses an unpinned key, and says what it expects', async (t) => {
  const { origin } = await runService(t, madeHistory(1))
  assert.match(failedWith(1, await svc('watch', origin, '--pin', 'A'.repeat(43))), /UNKNOWN_KEY/)
  const wrong = await svc('watch', origin, '--after', '12')
  assert.deepEqual(
    [wrong.status, wrong.error.split('.')[0]],
    [2, 'error: --after expects a version such as VS-0012'],
  )
})
