import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { writeEvidence } from '@public-api/cli/src/auditing/evidence-file.ts'
import { createAuditProgress } from '@public-api/cli/src/auditing/run-audit.ts'
import { createClient } from '@public-api/client-internal/client'
import { auditHistory } from '@public-api/client-internal/history/audit-history'
import type { SavedHead } from '@public-api/client-internal/history/head-store'
import type { HistoryEvidence } from '@public-api/client-internal/history/history-evidence'
import { ROLLOUT_MS } from '@public-api/client-internal/history/history-proofs'
import { UnsettledError } from '@public-api/client-internal/history/unsettled-error'
import { createFileHeadStore } from '@public-api/client-internal/node/file-head-store'
import { toPortable } from '@public-api/client-internal/portable-response'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { loadReleases, type PublishedHistory } from '../../src/service/releases/releases.ts'
import { rewrittenReleases } from '../client/rewritten-releases.ts'
import { key } from '../client/scripted-client.ts'
import { passOn } from '../support/http-proxy.ts'
import { serve, silentOrigin } from '../support/loopback-server.ts'
import { makeReleases, madeHistory } from '../support/made-releases.ts'
import { failedWith, succeeded, svc } from '../support/run-svc.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { liveDependencies } from './verifying/live-app.ts'

const PIN = ['--pin', key.keyId]
const OTHER_PIN = ['--pin', 'A'.repeat(43)]

/** Services that each have another history, behind one address; `turn` selects the one that responds. */
async function deploy(t: TestContext, ...histories: readonly PublishedHistory[]) {
  const apps: RunningApp[] = []
  const deployment = { origin: '', turn: (_path: string) => 0, asked: [] as string[], aheadMs: 0 }
  const clock = { nowMs: () => Date.now() + deployment.aheadMs }
  for (const releases of histories) {
    apps.push(await runApp(t, { ...liveDependencies(), clock, releases }))
  }
  deployment.origin = await serve(t, (request, response) => {
    const [pathname = ''] = (request.url ?? '').split('?')
    deployment.asked.push(pathname)
    const app = apps[deployment.turn(pathname)]
    passOn(request, response, app?.port ?? 0)
  })
  return deployment
}

/** One audit at an earlier time, which leaves its state in the file. */
async function auditEarlier(
  deployment: { readonly origin: string; aheadMs: number },
  agoMs: number,
  state: string,
): Promise<void> {
  deployment.aheadMs = -agoMs
  const client = createClient({ baseUrl: deployment.origin, now: () => Date.now() - agoMs })
  await auditHistory({ client, store: createFileHeadStore(state) }).catch((error: unknown) => {
    assert.ok(error instanceof UnsettledError, String(error))
  })
  deployment.aheadMs = 0
}

test('a valid history is reported, and its head saved for the next audit', async (t) => {
  const folder = temporaryFolder(t)
  const state = path.join(folder, 'deep', 'head.json')
  const deployment = await deploy(t, madeHistory(3), madeHistory(5))
  const { origin } = deployment
  const first = await svc('audit', `${origin}/api/v1`, ...PIN, '--state', state)
  assert.deepEqual([first.status, first.error], [0, ''])
  assert.match(first.out, /^The history is valid\. Newest version: VS-0003 /)
  assert.match(first.out, /^3 versions recomputed\.$/m)
  assert.match(first.out, /This was the first audit\. Its head is saved in/)
  assert.doesNotMatch(first.out, /No key is pinned/)

  deployment.turn = () => 1
  const second = await svc('audit', origin, ...PIN, '--state', state, '--json')
  const report = JSON.parse(second.out) as { readonly [name: string]: unknown }
  assert.deepEqual(
    [second.status, report['ok'], report['isPinned'], report['versionsRead']],
    [0, true, true, 2],
  )
  const again = await svc('audit', origin, ...PIN, '--state', state)
  assert.match(again.out, /^0 versions recomputed\.$/m)
  assert.match(again.out, /It is the head of the last audit\./)
  const every = await svc('audit', origin, ...PIN, '--state', state, '--every-version')
  assert.match(every.out, /^5 versions recomputed\.$/m)
})

