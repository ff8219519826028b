import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { createClient, type Client } from '@public-api/client-internal/client'
import type { Fetch } from '@public-api/client-internal/connection'
import { auditHistory } from '@public-api/client-internal/history/audit-history'
import type { AuditProgress } from '@public-api/client-internal/history/audit-options'
import type { HeadStore, SavedHead } from '@public-api/client-internal/history/head-store'
import { HistoryError } from '@public-api/client-internal/history/history-error'
import {
  EvidenceError,
  verifyEvidence,
  type HistoryEvidence,
} from '@public-api/client-internal/history/history-evidence'
import { ROLLOUT_MS, type HistoryFault } from '@public-api/client-internal/history/history-proofs'
import { UnsettledError } from '@public-api/client-internal/history/unsettled-error'
import {
  publishedOf,
  toPortable,
  type PortableResponse,
} from '@public-api/client-internal/portable-response'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { versionHash } from '../../src/crypto/published-history.ts'
import { createPayload } from '../../src/service/releases/payload.ts'
import { loadReleases, type PublishedHistory } from '../../src/service/releases/releases.ts'
import { makeReleases, madeHistory } from '../support/made-releases.ts'
import { runApp, TEST_NOW_MS, type RunningApp } from '../support/running-app.ts'
import { misstatingReleases, rewrittenReleases } from './rewritten-releases.ts'
import { key } from './scripted-client.ts'

const PINS = { pinnedKeyIds: [key.keyId] }

const STATUS_CHANGED = [{ resource: 'status', kind: 'changed' }] as const

/** A head in memory, which goes through JSON like a kept one. */
function memoryStore(): HeadStore & { saved: string | undefined } {
  const store = {
    saved: undefined as string | undefined,
    load: () =>
      Promise.resolve(
        store.saved === undefined ? undefined : (JSON.parse(store.saved) as SavedHead),
      ),
    save: (head: SavedHead) => {
      store.saved = JSON.stringify(head)
      return Promise.resolve()
    },
  }
  return store
}

/** Services that each have another history, behind one address. `turn` says which one answers. */
interface Deployments {
  readonly client: Client
  readonly asked: string[]
  readonly clock: { ms: number }
  turn: (target: string) => number
}

async function deploy(
  t: TestContext,
  ...histories: readonly PublishedHistory[]
): Promise<Deployments> {
  const clock = { ms: TEST_NOW_MS }
  const apps: RunningApp[] = []
  for (const releases of histories) {
    apps.push(await runApp(t, { releases, clock: { nowMs: () => clock.ms } }))
  }
  const asked: string[] = []
  const fetchOne: Fetch = (url, init) => {
    const { pathname, search } = new URL(url)
    asked.push(pathname)
    const app = apps[deployments.turn(pathname)]
    return fetch(`${app?.origin}${pathname}${search}`, init)
  }
  const client = createClient({
    baseUrl: 'https://api.example.test',
    ...PINS,
    fetch: fetchOne,
    now: () => clock.ms,
    wait: () => Promise.resolve(),
  })
  const deployments: Deployments = { client, asked, clock, turn: () => 0 }
  return deployments
}

/**
 * What the audit throws, with its evidence checked by a third person: from JSON, with nothing but the pinned id. `at` is
 * where it must be found.
 */
async function faultOf(
  audit: Promise<unknown>,
  expected: HistoryFault,
  at?: string,
): Promise<HistoryEvidence> {
  const found: unknown = await audit.catch((error: unknown) => error)
  assert.ok(found instanceof HistoryError, String(found))
  assert.equal(found.code, expected, found.message)
  const { finding } = found
  assert.equal(finding.at, at ?? finding.at)
  assert.notEqual(finding.expected, finding.found)
  for (const part of [finding.expected, finding.found]) assert.ok(found.message.includes(part))
  const evidence = JSON.parse(JSON.stringify(found.evidence)) as HistoryEvidence
  const { fault } = await verifyEvidence(evidence, PINS)
  assert.equal(fault, expected)
  return evidence
}

/** Checks that the audit is not settled, and that its responses prove nothing yet. */
async function unsettled(audit: Promise<unknown>, expected: HistoryFault): Promise<UnsettledError> {
  const found: unknown = await audit.catch((error: unknown) => error)
  assert.ok(found instanceof UnsettledError, String(found))
  const { code, contradiction } = found
  assert.equal(code, 'UNSETTLED')
  assert.equal(contradiction?.evidence.fault, expected)
  await assert.rejects(verifyEvidence(contradiction.evidence, PINS), { code: 'UNSETTLED' })
  return found
}

