import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { verifyCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { readVersions } from '../../src/publishing/releases/published-versions.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { cosignLog } from '../../src/tlog/signing/cosign-log.ts'
import { signLog } from '../../src/tlog/signing/published-log.ts'
import { example } from '../support/log-example.ts'
import {
  folderWithLog,
  folderWithReleases,
  LOG_ORIGIN,
  rollBackTo,
} from '../support/logged-releases.ts'
import { argsOf, failedWith, succeeded, svcIn } from '../support/run-svc.ts'
import { openStubWitness, type WitnessMode } from '../support/stub-witness.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const text = (...parts: readonly string[]): string => readFileSync(path.join(...parts), 'utf8')
const sizeOf = (note: string): number => Number(note.split('\n')[1])
/** Publishes a version: the older of two contents that differ. */
function rollback(folder: string, ...more: readonly string[]) {
  const count = readVersions(openReleaseStore(path.join(folder, 'releases'))).length
  const id = `VS-000${1 + (count % 2)}`
  return rollBackTo(folder, id, 'Back', ...more)
}

/** A log with witnesses w1, w2, w3, of which two must agree. */
async function withWitnesses(t: TestContext, quorum = 'group two 2 w1 w2 w3\nquorum two\n') {
  const log = await folderWithLog(t)
  const witnesses = [
    await openStubWitness(t, 'w1', 0x21, log.vkey),
    await openStubWitness(t, 'w2', 0x22, log.vkey),
    await openStubWitness(t, 'w3', 0x23, log.vkey),
  ] as const
  const lines = witnesses.map(({ vkey, url }, index) => `witness w${index + 1} ${vkey} ${url}\n`)
  const policy = `log ${log.vkey}\n${lines.join('')}${quorum}`
  writeFileSync(path.join(log.releases, 'log', 'policy'), policy)
  return { ...log, witnesses, policy }
}

test('without svc tlog init nothing of a log exists', async (t) => {
  const folder = folderWithReleases(t)
  assert.doesNotMatch(succeeded(await rollback(folder)), /^The (?:log|policy) /m)
  assert.equal(existsSync(path.join(folder, 'releases', 'log')), false)
  assert.equal(existsSync(path.join(folder, 'secrets')), false)
  const refused = failedWith(1, await svcIn(folder, ['tlog', 'cosign']))
  assert.match(refused, /has no log; create one with svc tlog init/)
})

test('init creates key, state, policy and a signed checkpoint, once', async (t) => {
  const { folder, vkey, releases } = await folderWithLog(t)
  assert.equal(text(releases, 'log', 'origin'), `${LOG_ORIGIN}\n`)
  const note = text(releases, 'log', 'checkpoint')
  const policy = await openPolicy(text(releases, 'log', 'policy'))
  const { size, signedBy } = await verifyCheckpoint({ note, policy, nowMs: Date.now() })
  assert.deepEqual([size, signedBy], [3, [vkey]])
  const state = JSON.parse(text(folder, 'secrets', 'log-state.json')) as { readonly size: number }
  assert.equal(state.size, 3)

  const out = succeeded(
    await svcIn(folderWithReleases(t), [...argsOf('tlog init --origin api.example.org/log-2027')]),
  )
  assert.match(out, /^log api\.example\.org\/log-2027\+\S+ https:\/\/api\.example\.org\/log$/m)

  const again = failedWith(
    1,
    await svcIn(folder, ['tlog', 'init', '--origin', 'other.example/log']),
  )
  assert.match(again, /has the log api\.example\.org\/log already/)
  for (const origin of ['https://a.example/log', 'a b', 'a+b', 'svc-x', '']) {
    const refused = await svcIn(folderWithReleases(t), ['tlog', 'init', '--origin', origin])
    assert.equal(refused.status, 1, origin)
    assert.match(refused.error, /expected host and path without a scheme/)
  }
})

test('publishing extends the log, asks the witnesses, and serves what satisfies the policy', async (t) => {
  const { folder, releases, witnesses, policy } = await withWitnesses(t)
  const out = succeeded(await rollback(folder))
  assert.match(out, /Published VS-0004/)
  assert.match(out, /serves 4 versions/)
  const note = text(releases, 'log', 'checkpoint')
  const checks = { policy: await openPolicy(policy), nowMs: Date.now() }
  const { size, cosignatures } = await verifyCheckpoint({ note, ...checks })
  assert.deepEqual([size, cosignatures.length], [4, 3])
  assert.equal(existsSync(path.join(releases, 'log', 'pending')), false)
  assert.match(witnesses[0].requests[0] ?? '', /^old 0\n\napi\.example\.org\/log\n4\n/)

  // The next publication proves consistency from the size that each witness knows.
  await rollback(folder)
  assert.match(witnesses[0].requests[1] ?? '', /^old 4\n\S{44}\n/)
  assert.equal(sizeOf(text(releases, 'log', 'checkpoint')), 5)

  const { status: shown, out: json } = await svcIn(folder, ['tlog', 'status', '--json'])
  assert.equal(shown, 0)
  const statusOf = JSON.parse(json) as { readonly size: number; readonly isMet: boolean }
  assert.deepEqual([statusOf.size, statusOf.isMet], [5, true])
})

test('a witness with a key of ML-DSA-44 beside the quorum stops nothing', async (t) => {
  const { folder, releases, policy } = await withWitnesses(t)
  const pq = example('pq.vkey').trimEnd()
  // As large as one with 32 such witnesses and as many logs.
  const comment = `# ${'x'.repeat(115_000)}\n`
  writeFileSync(path.join(releases, 'log', 'policy'), `${comment}${policy}witness pq ${pq}\n`)
  assert.match(succeeded(await rollback(folder)), /serves 4 versions/)
  succeeded(await svcIn(folder, ['tlog', 'cosign']))
  assert.equal((await svcIn(folder, ['audit', releases])).status, 0)
  assert.match((await svcIn(folder, ['tlog', 'status'])).out, / {2}pq: not asked/)
})

test('a publication succeeds without its witnesses, and the older checkpoint stays served', async (t) => {
  const { folder, releases, witnesses } = await withWitnesses(t)
  await svcIn(folder, ['tlog', 'cosign'])
  for (const witness of witnesses.slice(1)) witness.mode = 'fails'
  // A slow machine must not let the minute pass for which a witness that failed is not asked.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const out = succeeded(await rollback(folder))
  assert.match(
    out,
    /policy of the log in \S+ is not met for 4 versions: w2, w3 missing; the checkpoint of 3 stays/,
  )
  assert.equal(sizeOf(text(releases, 'log', 'checkpoint')), 3)
  assert.equal(sizeOf(text(releases, 'log', 'pending')), 4)
  const shown = await svcIn(folder, ['tlog', 'status'])
  assert.match(shown.out, /Pending versions: 1/)

  // A later publication does not wait for what failed a moment ago; cosign asks at once.
  const asked = witnesses[1].requests.length
  t.mock.timers.tick(1000)
  await rollback(folder)
  assert.equal(witnesses[1].requests.length, asked)
  failedWith(3, await svcIn(folder, ['tlog', 'cosign']))
  for (const witness of witnesses) witness.mode = 'honest'
  succeeded(await svcIn(folder, ['tlog', 'cosign']))
  assert.equal(sizeOf(text(releases, 'log', 'checkpoint')), 5)
})

test('the wait after a failure doubles from a minute to an hour, and ends with a success', async (t) => {
  const { releases, witnesses } = await withWitnesses(t, 'quorum w1\n')
  const [witness] = witnesses
  witness.mode = 'limits'
  let nowMs = Date.now()
  const askAt = async (ms: number): Promise<boolean> => {
    const before = witness.requests.length
    const options = { releasesDir: releases, nowMs: ms, asks: 'due' as const }
    await cosignLog(options, () => readVersions(openReleaseStore(releases)))
    return witness.requests.length > before
  }
  assert.equal(await askAt(nowMs), true)
  for (const [index, minutes] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    const waitMs = minutes * 60_000
    assert.equal(await askAt(nowMs + waitMs - 1), false, `${minutes} minutes`)
    nowMs += waitMs
    if (index === 7) witness.mode = 'honest'
    assert.equal(await askAt(nowMs), true, `${minutes} minutes`)
  }
  assert.equal(await askAt(nowMs + 1), true)
})

test('--no-witnesses asks no witness', async (t) => {
  const { folder, releases, witnesses } = await withWitnesses(t)
  succeeded(await rollback(folder, '--no-witnesses'))
  assert.deepEqual(
    witnesses.map(({ requests }) => requests.length),
    [0, 0, 0],
  )
  assert.equal(sizeOf(text(releases, 'log', 'pending')), 4)
})

test('cosign renews the time of an unchanged tree, without a key', async (t) => {
  const { folder, releases } = await withWitnesses(t)
  rmSync(path.join(folder, 'secrets'), { recursive: true })
  await svcIn(folder, ['tlog', 'cosign'])
  const first = text(releases, 'log', 'checkpoint')
  const store = openReleaseStore(releases)
  const later = Date.now() + 86_400_000
  const fetchLater = (...request: Parameters<typeof fetch>) => fetch(...request)
  const report = await cosignLog(
    { releasesDir: releases, nowMs: later, asks: 'all', fetch: fetchLater },
    () => readVersions(store),
  )
  assert.equal(report.isMet, true)
  const second = text(releases, 'log', 'checkpoint')
  assert.equal(first.split('\n').length, second.split('\n').length)
})

test('status fails while the policy is not met or its quorum is older than 3 days', async (t) => {
  const { folder, releases, vkey } = await folderWithLog(t)
  const clock = { seconds: Math.floor(Date.now() / 1000) - 4 * 86_400 }
  const witness = await openStubWitness(t, 'w1', 0x21, vkey, () => clock.seconds)
  const line = `witness w1 ${witness.vkey} ${witness.url}`
  writeFileSync(path.join(releases, 'log', 'policy'), `log ${vkey}\n${line}\nquorum w1\n`)
  const statusIs = async (exit: number, expected: RegExp) => {
    const { status, out } = await svcIn(folder, ['tlog', 'status'])
    assert.equal(status, exit, out)
    assert.match(out, expected)
  }
  await statusIs(1, /It does not satisfy the policy\.\n  w1: not asked: not asked yet/)
  assert.equal((await svcIn(folder, ['tlog', 'cosign'])).status, 0)
  await statusIs(1, /The quorum cosigned it at \S+, more than 3 days ago\./)
  // The same tree again gets a new time.
  clock.seconds += 4 * 86_400
  assert.equal((await svcIn(folder, ['tlog', 'cosign'])).status, 0)
  const at = new Date(clock.seconds * 1000).toISOString()
  await statusIs(0, new RegExp(`cosigned it at ${at}\\.\\n  w1: cosigned at ${at}`))
})

test('a witness outside the quorum is asked, and does not fail the command', async (t) => {
  const { folder, witnesses } = await withWitnesses(t, 'quorum w1\n')
  for (const [mode, expected] of [
    ['unknown-log', /w2: not configured/],
    ['fails', /w2: failed/],
  ] as const) {
    witnesses[1].mode = mode
    assert.match(succeeded(await svcIn(folder, ['tlog', 'cosign'])), expected)
  }
})

test('the key may come from SVC_TLOG_KEY, and the releases are valid with their log', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const key = path.join(folder, 'secrets', 'log-key.pem')
  const env = { SVC_TLOG_KEY: text(key) }
  rmSync(key)
  succeeded(await svcIn(folder, ['rollback', 'VS-0001', '--note', 'Back'], { env }))
  assert.equal(sizeOf(text(releases, 'log', 'checkpoint')), 4)
  const rotation = await svcIn(folder, ['tlog', 'new-key'], { env })
  assert.match(rotation.error, /SVC_TLOG_KEY is set; this command manages keys in files only/)
  succeeded(await svcIn(folder, ['audit', 'releases']))
})