test('warns about a missing pin and a missing state', async (t) => {
  const { origin } = await deploy(t, madeHistory(2))
  const out = succeeded(await svc('audit', origin))
  assert.match(out, /No key is pinned, so the keys that the server names are trusted/)
  assert.match(
    out,
    /No earlier audit to compare with; --state FILE saves the head for the next one\./,
  )
})

test('names an unavailable resource', async (t) => {
  const made = makeReleases(2)
  for (const place of made.resources.keys()) {
    if (place.startsWith('roadmap ')) made.resources.set(place, '{}')
  }
  const { origin } = await deploy(t, loadReleases(made.store))
  const out = succeeded(await svc('audit', origin, ...PIN))
  assert.match(out, /^Unavailable at the moment: roadmap\.$/m)
})

for (const fault of ['SHORTENED', 'REWRITTEN', 'INCONSISTENT'] as const) {
  test(`${fault} is reported with evidence that others can check; no file is overwritten`, async (t) => {
    const folder = temporaryFolder(t)
    const state = path.join(folder, 'head.json')
    const evidence = path.join(folder, 'evidence.json')
    writeFileSync(evidence, 'there before')
    const rewritten = rewrittenReleases(3, 2, (entry) => ({ ...entry, note: 'Never mind.' }))
    const other = fault === 'REWRITTEN' ? rewritten : madeHistory(2)
    const deployment = await deploy(t, madeHistory(3), other)
    const { origin } = deployment
    const options = [...PIN, '--state', state, '--evidence', evidence]
    await auditEarlier(deployment, 4 * ROLLOUT_MS, state)
    deployment.turn = (asked) => (fault !== 'INCONSISTENT' || asked === READ_PATHS.status ? 1 : 0)
    // The second of the two responses that an inconsistency needs beside the current one.
    if (fault === 'INCONSISTENT') await auditEarlier(deployment, 2 * ROLLOUT_MS, state)

    const found = await svc('audit', origin, ...options)
    assert.equal(found.status, 1)
    assert.match(found.error, new RegExp(`^error: ${fault}: `))
    assert.equal(readFileSync(evidence, 'utf8'), 'there before')
    const kept = path.join(folder, 'evidence-2.json')
    assert.match(found.out, new RegExp(`The signed responses that prove it are in ${kept}`))

    const proved = await svc('audit', '--check-evidence', kept, ...PIN)
    assert.deepEqual([proved.status, proved.error], [0, ''])
    assert.match(proved.out, new RegExp(`^Proved: ${fault}, `))
    const asJson = await svc('audit', '--check-evidence', kept, ...PIN, '--json')
    assert.equal((JSON.parse(asJson.out) as { fault: string }).fault, fault)
    const unpinned = failedWith(1, await svc('audit', '--check-evidence', kept, ...OTHER_PIN))
    assert.match(unpinned, /proves nothing; UNKNOWN_KEY/)

    const third = await svc('audit', origin, ...options, '--json')
    const report = JSON.parse(third.out) as { readonly [name: string]: unknown }
    assert.deepEqual(
      [third.status, report['ok'], report['code'], report['evidenceFile']],
      [1, false, fault, path.join(folder, 'evidence-3.json')],
    )
  })
}

test('prints evidence that cannot be written to a file', async (t) => {
  const folder = temporaryFolder(t)
  const rewritten = rewrittenReleases(3, 2, (entry) => ({ ...entry, note: 'Never mind.' }))
  const deployment = await deploy(t, madeHistory(3), rewritten)
  deployment.turn = (asked) => (asked.endsWith('/VS-0002') ? 1 : 0)
  const nowhere = path.join(folder, 'missing', 'evidence.json')
  const { status, out, error } = await svc(
    'audit',
    deployment.origin,
    ...PIN,
    '--evidence',
    nowhere,
  )
  assert.equal(status, 1)
  assert.match(error, /It is on standard output; save it/)
  assert.equal((JSON.parse(out) as HistoryEvidence).fault, 'REWRITTEN')
})

