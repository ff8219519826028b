import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { key } from '../client/scripted-client.ts'
import { passOn } from '../support/http-proxy.ts'
import { witnessSigner } from '../support/log-fixture.ts'
import {
  folderWithLog,
  folderWithReleases,
  forkOfLog,
  LOG_ORIGIN,
  rollBackTo,
} from '../support/logged-releases.ts'
import { serve, silentOrigin } from '../support/loopback-server.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { liveDependencies } from './verifying/live-app.ts'

const PIN = ['--pin', key.keyId]
const POLICY = ['--policy', 'policy']
const STATE = ['--state', 'state.json']

const text = (...parts: readonly string[]): string => readFileSync(path.join(...parts), 'utf8')

const serviceOfReleases = (t: TestContext, releases: string): Promise<RunningApp> =>
  runApp(t, { ...liveDependencies(), releases: loadReleases(openReleaseStore(releases)) })
const serviceOf = (t: TestContext, folder: string) =>
  serviceOfReleases(t, path.join(folder, 'releases'))
const forkOf = async (t: TestContext, folder: string, versions: 3 | 4) =>
  serviceOfReleases(t, await forkOfLog(t, folder, versions))

const publish = (folder: string, ...more: readonly string[]) =>
  rollBackTo(folder, 'VS-0001', 'Back', ...more)

/** One address; `turn` selects the service that responds to a path, and `checkpoint` replaces the served one. */
async function front(t: TestContext, ...apps: readonly RunningApp[]) {
  const address = {
    origin: '',
    turn: (_path: string) => 0,
    checkpoint: undefined as string | undefined,
    status: undefined as number | undefined,
  }
  address.origin = await serve(t, (request, response) => {
    const target = request.url ?? ''
    if (target.startsWith('/log/') && address.status !== undefined) {
      response.writeHead(address.status).end()
      return
    }
    if (target === '/log/checkpoint' && address.checkpoint !== undefined) {
      response.end(address.checkpoint)
      return
    }
    passOn(request, response, apps[address.turn(target)]?.port ?? 0)
  })
  return address
}

/** A service with a log of three versions, and a policy of its readers. */
async function openLog(t: TestContext) {
  const log = await folderWithLog(t)
  writeFileSync(path.join(log.folder, 'policy'), `log ${log.vkey}\nquorum none\n`)
  const app = await serviceOf(t, log.folder)
  return { ...log, app, address: await front(t, app) }
}

interface AuditReport {
  readonly code?: string
  readonly evidenceFile?: string | null
  readonly log?: {
    readonly size: number
    readonly previousSize: number | null
    readonly pending: number
    readonly mirrors: readonly { readonly url: string; readonly size: number }[]
    readonly witnesses: readonly { readonly name: string; readonly size: number | null }[]
  }
}

async function audit(folder: string, origin: string, ...options: readonly string[]) {
  const args = ['audit', origin, ...PIN, ...POLICY, '--json', '--evidence', 'evidence.json']
  const { status, out, error } = await svcIn(folder, [...args, ...options])
  return { status, error, report: JSON.parse(out) as AuditReport }
}

test('the log of a valid history is reported, and its checkpoint saved for the next audit', async (t) => {
  const { folder, address } = await openLog(t)
  const { origin } = address
  const without = await svcIn(folder, ['audit', origin, ...PIN, ...STATE, '--json'])
  assert.equal('log' in (JSON.parse(without.out) as object), false)
  assert.doesNotMatch(text(folder, 'state.json'), /checkpoints/)

  const first = succeeded(await svcIn(folder, ['audit', origin, ...PIN, ...STATE, ...POLICY]))
  assert.match(first, /^Log api\.example\.org\/log, 3 versions\.$/m)
  // An audit without the policy keeps the checkpoint.
  await svcIn(folder, ['audit', origin, ...PIN, ...STATE])

  assert.equal((await publish(folder)).status, 0)
  const grown = await front(t, await serviceOf(t, folder))
  const second = await audit(folder, grown.origin, ...STATE, '--moved')
  assert.deepEqual([second.status, second.report.log?.size], [0, 4])
  assert.equal(second.report.log?.previousSize, 3)
})

