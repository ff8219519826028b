import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { Signing } from '../../src/app.ts'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { publishRelease } from '../../src/publishing/releases/publish-release.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases, type PublishedHistory } from '../../src/service/releases/releases.ts'
import { rewrittenReleases } from '../client/rewritten-releases.ts'
import { editContent, FIXTURE_NOW_MS, makeContent } from '../publishing/content-fixture.ts'
import { passOn } from '../support/http-proxy.ts'
import { serve } from '../support/loopback-server.ts'
import { releasesOf } from '../support/made-content.ts'
import { madeHistory } from '../support/made-releases.ts'
import { succeeded, svc } from '../support/run-svc.ts'
import { otherSigningKey, runApp, testSigning, type RunningApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { liveDependencies } from './verifying/live-app.ts'

const rewritten = (count: number): PublishedHistory =>
  rewrittenReleases(count, 2, (entry) => ({ ...entry, note: 'Never mind.' }))

const OTHER_KEY = otherSigningKey()

/** The test key signs, and announces the other one as next. */
function announcing(): Signing {
  const { signer, keys } = testSigning()
  const next = { ...derivePublicSigningKey(OTHER_KEY), status: 'next' as const }
  return {
    signer,
    keys: [...keys, { ...next, notBefore: '2026-01-01T00:00:00.000Z', notAfter: null }],
  }
}

interface Deployment {
  readonly releases: PublishedHistory
  readonly signing?: Signing
}

/** One address behind which the n-th deployment responds while `turn` is n. */
async function deploy(t: TestContext, ...deployments: readonly Deployment[]) {
  const apps: RunningApp[] = []
  for (const parts of deployments) apps.push(await runApp(t, { ...liveDependencies(), ...parts }))
  const address = { origin: '', turn: 0 }
  address.origin = await serve(t, (request, response) => {
    passOn(request, response, apps[address.turn]?.port ?? 0)
  })
  return address
}

const stateIn = (t: TestContext) => path.join(temporaryFolder(t), 'state.json')

interface Report {
  readonly code?: string
  readonly keyChange?: { readonly isAnnounced: boolean } | null
  readonly warnings?: readonly string[]
  readonly newVersions?: readonly {
    readonly snapshotId: string
    readonly note: string
    readonly keyId: string
    readonly createdAt: string
  }[]
}

async function audit(origin: string, ...options: readonly string[]) {
  const { status, out, error } = await svc('audit', origin, '--json', ...options)
  return { status, error, report: JSON.parse(out) as Report }
}

describe('a state file of another origin', () => {
  test('is a usage error without an accusation, and the file stays', async (t) => {
    const state = stateIn(t)
    const here = await deploy(t, { releases: madeHistory(3) })
    const there = await deploy(t, { releases: rewritten(3) })
    assert.equal((await audit(here.origin, '--state', state)).status, 0)
    const saved = readFileSync(state, 'utf8')
    const { status, error, report } = await audit(there.origin, '--state', state)
    assert.deepEqual([status, report.code], [2, 'OTHER_ORIGIN'])
    assert.match(error, new RegExp(`belongs to ${here.origin}, this is ${there.origin}`))
    assert.doesNotMatch(error, /REWRITTEN|evidence/i)
    assert.equal(readFileSync(state, 'utf8'), saved)
  })

  test('is accepted with --moved under the same key, and then belongs to the new origin', async (t) => {
    const state = stateIn(t)
    const here = await deploy(t, { releases: madeHistory(3) })
    const there = await deploy(t, { releases: madeHistory(4) })
    await audit(here.origin, '--state', state)
    const moved = await audit(there.origin, '--state', state, '--moved')
    assert.deepEqual([moved.status, moved.report.newVersions?.length], [0, 1])
    assert.equal((await audit(there.origin, '--state', state)).status, 0)
    assert.equal((await audit(here.origin, '--state', state)).status, 2)
  })

  test('is refused with --moved under an unrelated key, and accepted under an announced one', async (t) => {
    const here = await deploy(t, { releases: madeHistory(3), signing: announcing() })
    const unrelated = await deploy(t, {
      releases: madeHistory(3),
      signing: testSigning(otherSigningKey()),
    })
    const announced = await deploy(t, { releases: madeHistory(3), signing: testSigning(OTHER_KEY) })
    const state = stateIn(t)
    await audit(here.origin, '--state', state)
    const refused = await audit(unrelated.origin, '--state', state, '--moved')
    assert.deepEqual([refused.status, refused.report.code], [2, 'OTHER_KEYS'])
    assert.equal((await audit(announced.origin, '--state', state, '--moved')).status, 0)
  })

  test('without an origin, from an earlier release, needs the same keys', async (t) => {
    const here = await deploy(
      t,
      { releases: madeHistory(3) },
      { releases: madeHistory(3), signing: testSigning(OTHER_KEY) },
    )
    const state = stateIn(t)
    await audit(here.origin, '--state', state)
    const { response, keys } = JSON.parse(readFileSync(state, 'utf8')) as Record<string, unknown>
    const old = JSON.stringify({ response, keys })
    writeFileSync(state, old)
    assert.equal((await audit(here.origin, '--state', state)).status, 0)
    writeFileSync(state, old)
    here.turn = 1
    const other = await audit(here.origin, '--state', state)
    assert.deepEqual([other.status, other.report.code], [2, 'OTHER_KEYS'])
  })
})

test('a version whose time is ahead is named, and the history is valid', async (t) => {
  const createdAt = '2199-01-01T00:00:00Z'
  const { origin } = await deploy(t, { releases: releasesOf({}, { createdAt }) })
  const { status, report, error } = await audit(origin)
  assert.equal(status, 0)
  assert.deepEqual(report.warnings, ['FUTURE_VERSION'])
  assert.match(error, /warning: FUTURE_VERSION: VS-0001 is of 2199-01-01T00:00:00Z, \d+ min ahead/)
})

test('a version of a later program is named, and the history is valid', async (t) => {
  const { origin } = await deploy(t, { releases: releasesOf({}, { registryVersion: '99.0.0' }) })
  const { status, report, error } = await audit(origin)
  assert.equal(status, 0)
  assert.deepEqual(report.warnings, ['LATER_PROGRAM'])
  assert.match(error, /warning: VS-0001 was written by a later program \(registry 99\.0\.0;/)
})

describe('another signing key at the same origin', () => {
  test('is a warning if no audit saw it announced, and silent afterwards', async (t) => {
    const address = await deploy(
      t,
      { releases: madeHistory(3) },
      { releases: madeHistory(4), signing: testSigning(OTHER_KEY) },
    )
    const state = stateIn(t)
    await audit(address.origin, '--state', state)
    address.turn = 1
    const changed = await audit(address.origin, '--state', state)
    assert.equal(changed.status, 0)
    assert.deepEqual(changed.report.warnings, ['UNANNOUNCED_KEY'])
    assert.match(changed.error, /^warning: .* without an announcement that an earlier audit saw/)
    const after = await audit(address.origin, '--state', state)
    assert.deepEqual([after.report.warnings, after.report.keyChange, after.error], [[], null, ''])
  })

  test('causes no warning if it was announced', async (t) => {
    const address = await deploy(
      t,
      { releases: madeHistory(3), signing: announcing() },
      { releases: madeHistory(4), signing: testSigning(OTHER_KEY) },
    )
    const state = stateIn(t)
    await audit(address.origin, '--state', state)
    address.turn = 1
    const { status, error, report } = await audit(address.origin, '--state', state)
    assert.deepEqual([status, error, report.warnings], [0, '', []])
    assert.equal(report.keyChange?.isAnnounced, true)
  })

  test('fails if keys are pinned and it is not among them', async (t) => {
    const address = await deploy(
      t,
      { releases: madeHistory(3) },
      { releases: madeHistory(4), signing: testSigning(OTHER_KEY) },
    )
    const [pin] = testSigning().keys
    const state = stateIn(t)
    await audit(address.origin, '--state', state, '--pin', pin?.keyId ?? '')
    address.turn = 1
    const { status, report } = await audit(
      address.origin,
      '--state',
      state,
      '--pin',
      pin?.keyId ?? '',
    )
    assert.deepEqual([status, report.code], [1, 'UNKNOWN_KEY'])
  })

  test('gives no evidence of a rewritten history unless the older key announced it', async (t) => {
    const folder = temporaryFolder(t)
    for (const [isAnnounced, code] of [
      [false, 'UNLINKED_KEYS'],
      [true, 'REWRITTEN'],
    ] as const) {
      const address = await deploy(
        t,
        { releases: madeHistory(3), ...(isAnnounced ? { signing: announcing() } : {}) },
        { releases: rewritten(3), signing: testSigning(OTHER_KEY) },
      )
      const state = path.join(folder, `${code}.json`)
      const evidence = path.join(folder, `${code}-evidence.json`)
      await audit(address.origin, '--state', state)
      address.turn = 1
      const found = await audit(address.origin, '--state', state, '--evidence', evidence)
      assert.deepEqual([found.status, found.report.code], [1, code])
      assert.equal(existsSync(evidence), isAnnounced)
      if (!isAnnounced) continue
      const pins = [...announcing().keys].flatMap(({ keyId }) => ['--pin', keyId])
      succeeded(await svc('audit', '--check-evidence', evidence, ...pins))
      // Without the document that links the keys, the same responses prove nothing.
      const { keyDocuments: _, ...unlinked } = JSON.parse(readFileSync(evidence, 'utf8')) as {
        readonly keyDocuments: unknown
      }
      writeFileSync(evidence, JSON.stringify(unlinked))
      const unproved = await svc('audit', '--check-evidence', evidence, ...pins)
      assert.equal(unproved.status, 1)
      assert.match(unproved.error, /different keys signed the responses/)
    }
  })
})

test('the report names the new versions, when they were published, their notes and the key', async (t) => {
  const address = await deploy(t, { releases: madeHistory(2) }, { releases: madeHistory(4) })
  const state = stateIn(t)
  await svc('audit', address.origin, '--state', state)
  address.turn = 1
  const second = await audit(address.origin, '--state', state)
  const [pin] = testSigning().keys
  assert.deepEqual(
    second.report.newVersions?.map(({ snapshotId, createdAt, note, keyId }) => [
      snapshotId,
      createdAt,
      note,
      keyId,
    ]),
    [
      ['VS-0003', '2026-01-03T00:00:00.000Z', 'Made by a test.', pin?.keyId],
      ['VS-0004', '2026-01-04T00:00:00.000Z', 'Made by a test.', pin?.keyId],
    ],
  )
  const none = await svc('audit', address.origin, '--state', state)
  assert.match(none.out, /^No new versions\.$/m)
})

test('redactions that the archive lists are reported, and are not a finding', async (t) => {
  const app = await runApp(t, liveDependencies())
  const redaction = {
    resource: 'status',
    digest: 'A'.repeat(43),
    reason: 'It named a person.',
    redactedAt: '2026-11-01T00:00:00Z',
  }
  const origin = await serve(t, (request, response) => {
    if (request.url === '/archive/versions.json') {
      const redactions = [redaction, { resource: 5 }]
      response.end(JSON.stringify({ versions: ['VS-0001'], redactions }))
      return
    }
    passOn(request, response, app.port)
  })
  const out = succeeded(await svc('audit', origin))
  assert.match(out, /^Redacted: status at 2026-11-01T00:00:00Z \(It named a person\.\)\.$/m)
  const { report } = await audit(origin)
  assert.deepEqual((report as { readonly redactions?: unknown }).redactions, [redaction])
})

test('an audit names the incidents that new versions removed', async (t) => {
  const contentDir = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  const state = path.join(temporaryFolder(t), 'state.json')
  const store = openReleaseStore(releases)
  const common = { store, contentDir, registryVersion: '1.0.0', note: 'N.' }
  const incident =
    '{ id: a, title: Slow, state: resolved, impact: minor, startedAt: 2026-02-01T00:00:00Z, resolvedAt: 2026-02-01T01:00:00Z, components: [], updates: [{ at: 2026-02-01T00:00:00Z, state: resolved, text: T }] }'
  const publish = (from: string, to: string) => {
    editContent(contentDir, 'status', `incidents: [${from}]`, `incidents: [${to}]`)
    return publishRelease({ ...common, nowMs: FIXTURE_NOW_MS })
  }
  const served = async () =>
    (await runApp(t, { ...liveDependencies(), releases: loadReleases(store) })).origin
  await publish('', incident)
  assert.doesNotMatch((await svc('audit', await served(), '--state', state)).out, /removed/)
  await publish(incident, '')
  for (const args of [['--state', state, '--moved'], []]) {
    const out = succeeded(await svc('audit', await served(), ...args))
    assert.match(out, /^VS-0002 removed the incident a \(Slow\)\.$/m)
  }
})

test('--quiet prints nothing about a valid history', async (t) => {
  const address = await deploy(
    t,
    { releases: madeHistory(2) },
    { releases: madeHistory(2), signing: testSigning(OTHER_KEY) },
  )
  const options = ['--state', stateIn(t), '--quiet']
  const first = await svc('audit', address.origin, ...options)
  assert.deepEqual([first.status, first.out, first.error], [0, '', ''])
  address.turn = 1
  const changed = await svc('audit', address.origin, ...options)
  assert.deepEqual([changed.status, changed.out], [0, ''])
  assert.match(changed.error, /warning/)
})

test('--require-state fails without a state file and creates none', async (t) => {
  const address = await deploy(t, { releases: madeHistory(2) })
  const state = stateIn(t)
  const lost = await svc('audit', address.origin, '--state', state, '--require-state')
  assert.equal(lost.status, 2)
  assert.match(lost.error, /there is no state of an earlier audit/)
  assert.equal(existsSync(state), false)
  await svc('audit', address.origin, '--state', state)
  assert.equal((await svc('audit', address.origin, '--state', state, '--require-state')).status, 0)
})

test('an unsigned error of a proxy is inconclusive (exit 3)', async (t) => {
  const app = await runApp(t, liveDependencies())
  for (const ending of ['/keys/signing-key', '/version', '/versions', '/status']) {
    const origin = await serve(t, (request, response) => {
      const [pathname = ''] = (request.url ?? '').split('?')
      if (pathname.endsWith(ending)) {
        response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>')
        return
      }
      passOn(request, response, app.port)
    })
    const { status, error } = await svc('audit', origin)
    assert.equal(status, 3, ending)
    assert.match(error, /sent status 502 without a signature, as a proxy does/)
  }
})