test('a release in progress is not settled (exit 3), and the evidence of it proves nothing', async (t) => {
  const folder = temporaryFolder(t)
  const state = path.join(folder, 'head.json')
  const deployment = await deploy(t, madeHistory(9), madeHistory(8))
  const { origin } = deployment
  const run = (...options: string[]) => svc('audit', origin, ...PIN, ...options)
  assert.equal((await run('--state', state)).status, 0)
  deployment.turn = () => 1
  const found = await run('--state', state)
  assert.deepEqual([found.status, found.out], [3, ''])
  assert.match(found.error, /not settled: the responses show SHORTENED \(VS-0009 was signed/)
  assert.match(found.error, /; audit again later\n$/)
  deployment.turn = (asked) => (asked === READ_PATHS.status ? 0 : 1)
  const stateless = await run('--json')
  assert.equal(stateless.status, 3)
  assert.match(stateless.error, /with --state FILE, which saves the responses for the next audit/)
  assert.equal((JSON.parse(stateless.out) as { code: string }).code, 'UNSETTLED')

  const saved = JSON.parse(readFileSync(state, 'utf8')) as SavedHead
  const { keys, response } = saved
  const shorter = toPortable((await createClient({ baseUrl: origin }).version()).response)
  const evidence = { format: 'svc-history-evidence-v1', fault: 'SHORTENED', keys }
  const file = path.join(folder, 'evidence.json')
  writeFileSync(file, JSON.stringify({ ...evidence, responses: [response, shorter] }))
  const checked = failedWith(3, await svc('audit', '--check-evidence', file, ...PIN))
  assert.match(checked, /were signed within 10 minutes of each other/)
})

test('chooses a file name for evidence by default', async (t) => {
  const folder = temporaryFolder(t)
  const before = process.cwd()
  process.chdir(folder)
  t.after(() => process.chdir(before))
  const evidence: HistoryEvidence = {
    format: 'svc-history-evidence-v1',
    fault: 'BROKEN',
    keys: [],
    responses: [],
  }
  const finding = { code: evidence.fault, evidence }
  const nowMs = Date.UTC(2026, 10, 21, 9)
  const name = 'svc-evidence-BROKEN-20261121T090000Z.json'
  assert.equal(writeEvidence(undefined, finding, nowMs), name)
  assert.equal(writeEvidence(undefined, finding, nowMs), name.replace('.json', '-2.json'))
  assert.equal(writeEvidence('plain', finding, nowMs), 'plain')
  assert.equal(writeEvidence('plain', finding, nowMs), 'plain-2')
  assert.deepEqual(JSON.parse(readFileSync(name, 'utf8')), evidence)
  assert.equal(readdirSync(folder).length, 4)
})

test('reports a file that is not evidence without quoting it', async (t) => {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'file.json')
  for (const [content, exit, expected] of [
    ['secret-content', 2, /expected JSON/],
    ['{}', 1, /expected evidence of the format svc-history-evidence-v1/],
    ['null', 1, /expected evidence of the format svc-history-evidence-v1/],
  ] as const) {
    writeFileSync(file, content)
    const { status, out, error } = await svc('audit', '--check-evidence', file, ...PIN)
    assert.deepEqual([status, out], [exit, ''])
    assert.match(error, expected)
    assert.doesNotMatch(error, /secret-content/)
  }
})

test('an invalid state file stops the audit and is not changed', async (t) => {
  const folder = temporaryFolder(t)
  const { origin } = await deploy(t, madeHistory(2))
  const state = path.join(folder, 'head.json')
  writeFileSync(state, '{}')
  const error = failedWith(2, await svc('audit', origin, ...PIN, '--state', state))
  assert.match(error, /head\.json: expected the JSON of a head that an audit saved/)
  assert.equal(readFileSync(state, 'utf8'), '{}')

  const kept = path.join(folder, 'kept.json')
  assert.equal((await svc('audit', origin, ...PIN, '--state', kept)).status, 0)
  const text = readFileSync(kept, 'utf8')
  writeFileSync(kept, text.replace('"bodyBase64":"e', '"bodyBase64":"f'))
  const changed = failedWith(2, await svc('audit', origin, ...PIN, '--state', kept))
  assert.match(changed, /kept\.json: the signature of the saved head is invalid; DIGEST/)
  const unreadable = failedWith(2, await svc('audit', origin, ...PIN, '--state', folder))
  assert.match(unreadable, /: expected a regular file, found a folder/)
})