test('a reader who is shown another history finds out, and others can check the evidence', async (t) => {
  for (const versions of [3, 4] as const) {
    const { folder, app } = await openLog(t)
    const address = await front(t, app, await forkOf(t, folder, versions))
    const { origin } = address
    // The API keeps its history; only the log shows another one.
    assert.equal((await audit(folder, origin, ...STATE)).status, 0)
    const saved = text(folder, 'state.json')
    address.turn = (target) => (target.startsWith('/log/') ? 1 : 0)
    const { status, error, report } = await audit(folder, origin, ...STATE)
    assert.deepEqual([status, report.code], [1, 'FORK'], error)
    assert.match(error, /signed two histories: sizes 3 and [34]/)
    const kept = (JSON.parse(text(folder, 'state.json')) as { checkpoints: unknown }).checkpoints
    assert.deepEqual(kept, (JSON.parse(saved) as { checkpoints: unknown }).checkpoints)

    const check = (...more: readonly string[]) =>
      svcIn(folder, ['audit', '--check-evidence', report.evidenceFile ?? '', ...more])
    const proved = await check(...POLICY)
    assert.deepEqual([proved.status, proved.error], [0, ''])
    assert.match(proved.out, /^Proved: FORK, /)
    assert.equal((await check(...PIN)).status, 2)
    const { vkey } = await folderWithLog(t)
    writeFileSync(path.join(folder, 'other'), `log ${vkey}\nquorum none\n`)
    assert.equal((await check('--policy', 'other')).status, 1)
    writeFileSync(path.join(folder, 'no-log'), 'quorum none\n')
    const unnamed = await check('--policy', 'no-log')
    assert.deepEqual([unnamed.status, /no-log names no log/.test(unnamed.error)], [2, true])
  }
})

test('a copy that shows another history is found without an earlier audit', async (t) => {
  const { folder, address } = await openLog(t)
  const fork = await front(t, await forkOf(t, folder, 4))
  const copy = await front(t, await serviceOf(t, folder))
  const both = ['--mirror', copy.origin, '--mirror', fork.origin]
  const found = await audit(folder, address.origin, ...both)
  assert.deepEqual([found.status, found.report.code], [1, 'FORK'], found.error)
  const { evidenceFile } = found.report
  succeeded(await svcIn(folder, ['audit', '--check-evidence', evidenceFile ?? '', ...POLICY]))

  const same = await audit(folder, address.origin, '--mirror', copy.origin)
  assert.equal(same.status, 0, same.error)
  assert.deepEqual(same.report.log?.mirrors, [{ url: `${copy.origin}/`, size: 3 }])
  const silent = await audit(folder, address.origin, '--mirror', await silentOrigin())
  assert.deepEqual([silent.status, silent.report.code], [3, 'UNREACHABLE'])
})

