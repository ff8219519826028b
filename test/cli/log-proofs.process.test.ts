import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { mirror } from '@public-api/cli/src/log/mirror.ts'
import { createArchiveClient } from '@public-api/client-internal/log/archive-client'
import {
  verifyForkEvidence,
  type ForkEvidence,
} from '@public-api/client-internal/log/fork-evidence'
import { LOG_FAULTS } from '@public-api/client-internal/log/log-error'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { partialNameOf } from '@public-api/client-internal/node/durable-file'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { passOn } from '../support/http-proxy.ts'
import { logFixture, witnessSigner } from '../support/log-fixture.ts'
import { folderWithLog, forkOfLog, rollBackTo } from '../support/logged-releases.ts'
import { serve, silentOrigin } from '../support/loopback-server.ts'
import { argsOf, failedWith, succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { serveFolder } from '../support/static-host.ts'

const text = (...parts: readonly string[]): string => readFileSync(path.join(...parts), 'utf8')

/** A service with a log, and a client's policy in the folder. */
async function openService(t: TestContext, versions = 5) {
  const { folder, vkey, releases } = await folderWithLog(t, versions)
  writeFileSync(path.join(folder, 'policy'), `log ${vkey}\nquorum none\n`)
  // As large as one with 32 logs and 32 witnesses of ML-DSA-44.
  appendFileSync(path.join(releases, 'log', 'policy'), `# ${'x'.repeat(115_000)}\n`)
  const serveReleases = () => runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const { origin } = await serveReleases()
  return { folder, vkey, releases, origin, serveReleases }
}

test('a proof from a folder or from the service verifies offline, with its resource', async (t) => {
  const { folder, origin } = await openService(t)
  for (const [from, file] of [
    [['--releases', 'releases'], 'a'],
    [['--from', origin, '--policy', 'policy'], 'b'],
    [['--from', origin], 'c'],
  ] as const) {
    succeeded(
      await svcIn(folder, [...argsOf('tlog prove VS-0003 --resource status --out'), file, ...from]),
    )
    const files = ['--proof', file, '--policy', 'policy', '--resource-file', `${file}.json`]
    const out = succeeded(await svcIn(folder, ['verify', ...files]))
    assert.match(out, /^Verified: VS-0003 of .*, hash [0-9a-f]{64}\.$/m)
    assert.match(out, /is its resource status\./)
  }
  assert.equal(text(folder, 'a'), text(folder, 'b'))
  const again = failedWith(1, await svcIn(folder, ['tlog', 'prove', 'VS-0003', '--out', 'a']))
  assert.match(again, /^error: a: the file exists and was left unchanged$/m)
})

/** Codes of the log that no proof of one version has: two trees, a history, or an age that only an audit limits. */
const CODES_OF_AUDITS = ['CONSISTENCY', 'FORK', 'LOG_MISMATCH', 'STALE_WITNESS']

test('what a proof does not prove is refused with the line or the reason', async (t) => {
  const { folder, vkey } = await openService(t)
  const [other, witness] = [await logFixture(1), await witnessSigner('w.example', 8)]
  const codes = new Set<string>()
  await svcIn(folder, ['tlog', 'prove', 'VS-0003', '--resource', 'status', '--out', 'p'])
  const proof = text(folder, 'p')
  const refuse = async (change: string, files: readonly string[], expected: RegExp, exit = 1) => {
    writeFileSync(path.join(folder, 'changed'), change)
    const { status, error } = await svcIn(folder, ['verify', '--policy', 'policy', ...files])
    assert.equal(status, exit)
    assert.match(error, expected)
    codes.add(/: ([A-Z_]+): /.exec(error)?.[1] ?? '')
  }
  const changed = ['--proof', 'changed']
  await refuse(proof.replace('index 2', 'index 3'), changed, /changed: INCLUSION/)
  await refuse(proof.replace('index 2', 'index x'), changed, /MALFORMED: the proof, line 3/)
  await refuse(proof.replace(/extra.*\n/, ''), changed, /ENTRY: .*pass the entry/)
  await refuse('{}', ['--proof', 'p', '--resource-file', 'changed'], /RESOURCE: VS-0003 has no/)
  await refuse(
    'x\n',
    ['--proof', 'p', '--policy', 'changed'],
    /changed: MALFORMED: the policy, line 1/,
    2,
  )
  await refuse('', ['--proof', 'missing'], /missing: could not be read/, 2)
  const trusting = ['--proof', 'p', '--policy', 'changed']
  await refuse(other.policy, trusting, /UNKNOWN_LOG: /)
  const witnessed = `log ${vkey}\nwitness w ${witness.vkey}\nquorum w\n`
  await refuse(witnessed, trusting, /UNWITNESSED: quorum w is not met/)
  const [signature = ''] = /^\u2014 \S+ \S+$/m.exec(proof) ?? []
  const forged =
    signature.slice(0, -8) + (signature.at(-8) === 'A' ? 'B' : 'A') + signature.slice(-7)
  await refuse(proof.replace(signature, forged), changed, /SIGNATURE: /)
  const left = Object.keys(LOG_FAULTS).filter((code) => !codes.has(code))
  assert.deepEqual(left.toSorted(), CODES_OF_AUDITS)
  // Without its entry, a proof needs it beside.
  writeFileSync(path.join(folder, 'bare'), proof.replace(/extra.*\n/, ''))
  const [, extra = ''] = /^extra (.*)$/m.exec(proof) ?? []
  writeFileSync(path.join(folder, 'entry'), Buffer.from(extra, 'base64'))
  const bare = ['--proof', 'bare', '--policy', 'policy', '--entry']
  assert.equal((await svcIn(folder, ['verify', ...bare, 'entry'])).status, 0)
  assert.match((await svcIn(folder, ['verify', ...bare, 'p'])).error, /bare: INCLUSION/)
  failedWith(2, await svcIn(folder, ['verify', '--proof', 'p']))
})

test('prove refuses versions that are not in the log, and says what is unreachable', async (t) => {
  const { folder, origin } = await openService(t)
  writeFileSync(path.join(folder, 'log-state'), 'quorum\n')
  const cases = [
    [['VS-0006'], 1, /the log has 5/],
    [['VS-0006', '--from', origin], 1, /the log has 5/],
    [['VS-0001', '--resource', 'nothing'], 1, /has no such resource/],
    [['nothing'], 2, /expected the id of a version/],
    [['VS-0001', '--policy', 'missing'], 2, /missing: could not be read/],
    [['VS-0001', '--policy', 'log-state'], 2, /log-state: MALFORMED: the policy, line 1/],
    [['VS-0001', '--from', origin, '--policy', 'log-state'], 2, /log-state: MALFORMED/],
    [['VS-0001', '--from', await silentOrigin()], 3, /nothing listens there/],
  ] as const
  for (const [args, exit, expected] of cases) {
    const { status, error } = await svcIn(folder, ['tlog', 'prove', ...args])
    assert.equal(status, exit, error)
    assert.match(error, expected)
  }
})

test('a mirror is a folder that any static host serves, and continues where it stopped', async (t) => {
  const { folder, releases, origin, serveReleases } = await openService(t)
  const run = (url: string, ...more: readonly string[]) =>
    svcIn(folder, ['mirror', url, 'copy', '--policy', 'policy', '--json', ...more])
  succeeded(await run(origin))
  for (const place of ['versions', 'resources/status']) {
    assert.deepEqual(
      readdirSync(path.join(folder, 'copy', 'archive', place)),
      readdirSync(path.join(releases, place)),
    )
  }
  assert.equal(
    text(folder, 'copy', 'archive', 'versions', 'VS-0005.json'),
    text(releases, 'versions', 'VS-0005.json'),
  )
  const index = path.join(folder, 'copy', 'archive', 'versions.json')
  const [left, written] = [partialNameOf(index), partialNameOf(index)]
  for (const each of [left, written]) writeFileSync(each, '')
  utimesSync(left, 0, 0)
  const again = await run(origin)
  // A file that another process may still write stays.
  assert.deepEqual([left, written].map(existsSync), [false, true])
  rmSync(written)
  assert.equal((JSON.parse(again.out) as { readonly added: number }).added, 0)

  const host = await serveFolder(t, () => path.join(folder, 'copy'))
  const policy = await openPolicy(text(folder, 'policy'))
  const archive = createArchiveClient({ base: host, policy })
  const { versions } = await archive.history()
  assert.equal(versions.length, 5)
  for (const version of versions) {
    for (const name of Object.keys(version.resources)) {
      assert.ok((await archive.resource(version, name)).bytes !== undefined)
    }
  }
  // A mirror of the mirror.
  succeeded(await svcIn(folder, ['mirror', `${host}/`, 'copy2', '--policy', 'policy']))

  await rollBackTo(folder, 'VS-0001', 'Back')
  const newer = await serveReleases()
  const grown = await run(newer.origin)
  assert.equal((JSON.parse(grown.out) as { readonly size: number }).size, 6)
  const older = await run(origin)
  assert.equal(older.status, 3, older.error)
  assert.equal((JSON.parse(older.out) as { readonly code: string }).code, 'LAGGING')
  assert.match(text(folder, 'copy', 'log', 'checkpoint'), /\n6\n/)
  const both = text(folder, 'copy', 'lagging-6-5.json')
  assert.match(both, /\\n6\\n.*\\n5\\n/)
  // Without the hashes of the larger tree nothing is said about the service.
  rmSync(path.join(folder, 'copy', 'log', 'tile', '0'), { recursive: true })
  assert.match(failedWith(2, await run(origin)), /its files do not lead to its checkpoint/)
})

test('a mirror keeps the proof of a later version than that of a node that is late', async (t) => {
  const { folder, serveReleases } = await openService(t)
  const late = await serveReleases()
  await rollBackTo(folder, 'VS-0001', 'Back')
  const newest = await serveReleases()
  for (const { clock } of [late, newest]) clock.ms = Date.now()
  let node = newest
  const origin = await serve(t, (request, response) => {
    const isOfApi = request.url?.startsWith('/api/') === true
    passOn(request, response, (isOfApi ? node : newest).port)
  })
  const run = () => svcIn(folder, ['mirror', origin, 'copy', '--policy', 'policy'])
  assert.match(succeeded(await run()), /now\.json: VS-0006 is the newest/)
  const proof = text(folder, 'copy', 'now.json')
  node = late
  assert.match(succeeded(await run()), /serves VS-0005, and signed a later version before/)
  assert.equal(text(folder, 'copy', 'now.json'), proof)
})

test('several mirrors of one folder wait for each other, and write files that any host can read', async (t) => {
  const { folder, origin } = await openService(t)
  const umask = process.umask(0o077)
  t.after(() => process.umask(umask))
  const copy = path.join(folder, 'copy')
  const policy = await openPolicy(text(folder, 'policy'))
  const runs = Array.from({ length: 4 }, () => mirror(`${origin}/`, copy, policy, Date.now()))
  for (const { checkpoint } of await Promise.all(runs)) assert.equal(checkpoint.size, 5)
  for (const each of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })]) {
    const { mode } = statSync(path.join(copy, each))
    assert.doesNotMatch(each, /partial/)
    assert.equal(mode & 0o777, statSync(path.join(copy, each)).isFile() ? 0o644 : 0o755, each)
  }
})