describe('answers of a witness', () => {
  const rows: readonly (readonly [WitnessMode, outcome: string, detail: RegExp, exit: number])[] = [
    ['honest', 'cosigned', /^$/, 0],
    ['lies', 'failed', /line 1: the cosignature is not valid/, 3],
    ['floods', 'failed', /more than 131072 bytes/, 3],
    ['bombs', 'failed', /more than 131072 bytes/, 3],
    ['argues', 'failed', /states size 2 again/, 3],
    ['nonsense', 'failed', /line 1: expected an em dash/, 3],
    ['cuts', 'failed', /./, 3],
    ['resets', 'failed', /./, 3],
    ['fails', 'failed', /status 500/, 3],
    ['refuses', 'failed', /status 400/, 3],
    ['limits', 'failed', /status 429/, 3],
    ['redirects', 'failed', /status 307/, 3],
    ['unknown-log', 'not-configured', /does not know the log/, 1],
    ['unknown-key', 'not-configured', /does not know the log key \S+\+[0-9a-f]{8};/, 1],
    ['empty-409', 'alarm', /another tree of 3 entries/, 1],
  ]
  for (const [mode, outcome, detail, exit] of rows) {
    test(mode, async (t) => {
      const { folder, witnesses } = await withWitnesses(t, 'quorum w1\n')
      witnesses[0].mode = mode
      const { status, out } = await svcIn(folder, ['tlog', 'cosign', '--json'])
      assert.equal(status, exit, out)
      const report = JSON.parse(out) as {
        readonly witnesses: readonly { readonly outcome: string; readonly detail: string }[]
      }
      assert.equal(report.witnesses[0]?.outcome, outcome)
      assert.match(report.witnesses[0].detail, detail)
    })
  }

  test('a witness that forgets is asked again from its size', async (t) => {
    const { folder, witnesses } = await withWitnesses(t, 'quorum w1\n')
    await svcIn(folder, ['tlog', 'cosign'])
    witnesses[0].known = { size: 0, root: '' }
    succeeded(await svcIn(folder, ['tlog', 'cosign']))
    assert.equal(witnesses[0].requests.length, 3)
  })

  test('a witness that has seen more is an alarm, and is not argued with', async (t) => {
    const { folder, witnesses } = await withWitnesses(t, 'quorum w1\n')
    witnesses[0].known = { size: 9, root: 'x' }
    const { status, out } = await svcIn(folder, ['tlog', 'cosign'])
    assert.equal(status, 1)
    assert.match(out, /it has seen 9 entries, and this folder has 3: the folder is behind/)
    assert.equal(witnesses[0].requests.length, 1)
  })

  test('a witness that has seen another tree refuses the proof: an alarm', async (t) => {
    const { folder, witnesses } = await withWitnesses(t, 'quorum w1\n')
    witnesses[0].known = { size: 2, root: Buffer.alloc(32, 1).toString('base64') }
    const { status, out } = await svcIn(folder, ['tlog', 'cosign'])
    assert.equal(status, 1)
    assert.match(out, /ALARM: it refuses the proof/)
  })

  test('a witness that hangs or never ends is not waited for longer than the limit', async (t) => {
    const { releases, witnesses } = await withWitnesses(t, 'quorum w1\n')
    witnesses[1].mode = 'hangs'
    witnesses[2].mode = 'drips'
    const report = await cosignLog(
      { releasesDir: releases, nowMs: Date.now(), asks: 'all', timeoutMs: 300 },
      () => readVersions(openReleaseStore(releases)),
    )
    assert.equal(report.isMet, true)
    assert.equal(report.witnesses[1]?.detail, 'it did not respond in time')
    assert.equal(report.witnesses[2]?.detail, 'it did not respond in time')
  })
})