function changed(json: string, from: string | RegExp, to: string) {
  const text = json.replace(from, to)
  assert.notEqual(text, json)
  return createPayload(JSON.parse(text))
}

describe('a valid history', () => {
  test('is read once; later audits read only new versions', async (t) => {
    const { client, asked } = await deploy(t, madeHistory(5))
    const store = memoryStore()
    const first = await auditHistory({ client, store })
    assert.equal(first.head.snapshotId, 'VS-0005')
    assert.equal(first.previousHead, undefined)
    assert.equal(first.versionsRead, 5)
    assert.equal(first.resources.length, SNAPSHOT_NAMES.length)
    assert.deepEqual(first.unavailable, [])
    assert.equal(asked.filter((path) => path.startsWith(`${READ_PATHS.versions}/`)).length, 5)

    const again = await auditHistory({ client, store })
    assert.equal(again.previousHead?.hash, first.head.hash)
    assert.equal(again.versionsRead, 0)
  })

  test('keeps what others saved with the head', async (t) => {
    const { client } = await deploy(t, madeHistory(2))
    const store = memoryStore()
    await auditHistory({ client, store })
    const others = { pinFrom: 'dns:api.example.org', checkpoints: ['a'], later: { is: 1 } }
    const saved = JSON.parse(store.saved ?? '') as SavedHead
    store.saved = JSON.stringify({ ...saved, ...others, isAudited: true, unsettled: [] })
    await auditHistory({ client, store })
    const { pinFrom, checkpoints, later, ...own } = JSON.parse(store.saved) as typeof others
    assert.deepEqual({ pinFrom, checkpoints, later }, others)
    assert.deepEqual(Object.keys(own).toSorted(), Object.keys(saved).toSorted())
  })

  test('is not blamed for a saved head that was edited', async (t) => {
    const { client } = await deploy(t, madeHistory(2))
    const store = memoryStore()
    await auditHistory({ client, store })
    store.saved = (store.saved ?? '').replace('"bodyBase64":"e', '"bodyBase64":"f')
    const edited = store.saved
    await assert.rejects(auditHistory({ client, store }), /^TypeError: The saved head: .*DIGEST/)
    assert.equal(store.saved, edited)
  })

  test('may get versions during the audit', async (t) => {
    const deployments = await deploy(t, madeHistory(3), madeHistory(4))
    deployments.turn = () => (deployments.asked.length > 9 ? 1 : 0)
    const { head, versionsRead } = await auditHistory({ client: deployments.client })
    assert.equal(head.snapshotId, 'VS-0004')
    assert.equal(versionsRead, 4)
  })

  test('may grow between the newest version and the index', async (t) => {
    const deployments = await deploy(t, madeHistory(5), madeHistory(6))
    deployments.turn = () => (deployments.asked.length > 2 ? 1 : 0)
    const { client, asked } = deployments
    const { head, versionsRead } = await auditHistory({ client })
    assert.equal(
      asked.indexOf(READ_PATHS.versions),
      2,
      'the first request after the newest version',
    )
    assert.deepEqual([head.snapshotId, versionsRead], ['VS-0006', 6])
  })

  test('needs at least one concurrent request', async (t) => {
    const { client } = await deploy(t, madeHistory(2))
    for (const concurrency of [0, -1, Number.NaN]) {
      await assert.rejects(auditHistory({ client, concurrency }), RangeError)
    }
  })
})