test('a mirror refuses changed bytes, and writes no checkpoint over them', async (t) => {
  const { folder, origin } = await openService(t)
  await svcIn(folder, ['mirror', origin, 'copy', '--policy', 'policy'])
  const copy = path.join(folder, 'copy')
  const host = await serveFolder(t, () => copy)
  const status = path.join(copy, 'archive', 'resources', 'status')
  const [file = ''] = readdirSync(status)
  writeFileSync(path.join(status, file), '{}')
  const resource = failedWith(
    1,
    await svcIn(folder, ['mirror', host, 'copy3', '--policy', 'policy']),
  )
  assert.match(resource, /RESOURCE: .*another digest/)
  assert.equal(existsSync(path.join(folder, 'copy3', 'log', 'checkpoint')), false)

  const bundle = path.join(copy, 'log', 'tile', 'entries', '000.p', '5')
  writeFileSync(bundle, readFileSync(bundle).subarray(0, 100))
  const cut = failedWith(1, await svcIn(folder, ['mirror', host, 'copy4', '--policy', 'policy']))
  assert.match(cut, /MALFORMED: the bundle ends within entry 0 of 5/)
})

test('a mirror copies a redaction as unsigned, but not of a resource of the newest version', async (t) => {
  const { folder, releases, origin } = await openService(t)
  const digestIn = (id: string): string => {
    const entry = JSON.parse(text(releases, 'versions', `${id}.json`)) as {
      readonly resources: { readonly status: string }
    }
    return entry.resources.status
  }
  let redacted = digestIn('VS-0002')
  const tombstone = { reason: 'A personal name', redactedAt: '2026-11-20T08:00:00.000Z' }
  const host = await serve(t, (request, response) => {
    if (request.url === `/archive/resources/status/${redacted}.json`) {
      return void response.writeHead(410).end(JSON.stringify(tombstone))
    }
    void fetch(origin + String(request.url)).then(async (honest) =>
      response.writeHead(honest.status).end(Buffer.from(await honest.arrayBuffer())),
    )
  })
  const first = succeeded(await svcIn(folder, ['mirror', host, 'copy', '--policy', 'policy']))
  assert.match(first, /new files, 1 redacted \(unsigned\)\./)
  const status = path.join(folder, 'copy', 'archive', 'resources', 'status')
  assert.deepEqual(JSON.parse(text(status, `${redacted}.redacted.json`)), tombstone)
  redacted = digestIn('VS-0005')
  const newest = failedWith(1, await svcIn(folder, ['mirror', host, 'copy2', '--policy', 'policy']))
  assert.match(newest, /error: status of the newest version is missing/)
  assert.equal(existsSync(path.join(folder, 'copy2', 'log', 'checkpoint')), false)
})