test('an old backup is refused: no version is written and nothing is signed', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const backup = path.join(folder, 'backup')
  cpSync(releases, backup, { recursive: true })
  await rollback(folder)
  rmSync(releases, { recursive: true })
  renameSync(backup, releases)
  const before = text(releases, 'log', 'checkpoint')
  const error = failedWith(1, await rollback(folder))
  assert.match(error, /the log signed 4 versions, and the folder has 3; .*nothing was published/)
  assert.equal(existsSync(path.join(releases, 'versions', 'VS-0004.json')), false)
  assert.equal(text(releases, 'log', 'checkpoint'), before)
})

test('another history of the same length is refused', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const other = folderWithReleases(t, 2)
  await rollBackTo(other, 'VS-0001', 'Another third version')
  const log = text(releases, 'log', 'checkpoint')
  rmSync(path.join(releases, 'versions'), { recursive: true })
  cpSync(path.join(other, 'releases', 'versions'), path.join(releases, 'versions'), {
    recursive: true,
  })
  const error = failedWith(1, await rollback(folder))
  assert.match(error, /the first 3 versions are not those that the log signed/)
  assert.equal(text(releases, 'log', 'checkpoint'), log)
})

/** What a publisher finds in the place of the key or the state, the variables, and the reason that is given. */
const UNUSABLE: readonly (readonly [
  title: string,
  reason: RegExp,
  spoil: (place: (name: string) => string, pem: string) => void,
  env?: (key: string) => { readonly [name: string]: string },
])[] = [
  ['no key', /log-key\.pem is missing/, (place) => rmSync(place('log-key.pem'))],
  [
    'a key of mode 644',
    /other users can access \S+log-key\.pem \(mode 644\); expected mode 600/,
    (place) => chmodSync(place('log-key.pem'), 0o644),
  ],
  [
    'half a key',
    /log-key\.pem: /,
    (place, pem) => writeFileSync(place('log-key.pem'), pem.slice(0, 60)),
  ],
  [
    'a public key',
    /log-key\.pem: /,
    (place, pem) => writeFileSync(place('log-key.pem'), pem.replace('PRIVATE', 'PUBLIC')),
  ],
  [
    'a folder in the place of the key',
    /log-key\.pem cannot be read: /,
    (place) => {
      rmSync(place('log-key.pem'))
      mkdirSync(place('log-key.pem'))
    },
  ],
  [
    'a path in SVC_TLOG_KEY',
    /SVC_TLOG_KEY: .*; SVC_TLOG_KEY_FILE names a file/,
    () => {},
    (key) => ({ SVC_TLOG_KEY: key }),
  ],
  [
    'no state',
    /log-state\.json is missing; restore it/,
    (place) => rmSync(place('log-state.json')),
  ],
  [
    'half a state',
    /log-state\.json: expected/,
    (place) => writeFileSync(place('log-state.json'), '{'),
  ],
  [
    'a mistake in the policy',
    /the policy, line 2: expected: witness <name> <vkey>/,
    (place) => writeFileSync(place('../releases/log/policy'), 'quorum none\nwitness\n'),
  ],
]