test('fewer versions than are known are not settled, then withheld; another smaller tree is a fork', async (t) => {
  const { folder, vkey, releases, app } = await openLog(t)
  const witness = await witnessSigner('witness.example/w1', 0x21)
  writeFileSync(path.join(folder, 'policy'), `log ${vkey}\nwitness w1 ${witness.vkey}\nquorum w1\n`)
  const old = text(releases, 'log', 'checkpoint')
  assert.equal((await publish(folder)).status, 0)
  const grown = await serviceOf(t, folder)
  const fork = await forkOf(t, folder, 3)
  const address = await front(t, grown, app, fork)
  const newest = text(releases, 'log', 'checkpoint')
  const forked = await (await fork.fetch('/log/checkpoint')).text()
  const toLog = (target: string) => target.startsWith('/log/')
  for (const [what, known, shown, turn, status, code] of [
    [
      'log',
      await witness.cosignNote(newest, 60),
      await witness.cosignNote(old, 55),
      [1, 0],
      3,
      'LAGGING',
    ],
    [
      'log later',
      await witness.cosignNote(newest, 60),
      await witness.cosignNote(old, 30),
      [1, 0],
      1,
      'WITHHELD',
    ],
    [
      'fork',
      await witness.cosignNote(newest, 60),
      await witness.cosignNote(forked, 55),
      [2, 0],
      1,
      'FORK',
    ],
    ['API', undefined, await witness.cosignNote(newest, 5), [0, 1], 3, 'LAGGING'],
    ['API later', undefined, await witness.cosignNote(newest, 60), [0, 1], 1, 'WITHHELD'],
  ] as const) {
    const state = ['--state', `${what}.json`]
    if (known !== undefined) {
      Object.assign(address, { checkpoint: known, turn: () => 0 })
      const first = await audit(folder, address.origin, ...state)
      assert.equal(first.status, 0, `${what}: ${first.error}`)
    }
    Object.assign(address, {
      checkpoint: shown,
      turn: (target: string) => turn[toLog(target) ? 0 : 1],
    })
    // Again, because an audit must not forget what it knew.
    for (let time = 1; time <= 2; time += 1) {
      const { status: exit, error, report } = await audit(folder, address.origin, ...state)
      assert.deepEqual([exit, report.code], [status, code], `${what}: ${error}`)
      if (status === 3) continue
      const check = ['audit', '--check-evidence', report.evidenceFile ?? '', ...POLICY, ...PIN]
      const proved = await svcIn(folder, check)
      assert.deepEqual([proved.status, proved.error], [0, ''])
      assert.match(proved.out, new RegExp(`^Proved: ${code}, `))
    }
  }
})

test('a witness shows that the service withholds a version, without an earlier audit', async (t) => {
  const { folder, vkey, releases, app } = await openLog(t)
  const signer = await witnessSigner('witness.example/w1', 0x21)
  let offered: string | undefined
  const asked: string[] = []
  const url = await serve(t, ({ url: target = '' }, response) => {
    asked.push(target)
    response.writeHead(offered === undefined ? 404 : 200).end(offered)
  })
  const line = `log ${vkey}\nwitness w1 ${signer.vkey} ${url}/prefix\nquorum w1\n`
  writeFileSync(path.join(folder, 'policy'), line)
  const old = text(releases, 'log', 'checkpoint')
  const fork = await (await (await forkOf(t, folder, 3)).fetch('/log/checkpoint')).text()
  assert.equal((await publish(folder)).status, 0)
  const newest = text(releases, 'log', 'checkpoint')
  const address = await front(t, app)
  // As long as cosignatures of ML-DSA-44.
  const others = `— other.example/w ${Buffer.alloc(2432).toString('base64')}\n`.repeat(30)
  for (const [what, offer, minutesAgo, status, code] of [
    ['not offered', undefined, 0, 0, undefined],
    ['a page of another host', '<h1>Welcome</h1>', 0, 0, undefined],
    [
      'another note',
      'other.example/log\n1\nAAAA\n\n— other.example/log AAAAAAAA\n',
      0,
      0,
      undefined,
    ],
    ['the same', await signer.cosignNote(old, 60), 55, 0, undefined],
    ['within ten minutes', await signer.cosignNote(newest, 60), 55, 3, 'LAGGING'],
    ['later', await signer.cosignNote(newest, 60), 30, 1, 'WITHHELD'],
    ['later, with 30 others', (await signer.cosignNote(newest, 60)) + others, 30, 1, 'WITHHELD'],
    ['another history', await signer.cosignNote(fork, 60), 55, 1, 'FORK'],
  ] as const) {
    offered = offer
    address.checkpoint = await signer.cosignNote(old, minutesAgo)
    const { status: exit, error, report } = await audit(folder, address.origin)
    assert.deepEqual([exit, report.code], [status, code], `${what}: ${error}`)
    if (status !== 0) continue
    const size = code === undefined && what !== 'the same' ? null : 3
    assert.deepEqual(report.log?.witnesses, [{ name: 'w1', size }])
  }
  const name = createHash('sha256').update(LOG_ORIGIN).digest('hex')
  assert.deepEqual([...new Set(asked)], [`/prefix/${name}/checkpoint`])
})