test('a mirror removes what the service redacted since, and keeps what the newest version has', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const app = () => runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const copyOf = async (origin: string) => {
    const args = ['mirror', origin, 'copy', '--policy', path.join(releases, 'log', 'policy')]
    const out = succeeded(await svcIn(folder, [...args, '--json']))
    return JSON.parse(out) as { readonly redacted: number; readonly removed: number }
  }
  const filesOf = (isLeft = false) =>
    readdirSync(path.join(folder, 'copy', 'archive', 'resources', 'status'))
      .filter((name) => name.endsWith('.partial') === isLeft)
      .toSorted()
  await rollBackTo(folder, 'VS-0001', 'Back')
  const first = await copyOf((await app()).origin)
  assert.deepEqual([first.redacted, first.removed], [0, 0])
  const before = filesOf()
  const redact = ['redact', 'VS-0002', 'status', '--reason', 'A name', '--yes']
  assert.equal((await svcIn(folder, redact)).status, 0)
  // As runs that are killed leave them.
  for (const name of before) {
    writeFileSync(path.join(folder, 'copy/archive/resources/status', partialNameOf(name)), 'A name')
  }
  const second = await copyOf((await app()).origin)
  assert.deepEqual([second.redacted, second.removed], [1, 2])
  const [tombstone = '', ...others] = filesOf().filter((each) => !before.includes(each))
  assert.deepEqual(others, [])
  assert.match(tombstone, /\.redacted\.json$/)
  const gone = tombstone.replace('.redacted', '')
  assert.equal(
    [...filesOf(), ...filesOf(true)].some((name) => name.startsWith(gone)),
    false,
  )
  assert.equal(before.length, filesOf().length)
  const third = await copyOf((await app()).origin)
  assert.deepEqual([third.redacted, third.removed], [1, 0])

  // A list that names what the newest version has is not followed.
  const listing = await app()
  const head = openReleaseStore(releases).readVersionIds().at(-1) ?? ''
  const entry = JSON.parse(openReleaseStore(releases).readVersionText(head)) as {
    readonly resources: { readonly [name: string]: string }
  }
  const redactions = Object.entries(entry.resources).map(([resource, digest]) => ({
    resource,
    digest,
    reason: 'All',
    redactedAt: '2026-11-29T00:00:00Z',
  }))
  const lying = await serve(t, (request, response) => {
    passOn(request, response, Number(new URL(listing.origin).port), (proxied) => {
      if (request.url !== '/archive/versions.json') return
      proxied.body = Buffer.from(JSON.stringify({ redactions, versions: [] }))
    })
  })
  assert.equal((await copyOf(lying)).removed, 0)
})