for (const [title, reason, spoil, env] of UNUSABLE) {
  test(`with ${title} a version is published and pending, and cosign signs it later`, async (t) => {
    const { folder, releases } = await folderWithLog(t)
    const place = (name: string) => path.join(folder, 'secrets', name)
    const pem = text(place('log-key.pem'))
    const saved = path.join(folder, 'saved')
    cpSync(path.join(folder, 'secrets'), saved, { recursive: true })
    const policy = text(releases, 'log', 'policy')
    spoil(place, pem)
    const variables = { env: env?.(place('log-key.pem')) ?? {} }
    const args = argsOf('rollback VS-0001 --no-cards --json')
    const published = succeeded(await svcIn(folder, args, variables))
    const { entry, log } = JSON.parse(published) as {
      readonly entry: { readonly snapshotId: string }
      readonly log: { readonly pending: string }
    }
    assert.equal(entry.snapshotId, 'VS-0004')
    assert.match(log.pending, reason)
    assert.doesNotMatch(published, /MC4CAQ/)
    assert.equal(sizeOf(text(releases, 'log', 'checkpoint')), 3)
    const cosigned = await svcIn(folder, argsOf('tlog cosign'), variables)
    assert.equal(cosigned.status, 1, cosigned.out)
    assert.match(`${cosigned.out}${cosigned.error}`, reason)
    rmSync(path.join(folder, 'secrets'), { recursive: true })
    cpSync(saved, path.join(folder, 'secrets'), { recursive: true })
    writeFileSync(path.join(releases, 'log', 'policy'), policy)
    const signed = succeeded(await svcIn(folder, argsOf('tlog cosign')))
    assert.equal(sizeOf(text(releases, 'log', 'checkpoint')), 4)
    assert.match(signed, /serves 4 versions/)
  })
}