describe('the progress of an audit', () => {
  /** The reported steps in a word or two; concurrent ones sorted by name. */
  function linesOf(progress: readonly AuditProgress[]): readonly string[] {
    return progress.map((each) => {
      if (each.step === 'head') return `head ${each.head.snapshotId} ${each.keyId}`
      if (each.step === 'index') {
        const { versions, previousHead, toRead, resources } = each
        const before = previousHead?.snapshotId ?? 'nothing'
        return `index ${versions.length} after ${before}, ${toRead} to read, ${resources} resources`
      }
      if (each.step === 'version') return `version ${each.version.snapshotId}`
      return `resource ${each.isAvailable ? 'served' : 'unavailable'}`
    })
  }

  test('is reported step by step with its total', async (t) => {
    const made = makeReleases(3)
    const lost = [...made.resources.keys()].findLast((each) => each.startsWith('status ')) ?? ''
    made.resources.delete(lost)
    const deployments = await deploy(t, madeHistory(2), loadReleases(made.store))
    const { client } = deployments
    const store = memoryStore()
    await auditHistory({ client, store })
    deployments.turn = () => 1
    const progress: AuditProgress[] = []
    await auditHistory({ client, store, onProgress: (each) => progress.push(each) })
    const [head, index, version, ...resources] = linesOf(progress)
    assert.equal(head, `head VS-0003 ${key.keyId}`)
    assert.equal(index, `index 3 after VS-0002, 1 to read, ${SNAPSHOT_NAMES.length} resources`)
    assert.equal(version, 'version VS-0003')
    assert.equal(resources.length, SNAPSHOT_NAMES.length)
    assert.deepEqual([...new Set(resources)].toSorted(), [
      'resource served',
      'resource unavailable',
    ])
  })

  test('restarts if a version is published, without reading versions twice', async (t) => {
    const deployments = await deploy(t, madeHistory(3), madeHistory(4))
    deployments.turn = () => (deployments.asked.length > 9 ? 1 : 0)
    const progress: AuditProgress[] = []
    const { client } = deployments
    await auditHistory({ client, onProgress: (each) => progress.push(each) })
    const lines = linesOf(progress).filter((line) => !line.startsWith('resource'))
    assert.deepEqual(
      [...lines.slice(0, 2), ...lines.slice(2, 5).toSorted(), ...lines.slice(5)],
      [
        `head VS-0003 ${key.keyId}`,
        `index 3 after nothing, 3 to read, ${SNAPSHOT_NAMES.length} resources`,
        'version VS-0001',
        'version VS-0002',
        'version VS-0003',
        `head VS-0004 ${key.keyId}`,
        `index 4 after nothing, 1 to read, ${SNAPSHOT_NAMES.length} resources`,
        'version VS-0004',
      ],
    )
  })

  test('is not reported after the audit has ended, and no request follows', async (t) => {
    const deployments = await deploy(
      t,
      madeHistory(60),
      rewrittenReleases(60, 1, (entry) => ({ ...entry, note: 'Never mind.' })),
    )
    // The oldest entry is read first.
    deployments.turn = (path) => (path.endsWith('/VS-0001') ? 1 : 0)
    let hasEnded = false
    const late: AuditProgress[] = []
    const { client, asked } = deployments
    const audit = auditHistory({
      client,
      concurrency: 4,
      onProgress: (each) => {
        if (hasEnded) late.push(each)
      },
    })
    await assert.rejects(audit, { code: 'REWRITTEN' })
    hasEnded = true
    const askedThen = asked.length
    // Whatever was under way has come in after that.
    for (let turns = 0; turns < 3; turns += 1) await client.status({ fresh: true })
    assert.deepEqual(late, [])
    assert.ok(asked.length - askedThen - 3 <= 4, `${asked.length - askedThen - 3} more`)
    assert.ok(askedThen < 60, `${askedThen} requests`)
  })

  test('ends the audit if its callback throws', async (t) => {
    const { client } = await deploy(t, madeHistory(2))
    const reason = new Error('enough')
    const onProgress = () => {
      throw reason
    }
    await assert.rejects(auditHistory({ client, onProgress }), reason)
  })
})