test('evidence of versions withheld proves nothing within 10 minutes, or about as many versions', async (t) => {
  const { folder, vkey, releases } = await openLog(t)
  const witness = await witnessSigner('witness.example/w1', 0x21)
  writeFileSync(path.join(folder, 'policy'), `log ${vkey}\nwitness w1 ${witness.vkey}\nquorum w1\n`)
  const small = text(releases, 'log', 'checkpoint')
  assert.equal((await publish(folder)).status, 0)
  const large = text(releases, 'log', 'checkpoint')
  const at = async (note: string, seconds: number) =>
    note + (await witness.cosign(note.slice(0, note.indexOf('\n\n') + 1), seconds))
  const now = Math.floor(Date.now() / 1000)
  const hourAgo = now - 3600
  for (const [checkpoint, shown, status, expected] of [
    [await at(large, hourAgo), await at(small, hourAgo + 601), 0, /^$/],
    [await at(large, hourAgo), await at(small, hourAgo + 600), 3, /within 10 minutes/],
    [await at(large, hourAgo), small, 3, /no witness states when/],
    [large, await at(small, now), 3, /no witness states when/],
    [await at(small, hourAgo), await at(large, now), 1, /has 3 versions and the other 4/],
    [await at(large, hourAgo), 3, 1, /expected evidence of the format svc-withheld-v1/],
  ] as const) {
    const evidence = { format: 'svc-withheld-v1', checkpoint, shown, keys: [] }
    writeFileSync(path.join(folder, 'evidence.json'), JSON.stringify(evidence))
    const check = ['audit', '--check-evidence', 'evidence.json', ...POLICY, ...PIN]
    const checked = await svcIn(folder, check)
    assert.equal(checked.status, status, checked.error)
    assert.match(checked.error, expected)
  }
})

test('a log with other versions than the service signed is proved without the service', async (t) => {
  for (const versions of [3, 4] as const) {
    const { folder, app } = await openLog(t)
    const address = await front(t, app, await forkOf(t, folder, versions))
    address.turn = (target) => (target.startsWith('/log/') ? 0 : 1)
    const { status, error, report } = await audit(folder, address.origin)
    assert.deepEqual([status, report.code], [1, 'LOG_MISMATCH'], error)
    assert.match(error, /VS-0003 in the log is another version/)
    const check = (...more: readonly string[]) =>
      svcIn(folder, ['audit', '--check-evidence', report.evidenceFile ?? '', ...more])
    const proved = await check(...POLICY, ...PIN)
    assert.deepEqual([proved.status, proved.error], [0, ''])
    assert.match(proved.out, /^Proved: LOG_MISMATCH, /)
    assert.equal((await check(...POLICY)).status, 2)
    assert.equal((await check(...POLICY, '--pin', 'A'.repeat(43))).status, 1)

    // The honest response about the same version is not evidence.
    const honest = await front(t, app)
    await audit(folder, honest.origin, ...STATE)
    const { response } = JSON.parse(text(folder, 'state.json')) as { readonly response: unknown }
    const evidence = JSON.parse(text(folder, 'evidence.json')) as object
    for (const [name, content, expected] of [
      ['honest', { ...evidence, response }, /do not contradict each other about VS-0003/],
      ['shapeless', { ...evidence, proof: 3 }, /expected evidence of the format/],
    ] as const) {
      writeFileSync(path.join(folder, name), JSON.stringify(content))
      const refused = await svcIn(folder, ['audit', '--check-evidence', name, ...POLICY, ...PIN])
      assert.equal(refused.status, 1)
      assert.match(refused.error, expected)
    }
  }
})