test('publishers of a group share the key that SVC_TLOG_KEY_FILE names, with its state', async (t) => {
  const folder = folderWithReleases(t)
  const shared = path.join(folder, 'shared')
  mkdirSync(shared)
  chmodSync(shared, 0o2770)
  const key = path.join(shared, 'key.pem')
  const env = { SVC_TLOG_KEY_FILE: key }
  succeeded(await svcIn(folder, ['tlog', 'init', '--origin', LOG_ORIGIN], { env }))
  const modeOf = (name: string) => statSync(path.join(shared, name)).mode & 0o777
  assert.deepEqual([modeOf('key.pem'), modeOf('log-state.json')], [0o640, 0o660])
  const args = argsOf('rollback VS-0001 --no-cards')
  const published = await svcIn(folder, args, { env })
  assert.match(published.out, /serves 4 versions/)
  assert.equal(modeOf('log-state.json'), 0o660)
  chmodSync(key, 0o644)
  const open = await svcIn(folder, argsOf('rollback VS-0002 --no-cards'), { env })
  assert.match(open.error, /VS-0005 is pending .*\(mode 644\); expected mode 640/)
  assert.ok(!existsSync(path.join(folder, 'secrets')))
})

test('a publication that was interrupted after the version is finished by the next', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const [state, checkpoint] = [
    text(folder, 'secrets', 'log-state.json'),
    text(releases, 'log', 'checkpoint'),
  ]
  await rollback(folder)
  const [newState, newCheckpoint] = [
    text(folder, 'secrets', 'log-state.json'),
    text(releases, 'log', 'checkpoint'),
  ]
  // What a crash leaves: nothing of the log; the state alone; the state and the pending checkpoint.
  for (const [stateLeft, pending] of [
    [state, undefined],
    [newState, undefined],
    [newState, newCheckpoint],
  ] as const) {
    writeFileSync(path.join(folder, 'secrets', 'log-state.json'), stateLeft)
    writeFileSync(path.join(releases, 'log', 'checkpoint'), checkpoint)
    if (pending !== undefined) writeFileSync(path.join(releases, 'log', 'pending'), pending)
    assert.match(succeeded(await rollback(folder)), /serves [45] versions/)
    const versions = readVersions(openReleaseStore(releases))
    assert.equal(sizeOf(text(releases, 'log', 'checkpoint')), versions.length)
    rmSync(path.join(releases, 'versions', 'VS-0005.json'), { force: true })
  }
})