test('a mirror repairs what is wrong in its copy, and trusts none of its files', async (t) => {
  const { folder, origin } = await openService(t)
  const run = () => svcIn(folder, ['mirror', origin, 'copy', '--policy', 'policy', '--json'])
  await run()
  const copy = path.join(folder, 'copy')
  const checkpoint = path.join(copy, 'log', 'checkpoint')
  const status = path.join(copy, 'archive', 'resources', 'status')
  const [resource = ''] = readdirSync(status)
  const files = [
    path.join(copy, 'archive', 'versions', 'VS-0002.json'),
    path.join(copy, 'log', 'tile', '0', '000.p', '5'),
    path.join(copy, 'log', 'tile', 'entries', '000.p', '5'),
    path.join(status, resource),
  ]
  const right = files.map((file) => readFileSync(file))
  for (const file of files) {
    const bytes = readFileSync(file)
    bytes.set([(bytes[9] ?? 0) ^ 1], 9)
    writeFileSync(file, bytes)
  }
  succeeded(await run())
  assert.deepEqual(
    files.map((file) => readFileSync(file)),
    right,
  )
  // What no file of a copy is: far too large, or a device that never ends.
  const [version = '', tile = ''] = files
  truncateSync(version, 10_000_000_000)
  rmSync(tile)
  symlinkSync('/dev/zero', tile)
  succeeded(await run())
  assert.deepEqual([readFileSync(version), readFileSync(tile)], [right[0], right[1]])

  for (const [bytes, expected, code] of [
    [Buffer.from([0x61, 0xff, 0x0a]), /checkpoint: expected UTF-8 text/, 2],
    [
      'api.example.org/log\r\n5\r\n',
      /log\/checkpoint: MALFORMED: .*line 1: a control character/,
      1,
    ],
    [text(checkpoint).replace('\n5\n', '\n9223372036854775808\n'), /MALFORMED: .*line 2/, 1],
    [text(checkpoint).replace('\n5\n', '\n4\n'), /SIGNATURE: the checkpoint, line 5/, 1],
    ['x'.repeat(1_000_001), /checkpoint: expected at most 1000000 bytes/, 2],
  ] as const) {
    writeFileSync(checkpoint, bytes)
    const { status: exit, error } = await run()
    assert.equal(exit, code, error)
    assert.match(error, expected)
    assert.deepEqual(readFileSync(checkpoint), Buffer.from(bytes))
  }
})