test('a service that withholds the evidence of a mismatch is found all the same', async (t) => {
  const { folder, app } = await openLog(t)
  const address = await front(t, app, await forkOf(t, folder, 3))
  let asked = 0
  address.turn = (target) => {
    if (target.startsWith('/log/')) return 0
    if (target.startsWith('/api/v1/versions?') || target === '/api/v1/versions') asked += 1
    return asked > 1 ? 0 : 1
  }
  const { status, error, report } = await audit(folder, address.origin)
  assert.deepEqual([status, report.code], [1, 'LOG_MISMATCH'], error)
  assert.match(error, /without evidence: the service signs another history now/)
})

test('a new version may be missing from the log for a day, an older one may not', async (t) => {
  const { folder, app } = await openLog(t)
  assert.equal((await publish(folder)).status, 0)
  const address = await front(t, await serviceOf(t, folder), app)
  address.turn = (target) => (target.startsWith('/log/') ? 1 : 0)
  const young = await audit(folder, address.origin)
  assert.deepEqual([young.status, young.report.log?.pending], [0, 1], young.error)
  const { out } = await svcIn(folder, ['audit', address.origin, ...PIN, ...POLICY])
  assert.match(out, /^The API has 4 versions, and the log 3: /m)

  // The versions of these folders are from the past.
  const small = await folderWithLog(t, 2)
  const large = folderWithReleases(t, 3)
  const old = await front(t, await serviceOf(t, large), await serviceOf(t, small.folder))
  old.turn = address.turn
  writeFileSync(path.join(folder, 'policy'), `log ${small.vkey}\nquorum none\n`)
  const late = await audit(folder, old.origin)
  assert.deepEqual([late.status, late.report.code], [1, 'LOG_MISMATCH'], late.error)
  assert.match(late.error, /VS-0003 of .* is not in the log, which has 2 versions/)
  assert.equal(existsSync(path.join(folder, 'evidence.json')), false)
})

test('the quorum of the policy and its age are required of the service, and no log is a finding', async (t) => {
  const { folder, vkey, releases, address } = await openLog(t)
  const witness = await witnessSigner('witness.example/w1', 0x21)
  writeFileSync(path.join(folder, 'policy'), `log ${vkey}\nwitness w1 ${witness.vkey}\nquorum w1\n`)
  const note = text(releases, 'log', 'checkpoint')
  for (const [checkpoint, status, code] of [
    [note, 1, 'UNWITNESSED'],
    [await witness.cosignNote(note, 8 * 24 * 60), 1, 'STALE_WITNESS'],
    [await witness.cosignNote(note, 1), 0, undefined],
    ['not a note', 1, 'MALFORMED'],
  ] as const) {
    address.checkpoint = checkpoint
    const found = await audit(folder, address.origin)
    assert.deepEqual([found.status, found.report.code], [status, code], found.error)
  }
  for (const [status, exit, code] of [
    [404, 1, 'MALFORMED'],
    [503, 3, 'UNREACHABLE'],
  ] as const) {
    address.status = status
    const found = await audit(folder, address.origin)
    assert.deepEqual([found.status, found.report.code], [exit, code], found.error)
  }
})

test('a checkpoint in the state file that no log of the policy signed does not accuse the service', async (t) => {
  const { folder, address } = await openLog(t)
  assert.equal((await audit(folder, address.origin, ...STATE)).status, 0)
  const state = JSON.parse(text(folder, 'state.json')) as { readonly checkpoints: string[] }
  const checkpoints = state.checkpoints.map((note) => note.replace('\n3\n', '\n9\n'))
  writeFileSync(path.join(folder, 'state.json'), JSON.stringify({ ...state, checkpoints }))
  const { status, error } = await audit(folder, address.origin, ...STATE)
  assert.equal(status, 2)
  assert.match(error, /the checkpoint in the state file: SIGNATURE/)
  const usage = await svcIn(folder, ['audit', address.origin, '--mirror', address.origin])
  assert.equal(usage.status, 2)
  assert.match(usage.error, /--mirror needs --policy FILE/)
})