test('a rotation signs with both keys, and the old one can be retired', async (t) => {
  const { folder, vkey, releases, witnesses } = await withWitnesses(t)
  await svcIn(folder, ['tlog', 'cosign'])
  const out = succeeded(await svcIn(folder, ['tlog', 'new-key', '--json']))
  const { current, retiring } = JSON.parse(out) as { current: string; retiring: string }
  assert.equal(retiring, vkey)
  // The witnesses know only the old key, and a client may know either.
  assert.ok(witnesses.every(({ requests }) => requests.length === 2))
  for (const known of [current, vkey]) {
    const policy = await openPolicy(`log ${known}\nquorum none\n`)
    const note = text(releases, 'log', 'checkpoint')
    const { signedBy } = await verifyCheckpoint({ note, policy, nowMs: Date.now() })
    assert.deepEqual(signedBy, [known])
  }
  const twice = failedWith(1, await svcIn(folder, ['tlog', 'new-key']))
  assert.match(twice, /is retiring; retire it before you add another/)
  assert.match(text(releases, 'log', 'policy'), /^log \S+\nlog /)
  const keyId = vkey.split('+')[1] ?? ''
  failedWith(1, await svcIn(folder, ['tlog', 'retire-key', current.split('+')[1] ?? '']))
  succeeded(await svcIn(folder, ['tlog', 'retire-key', keyId]))
  const policy = await openPolicy(text(releases, 'log', 'policy'))
  assert.deepEqual(
    policy.logs.map(({ key }) => key.vkey),
    [current],
  )
})