test('a mirror writes nothing through links in its copy, and waits for no pipe', async (t) => {
  const { folder, origin } = await openService(t)
  const run = () => svcIn(folder, ['mirror', origin, 'copy', '--policy', 'policy'])
  await run()
  const copy = path.join(folder, 'copy')
  const outside = path.join(folder, 'outside')
  mkdirSync(outside)
  for (const name of ['archive', 'archive/resources/status', 'log', 'log/tile/0']) {
    const place = path.join(copy, name)
    renameSync(place, `${copy}.own`)
    symlinkSync(outside, place)
    const error = failedWith(1, await run())
    assert.equal(error, `error: copy: ${name} is a link; expected a folder\n`)
    rmSync(place)
    renameSync(`${copy}.own`, place)
  }
  for (const name of ['log/checkpoint', '.lock']) {
    const place = path.join(copy, name)
    rmSync(place)
    execFileSync('mkfifo', [place])
    assert.match(failedWith(1, await run()), /^error: copy\S* .*expected a (?:regular )?file\n$/)
    rmSync(place)
  }
  assert.deepEqual(readdirSync(outside), [])
  succeeded(await run())
})

test('an operator that shows two histories is caught, and a third party checks the evidence alone', async (t) => {
  const { folder, origin } = await openService(t, 3)
  const releases = loadReleases(openReleaseStore(await forkOfLog(t, folder, 4)))
  const forked = await runApp(t, { releases })

  await svcIn(folder, ['mirror', origin, 'copy', '--policy', 'policy'])
  const before = text(folder, 'copy', 'log', 'checkpoint')
  const error = failedWith(
    1,
    await svcIn(folder, ['mirror', forked.origin, ...argsOf('copy --policy policy')]),
  )
  assert.match(error, /FORK: api\.example\.org\/log signed two histories: sizes 3 and 4$/m)
  assert.equal(text(folder, 'copy', 'log', 'checkpoint'), before)
  const evidence = JSON.parse(text(folder, 'copy', 'fork-3-4.json')) as ForkEvidence
  const policy = await openPolicy(text(folder, 'policy'))
  assert.equal(await verifyForkEvidence(evidence, policy), 'api.example.org/log')

  // A smaller tree that is not a prefix, where the evidence cannot be written.
  const mirrorOther = (url: string) => svcIn(folder, ['mirror', url, 'other', '--policy', 'policy'])
  assert.equal((await mirrorOther(forked.origin)).status, 0)
  mkdirSync(path.join(folder, 'other', 'fork-4-3.json'))
  const smaller = await mirrorOther(origin)
  assert.deepEqual([smaller.status, /FORK: .* sizes 3 and 4$/m.test(smaller.error)], [1, true])
  const second = text(folder, 'other', 'fork-4-3-2.json')
  assert.equal(
    await verifyForkEvidence(JSON.parse(second) as ForkEvidence, policy),
    'api.example.org/log',
  )
  rmSync(path.join(folder, 'secrets'), { recursive: true })
})