describe('a history that contradicts itself', () => {
  const reworded: Parameters<typeof rewrittenReleases>[2] = (entry) => ({
    ...entry,
    note: 'Never mind.',
  })

  test('rewritten at the head', async (t) => {
    const deployments = await deploy(t, madeHistory(3), rewrittenReleases(3, 3, reworded))
    const { client } = deployments
    const store = memoryStore()
    await auditHistory({ client, store })
    const { saved } = store
    deployments.turn = () => 1
    const evidence = await faultOf(auditHistory({ client, store }), 'REWRITTEN')
    assert.equal(evidence.responses.length, 2)
    assert.equal(store.saved, saved)
  })

  test('rewritten before the head, and grown', async (t) => {
    const deployments = await deploy(t, madeHistory(3), rewrittenReleases(5, 2, reworded))
    const { client } = deployments
    const store = memoryStore()
    await auditHistory({ client, store })
    deployments.turn = () => 1
    await faultOf(auditHistory({ client, store }), 'REWRITTEN')
  })

  test('rewritten before the head by a publisher during the audit', async (t) => {
    const deployments = await deploy(
      t,
      madeHistory(5),
      rewrittenReleases(6, 2, reworded),
      rewrittenReleases(7, 2, reworded),
    )
    const { client } = deployments
    const store = memoryStore()
    await auditHistory({ client, store })
    let heads = 0
    deployments.turn = (path) => {
      if (path === READ_PATHS.version) heads += 1
      return heads === 1 && path === READ_PATHS.version ? 1 : 2
    }
    await faultOf(auditHistory({ client, store }), 'REWRITTEN', 'VS-0005')
  })

  test('an entry at another path', async (t) => {
    const deployments = await deploy(t, madeHistory(4))
    const { client } = deployments
    const elsewhere: Client = {
      ...client,
      getUnverified: (target, options) =>
        client.getUnverified(target.replace('VS-0002', 'VS-0003'), options),
    }
    // Only what the service signs counts.
    const { versionsRead } = await auditHistory({ client: elsewhere })
    assert.equal(versionsRead, 4)

    const signed = madeHistory(4)
    const mixed: PublishedHistory = {
      ...signed,
      version: (id) => signed.version(id === 'VS-0002' ? 'VS-0003' : id),
    }
    const mixing = await deploy(t, mixed)
    await faultOf(auditHistory({ client: mixing.client }), 'BROKEN', 'VS-0002')
  })

  test('shortened', async (t) => {
    const deployments = await deploy(t, madeHistory(5), madeHistory(4))
    const { client, clock } = deployments
    const store = memoryStore()
    await auditHistory({ client, store })
    deployments.turn = () => 1
    clock.ms += 86_400_000
    await faultOf(auditHistory({ client, store }), 'SHORTENED', 'VS-0005')
  })

  test('shortened while it is audited', async (t) => {
    const deployments = await deploy(t, madeHistory(5), madeHistory(4))
    const { client, clock } = deployments
    deployments.turn = () => (deployments.asked.length > 12 ? 1 : 0)
    const store = memoryStore()
    await unsettled(auditHistory({ client, store }), 'SHORTENED')
    clock.ms += ROLLOUT_MS + 1
    await faultOf(auditHistory({ client, store }), 'SHORTENED', 'VS-0005')
  })

  test('an entry that differs from the index', async (t) => {
    const deployments = await deploy(t, madeHistory(4), rewrittenReleases(4, 2, reworded))
    deployments.turn = (path) => (path.endsWith('/VS-0002') ? 1 : 0)
    await faultOf(auditHistory({ client: deployments.client }), 'REWRITTEN', 'VS-0002')
  })

  /** The releases with the data of some responses exchanged, as a service could that signs what it likes. */
  function lying(releases: PublishedHistory, change: Partial<PublishedHistory>): PublishedHistory {
    return { ...releases, ...change }
  }

  test('an entry with a wrong hash', async (t) => {
    const releases = madeHistory(4)
    const entry = changed(releases.version('VS-0002')?.json ?? '', 'Made by a test.', 'Never mind.')
    const liar = lying(releases, {
      version: (id) => (id === 'VS-0002' ? entry : releases.version(id)),
    })
    const { client } = await deploy(t, liar)
    await faultOf(auditHistory({ client }), 'BROKEN')
  })

  test('a newest version with a wrong hash', async (t) => {
    const releases = madeHistory(2)
    const head = changed(releases.head.json, 'Made by a test.', 'Never mind.')
    const { client } = await deploy(t, lying(releases, { head }))
    await faultOf(auditHistory({ client }), 'BROKEN')
  })

  for (const [name, from, to, at] of [
    ['skips an entry', /,\{"createdAt":"2026-01-02[^}]*\}/, '', 'versions'],
    ['counts wrongly', '"count":4', '"count":5', 'versions'],
    ['does not link', /"previousHash":"[^"]{4}/, '"previousHash":"ffff', 'VS-0004'],
    ['numbers wrongly', '"sequence":2', '"sequence":9', 'VS-0002'],
  ] as const) {
    test(`an index that ${name}`, async (t) => {
      const releases = madeHistory(4)
      const payload = changed(releases.historyPage({}).payload.json, from, to)
      const liar = lying(releases, { historyPage: () => ({ payload, nextBefore: undefined }) })
      const { client } = await deploy(t, liar)
      await faultOf(auditHistory({ client }), 'BROKEN', at)
    })
  }

  for (const [name, sequence, changes, at, responses] of [
    ['hides a change', 3, [], 'VS-0003', 2],
    ['invents a change', 2, [...STATUS_CHANGED, { resource: 'zeta', kind: 'added' }], 'VS-0002', 2],
    ['adds nothing as the genesis entry', 1, [], 'VS-0001', 1],
    ['hides a change as the newest entry', 4, [], 'VS-0004', 2],
  ] as const) {
    test(`an entry with a correct hash that ${name}`, async (t) => {
      const { client } = await deploy(t, misstatingReleases(4, sequence, changes))
      const evidence = await faultOf(auditHistory({ client }), 'CHANGES_FALSE', at)
      assert.equal(evidence.responses.length, responses)
    })
  }

  test('an entry after the saved head that misstates its changes', async (t) => {
    const deployments = await deploy(t, madeHistory(3), misstatingReleases(4, 4, []))
    const store = memoryStore()
    await auditHistory({ client: deployments.client, store })
    deployments.turn = () => 1
    const audit = auditHistory({ client: deployments.client, store })
    await faultOf(audit, 'CHANGES_FALSE', 'VS-0004')
  })

  for (const [path, at] of [
    [READ_PATHS.versions, 'VS-0004'],
    [READ_PATHS.status, 'status'],
  ]) {
    test(`${path} that differs from the newest version for longer than a release takes`, async (t) => {
      const deployments = await deploy(t, madeHistory(4), madeHistory(3))
      const { client, clock } = deployments
      deployments.turn = (asked) => (asked === path ? 1 : 0)
      const store = memoryStore()
      for (let audits = 0; audits < 2; audits += 1) {
        await unsettled(auditHistory({ client, store }), 'INCONSISTENT')
        clock.ms += ROLLOUT_MS + 1
      }
      const evidence = await faultOf(auditHistory({ client, store }), 'INCONSISTENT')
      assert.equal(evidence.responses.length, 3)
      // The service cannot take it back by serving the right data now.
      deployments.turn = () => 0
      await faultOf(
        auditHistory({ client, store }),
        'INCONSISTENT',
        at === 'status' ? at : 'versions',
      )
    })
  }
})

describe('a release in progress', () => {
  test('at the next node milliseconds later is not settled, and then no longer matters', async (t) => {
    const deployments = await deploy(t, madeHistory(9), madeHistory(8))
    const { client, clock } = deployments
    const store = memoryStore()
    await auditHistory({ client, store })
    const { saved } = store
    clock.ms += 1
    deployments.turn = () => 1
    const { message } = await unsettled(auditHistory({ client, store }), 'SHORTENED')
    assert.match(message, /VS-0009 was signed, now the history ends with VS-0008/)
    assert.equal(
      JSON.parse(store.saved ?? '').response.bodyBase64,
      JSON.parse(saved ?? '').response.bodyBase64,
    )
    clock.ms += ROLLOUT_MS
    deployments.turn = () => 0
    const { previousHead, versionsRead } = await auditHistory({ client, store })
    assert.deepEqual([previousHead?.snapshotId, versionsRead], ['VS-0009', 0])
    assert.equal(JSON.parse(store.saved ?? '').unsettled, undefined)
  })

  test('is not settled however often it is audited within 10 minutes', async (t) => {
    const deployments = await deploy(t, madeHistory(4), madeHistory(3))
    const { client, clock } = deployments
    deployments.turn = (asked) => (asked === READ_PATHS.status ? 1 : 0)
    const store = memoryStore()
    const startMs = clock.ms
    for (; clock.ms <= startMs + ROLLOUT_MS; clock.ms += ROLLOUT_MS / 5) {
      await unsettled(auditHistory({ client, store }), 'INCONSISTENT')
    }
    assert.ok(JSON.parse(store.saved ?? '').unsettled.length <= 4)
    deployments.turn = () => 0
    const { newVersions } = await auditHistory({ client, store })
    assert.equal(newVersions.length, 4, 'no version counts as read before')
  })

  test('during a first audit is remembered without counting its versions as read', async (t) => {
    const deployments = await deploy(t, madeHistory(5), madeHistory(4))
    const { client, clock } = deployments
    deployments.turn = () => (deployments.asked.length > 12 ? 1 : 0)
    const store = memoryStore()
    await unsettled(auditHistory({ client, store }), 'SHORTENED')
    clock.ms += ROLLOUT_MS + 1
    deployments.turn = () => 0
    const { previousHead, newVersions } = await auditHistory({ client, store })
    assert.deepEqual([previousHead, newVersions.length], [undefined, 5])
  })
})

describe('what a service signs malformed', () => {
  type Signed = { [member: string]: unknown }

  /** A service whose signed data was changed, and whose hashes were computed again where the change allows it. */
  function signing(
    count: number,
    sequence: number,
    change: (entry: Signed) => Signed,
  ): PublishedHistory {
    const releases = madeHistory(count)
    const chain: Signed[] = []
    for (let each = 1; each <= count; each += 1) {
      const text = releases.version(`VS-000${each}`)?.json ?? ''
      const { hash: _, ...stored } = JSON.parse(text) as Signed
      const linked = { ...stored, previousHash: chain.at(-1)?.['hash'] ?? stored['previousHash'] }
      const entry = each === sequence ? change(linked) : linked
      chain.push({ hash: versionHash(entry as unknown as VersionEntry), ...entry })
    }
    const index = JSON.parse(releases.historyPage({}).payload.json) as Signed
    const entries = chain.toReversed().map(({ snapshotId, sequence: place, ...rest }) => ({
      snapshotId,
      sequence: place,
      createdAt: rest['createdAt'],
      previousHash: rest['previousHash'],
      hash: rest['hash'],
    }))
    const [head] = entries
    const payload = createPayload(
      JSON.parse(
        JSON.stringify({
          ...index,
          entries,
          head: { snapshotId: head?.snapshotId, hash: head?.hash },
        }),
      ),
    )
    const payloadOf = (entry: Signed | undefined) =>
      createPayload(JSON.parse(JSON.stringify(entry)))
    return {
      ...releases,
      version: (id) =>
        payloadOf(chain.find(({ snapshotId }) => snapshotId === id) ?? chain[sequence - 1]),
      head: payloadOf(chain.at(-1)),
      historyPage: () => ({ payload, nextBefore: undefined }),
    }
  }

  // Which entries are malformed is decided by test/vectors/history.
  for (const [name, change] of [
    ['createdAt in a list', (entry: Signed) => ({ ...entry, createdAt: [entry['createdAt']] })],
    ['changes of null', (entry: Signed) => ({ ...entry, changes: null })],
    ['resources of null', (entry: Signed) => ({ ...entry, resources: null })],
    ['a sequence in text', (entry: Signed) => ({ ...entry, sequence: '3' })],
    ['a hash of null', (entry: Signed) => ({ ...entry, hash: null })],
  ] as const) {
    for (const sequence of [2, 3]) {
      test(`${name} in VS-000${sequence} of 3 is evidence, and no state is saved`, async (t) => {
        const { client } = await deploy(t, signing(3, sequence, change))
        const store = memoryStore()
        await faultOf(auditHistory({ client, store }), 'BROKEN')
        assert.equal(store.saved, undefined)
      })
    }
  }

  test('an entry without data, an index without entries', async (t) => {
    const releases = madeHistory(3)
    const nothing = { ...releases.head, json: 'null', etag: releases.head.etag }
    for (const change of [
      { head: createPayload({}) },
      { head: createPayload([]) },
      { historyPage: () => ({ payload: createPayload({}), nextBefore: undefined }) },
      {
        historyPage: () => ({
          payload: createPayload({ count: 1, entries: [null] }),
          nextBefore: undefined,
        }),
      },
      { version: () => createPayload({ snapshotId: { toString: 1 } }) },
      { version: () => nothing },
    ]) {
      const { client } = await deploy(t, { ...releases, ...change })
      await assert.rejects(auditHistory({ client }), { name: /^(HistoryError|VerificationError)$/ })
    }
  })

  test('an index that describes an entry differently behind the same hash', async (t) => {
    const releases = madeHistory(3)
    const payload = changed(releases.historyPage({}).payload.json, '2026-01-02T', '2026-01-01T')
    const { client } = await deploy(t, {
      ...releases,
      historyPage: () => ({ payload, nextBefore: undefined }),
    })
    const { responses } = await faultOf(auditHistory({ client }), 'BROKEN', 'VS-0002')
    assert.equal(responses.length, 2)
  })
})

describe('evidence', () => {
  async function shortened(t: TestContext): Promise<HistoryEvidence> {
    const deployments = await deploy(t, madeHistory(5), madeHistory(4))
    const store = memoryStore()
    await auditHistory({ client: deployments.client, store })
    deployments.turn = () => 1
    deployments.clock.ms += ROLLOUT_MS + 1
    return faultOf(auditHistory({ client: deployments.client, store }), 'SHORTENED')
  }

  test('is rejected with another key, a changed response or another claim', async (t) => {
    const evidence = await shortened(t)
    const [before, after] = evidence.responses
    assert.ok(before && after)
    const forged = Buffer.from(before.bodyBase64, 'base64').toString().replace('VS-0005', 'VS-0009')
    const bodyBase64 = Buffer.from(forged).toString('base64')
    for (const [change, code] of [
      [{ responses: [{ ...before, bodyBase64 }, after] }, 'DIGEST'],
      [{ responses: [{ ...before, target: '/api/v1/versions' }, after] }, 'SIGNATURE'],
      [{ responses: [{ ...before, bodyBase64: '*' }, after] }, 'MALFORMED'],
      [{ keys: [] }, 'UNKNOWN_KEY'],
    ] as const) {
      await assert.rejects(verifyEvidence({ ...evidence, ...change }, PINS), { code })
    }
    await assert.rejects(verifyEvidence(evidence, { pinnedKeyIds: ['another'] }), {
      code: 'UNKNOWN_KEY',
    })
    for (const change of [
      { responses: [after, before] },
      { responses: [before] },
      { responses: [] },
      { fault: 'REWRITTEN' },
      { fault: 'BROKEN' },
      { fault: 'CHANGES_FALSE' },
      { fault: 'INCONSISTENT' },
    ] as const) {
      const name = JSON.stringify(change).slice(0, 40)
      await assert.rejects(verifyEvidence({ ...evidence, ...change }, PINS), EvidenceError, name)
    }
  })

  test('cannot be made from an honest service’s responses', async (t) => {
    const { client, clock } = await deploy(t, madeHistory(3))
    const refused = new Set(['keySelf', 'preview', 'versionById'])
    const targets = [
      ...Object.entries(READ_PATHS).flatMap(([name, path]) => (refused.has(name) ? [] : path)),
      ...['VS-0001', 'VS-0002', 'VS-0003'].map((id) => `${READ_PATHS.versions}/${id}`),
    ]
    const responses: PortableResponse[] = []
    for (let pass = 0; pass < 2; pass += 1) {
      for (const target of targets) {
        const { response } = await client.get(target, { fresh: true })
        responses.push(toPortable(response))
        clock.ms += 1
      }
    }
    const keys = publishedOf(await client.keys())
    const isHead = ({ target }: PortableResponse) => /\/version\?/.test(target)
    const [before, after] = responses.filter(isHead)
    assert.ok(before && after)
    let attempts = 0
    const frame = (fault: HistoryFault, ...said: readonly PortableResponse[]) => {
      attempts += 1
      const evidence = { format: 'svc-history-evidence-v1', fault, keys, responses: said } as const
      const name = `${fault}: ${said.map(({ target }) => target).join(' ')}`
      return assert.rejects(verifyEvidence(evidence, PINS), EvidenceError, name)
    }
    for (const one of responses) {
      await frame('BROKEN', one)
      await frame('CHANGES_FALSE', one)
      await frame('INCONSISTENT', before, one, after)
      for (const other of [before, after, ...responses.slice(-3)]) {
        await frame('REWRITTEN', one, other)
        await frame('CHANGES_FALSE', other, one)
        await frame('SHORTENED', one, other)
      }
    }
    assert.ok(attempts > 500, `${attempts} attempts`)
  })

  test('is distinguished from a file that is not evidence', async () => {
    for (const value of [
      null,
      'evidence',
      {},
      { format: 'svc-history-evidence-v1', fault: 'toString', keys: [], responses: [] },
      { format: 'svc-history-evidence-v1', fault: 'BROKEN', keys: {}, responses: 3 },
    ]) {
      await assert.rejects(verifyEvidence(value as unknown as HistoryEvidence, PINS), EvidenceError)
    }
  })
})

test('an abort ends the audit', async (t) => {
  const { client } = await deploy(t, madeHistory(2))
  const reason = new Error('enough')
  await assert.rejects(auditHistory({ client, signal: AbortSignal.abort(reason) }), reason)
})