test('distinguishes another key, another site and an unreachable one', async (t) => {
  const { origin } = await deploy(t, madeHistory(2))
  const other = await svc('audit', origin, ...OTHER_PIN, '--json')
  assert.equal(other.status, 1)
  assert.equal((JSON.parse(other.out) as { code: string }).code, 'UNKNOWN_KEY')

  const site = await serve(t, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' })
    response.end('<h1>Welcome</h1>')
  })
  const html = failedWith(1, await svc('audit', site))
  assert.match(html, /UNSIGNED: .*no signing-key document; status 200/)

  const moved = await serve(t, (_request, response) => {
    response.writeHead(301, { Location: 'https://elsewhere.example/' })
    response.end()
  })
  assert.equal((await svc('audit', moved)).status, 1)

  const closed = await silentOrigin()
  const error = failedWith(3, await svc('audit', closed))
  assert.match(error, /could not be reached: nothing listens there/)
})

test('reports wrong usage before any request', async () => {
  for (const [args, expected] of [
    [[], /expected the URL of a deployment/],
    [['https://example.org/elsewhere'], /expected the URL of a deployment, such as/],
    [['ftp://example.org'], /expected the URL of a deployment, such as/],
    [['https://a', 'https://b'], /expected one URL/],
    [['--check-evidence', 'x'], /needs --pin/],
    [['https://a', '--check-evidence', 'x', ...PIN], /fetches nothing/],
    [['https://a', '--timeout', '0'], /--timeout expects whole seconds/],
    [['https://a', '--jsno'], /did you mean --json\?/],
    [['https://a', '--require-state'], /need --state FILE/],
    [['https://a', '--moved'], /need --state FILE/],
  ] as const) {
    const { status, out, error } = await svc('audit', ...args)
    assert.deepEqual([status, out], [2, ''])
    assert.match(error, expected)
  }
})

test('progress counts the remaining work and appears only on a terminal', () => {
  let shown = ''
  const stream = { isTTY: true, write: (text: string) => ((shown += text), true) }
  const progress = createAuditProgress(stream)
  const versions = [...makeReleases(3).versions.values()].map(
    (text) => JSON.parse(text) as VersionEntry,
  )
  const [head] = versions
  assert.ok(head)
  const index = { step: 'index', versions, previousHead: undefined, resources: 12 } as const
  progress.hear({ step: 'head', head, keyId: key.keyId })
  progress.hear({ ...index, toRead: 90 })
  assert.equal(shown, '')
  progress.hear({ step: 'version', version: head })
  assert.match(shown, /Auditing 1\/102/)
  // A version was published meanwhile.
  progress.hear({ ...index, toRead: 1 })
  progress.hear({ step: 'resource', name: 'status', isAvailable: true })
  assert.match(shown, /Auditing 1\/13/)
  progress.end()
})

test('a history that keeps growing is reported in one line', async (t) => {
  const deployment = await deploy(t, ...[1, 2, 3, 4, 5, 6].map(madeHistory))
  let heads = -1
  deployment.turn = (pathname) => {
    if (pathname === READ_PATHS.version) heads += 1
    return Math.max(heads, 0)
  }
  const { status, out, error } = await svc('audit', deployment.origin, ...PIN, '--json')
  assert.deepEqual(
    [status, (JSON.parse(out) as { readonly code: string }).code, error],
    [
      3,
      'UNSETTLED',
      'error: not settled: a new version was published during each of 4 rounds; audit again later\n',
    ],
  )
})