test('a mistake in the policy is named by its line, and no key is rotated', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  writeFileSync(path.join(releases, 'log', 'policy'), 'quorum none\nwitness\n')
  assert.match(failedWith(1, await svcIn(folder, ['tlog', 'new-key'])), /the policy, line 2/)
  assert.equal(existsSync(path.join(folder, 'secrets', 'log-key-retiring.pem')), false)
})

describe('two publishers at once', () => {
  /** Publishes a version that the log does not know. */
  async function publishUnlogged(folder: string, note: string): Promise<void> {
    const [log, away] = [path.join(folder, 'releases', 'log'), path.join(folder, 'log')]
    renameSync(log, away)
    succeeded(await rollBackTo(folder, 'VS-0001', note))
    renameSync(away, log)
  }

  test('in two copies of a releases folder: one tree is signed, and the other is refused', async (t) => {
    const { folder, releases } = await folderWithLog(t)
    const other = temporaryFolder(t)
    cpSync(releases, path.join(other, 'releases'), { recursive: true })
    const secrets = { secretsDir: path.join(folder, 'secrets'), keyText: undefined }
    const folders = [folder, other]
    for (const each of folders) await publishUnlogged(each, `Published in ${each}`)
    const signed = await Promise.allSettled(
      folders.map((each) => {
        const releasesDir = path.join(each, 'releases')
        const read = () => readVersions(openReleaseStore(releasesDir))
        return signLog({ releasesDir, secrets }, read)
      }),
    )
    const refused = signed.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    assert.equal(refused.length, 1)
    assert.match(String(refused[0]), /first 4 versions are not those that the log signed/)
    const pending = folders.filter((each) => existsSync(path.join(each, 'releases/log/pending')))
    assert.equal(pending.length, 1)
    const state = JSON.parse(text(folder, 'secrets', 'log-state.json')) as { readonly root: string }
    const note = text(pending[0] ?? '', 'releases', 'log', 'pending')
    assert.equal(note.split('\n')[2], state.root)
  })

  test('in one folder: each version is in the log, and the state never shrinks', async (t) => {
    const { folder, releases } = await withWitnesses(t)
    await rollback(folder, '--no-witnesses')
    const store = openReleaseStore(releases)
    const read = () => readVersions(store)
    const secrets = { secretsDir: path.join(folder, 'secrets'), keyText: undefined }
    const publication = { releasesDir: releases, secrets }
    // The slow one reads its versions before the other publishes and signs.
    const cosigned = cosignLog(
      {
        releasesDir: releases,
        nowMs: Date.now(),
        asks: 'all',
        async fetch(...request) {
          const response = await fetch(...request)
          await published
          return response
        },
      },
      read,
    )
    const published = rollback(folder)
    const [report, { status, out }] = await Promise.all([cosigned, published])
    assert.equal(status, 0, out)
    assert.deepEqual([report.size, report.isMet, report.servedSize], [4, true, 5])
    assert.equal(sizeOf(text(releases, 'log', 'checkpoint')), 5)
    assert.equal(existsSync(path.join(releases, 'log', 'pending')), false)
    await signLog(publication, read)
    assert.equal(existsSync(path.join(releases, 'log', 'pending')), false)
  })
})
