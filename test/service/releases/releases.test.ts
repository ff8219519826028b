import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changesBetween,
  versionHashText,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { sha256Base64url, sha256Hex } from '../../../src/crypto/sha256.ts'
import { ReleasesError } from '../../../src/service/releases/read-releases.ts'
import { loadReleases } from '../../../src/service/releases/releases.ts'
import { makeReleases, type MadeReleases, madeHistory } from '../../support/made-releases.ts'

function entryOf({ versions }: MadeReleases, snapshotId: string): VersionEntry {
  return JSON.parse(versions.get(snapshotId) ?? '') as VersionEntry
}

/** Changes an entry; with `rehash` its own hash is recomputed, as a forger would. */
function editEntry(
  made: MadeReleases,
  snapshotId: string,
  change: Partial<VersionEntry>,
  { rehash = true } = {},
): void {
  const edited = { ...entryOf(made, snapshotId), ...change }
  const hash =
    rehash && change.hash === undefined ? sha256Hex(versionHashText(edited)) : edited.hash
  made.versions.set(snapshotId, canonicalJson({ ...edited, hash }))
}

function digestIn(made: MadeReleases, snapshotId: string, resource: string): string {
  const digest = entryOf(made, snapshotId).resources[resource]
  assert.ok(digest !== undefined)
  return digest
}

test('the newest version is served; the history has every entry, newest first', () => {
  const made = makeReleases(3)
  const releases = loadReleases(made.store)
  assert.deepEqual(releases.faults, [])
  assert.equal(releases.headSnapshotId, 'VS-0003')
  assert.equal(releases.head.json, made.versions.get('VS-0003'))
  for (const name of SNAPSHOT_NAMES) {
    const digest = digestIn(made, 'VS-0003', name)
    assert.equal(releases.resource(name)?.json, made.resources.get(`${name} ${digest}`), name)
    assert.equal(releases.resource(name)?.etag, `W/"${digest}"`, name)
  }
  for (const [snapshotId, text] of made.versions) {
    assert.equal(releases.version(snapshotId)?.json, text)
  }
  assert.equal(releases.version('VS-0004'), undefined)
  assert.equal(releases.version('__proto__'), undefined)

  const history = JSON.parse(releases.historyPage({}).payload.json) as {
    algorithm: string
    count: number
    head: object
    entries: object[]
  }
  const summaries = ['VS-0003', 'VS-0002', 'VS-0001'].map((snapshotId) => {
    const { sequence, createdAt, previousHash, hash } = entryOf(made, snapshotId)
    return { snapshotId, sequence, createdAt, previousHash, hash }
  })
  assert.match(history.algorithm, /^SHA-256 /)
  assert.equal(history.count, 3)
  assert.deepEqual(history.head, { snapshotId: 'VS-0003', hash: summaries[0]?.hash })
  assert.deepEqual(history.entries, summaries)
})

/** What can be wrong with the chain, and the reported error. */
const BROKEN: readonly (readonly [
  what: string,
  damage: (made: MadeReleases) => void,
  expectedMessage: RegExp,
])[] = [
  [
    'an entry whose note was edited',
    (made) => editEntry(made, 'VS-0002', { note: 'Edited.' }, { rehash: false }),
    /at VS-0002: HASH is broken: expected [0-9a-f]{64}, found [0-9a-f]{64}$/,
  ],
  [
    'an entry that hides a change behind a correct hash',
    (made) => editEntry(made, 'VS-0002', { changes: [] }),
    /at VS-0002: CHANGES is broken: expected status changed, found nothing$/,
  ],
  [
    'an entry that was edited and rehashed: the next one still names the old hash',
    (made) => editEntry(made, 'VS-0002', { note: 'Edited.' }),
    /at VS-0003: PREVIOUS_HASH is broken/,
  ],
  [
    'a genesis that follows something',
    (made) => editEntry(made, 'VS-0001', { previousHash: 'a'.repeat(64) }),
    /at VS-0001: PREVIOUS_HASH is broken: expected 0{64}/,
  ],
  [
    'a gap',
    (made) => made.versions.delete('VS-0002'),
    /at VS-0002: SNAPSHOT_ID is broken: expected VS-0002, found VS-0003/,
  ],
  ['a missing start', (made) => made.versions.delete('VS-0001'), /at VS-0001: SNAPSHOT_ID/],
  [
    'a file that holds another entry',
    (made) => made.versions.set('VS-0002', made.versions.get('VS-0001') ?? ''),
    /at VS-0002: the entry there is VS-0001$/,
  ],
  [
    'a file that was renamed',
    (made) => {
      const newest = made.versions.get('VS-0003') ?? ''
      made.versions.delete('VS-0003')
      made.versions.set('VS-0004', newest)
    },
    /at VS-0004: the entry there is VS-0003$/,
  ],
  [
    'a wrong sequence number',
    (made) => editEntry(made, 'VS-0003', { sequence: 4 }),
    /at VS-0003: SEQUENCE is broken: expected 3, found 4/,
  ],
  [
    'a version older than the one before it',
    (made) => editEntry(made, 'VS-0003', { createdAt: '2025-12-31T00:00:00.000Z' }),
    /at VS-0003: CREATED_AT is broken/,
  ],
  [
    'a text that is not JSON',
    (made) => made.versions.set('VS-0002', '{"snapshotId"'),
    /at VS-0002: the entry is not JSON/,
  ],
  [
    'an entry written otherwise than canonically',
    (made) => made.versions.set('VS-0002', `${made.versions.get('VS-0002')}\n`),
    /at VS-0002: the text is not the canonical JSON/,
  ],
  [
    'an entry without its resources',
    (made) => {
      const { resources: _, ...rest } = entryOf(made, 'VS-0002')
      made.versions.set('VS-0002', canonicalJson(rest))
    },
    /at VS-0002: resources is missing/,
  ],
]

for (const [what, damage, expectedMessage] of BROKEN) {
  test(`${what} breaks the chain, and the entry is named`, () => {
    const made = makeReleases(3)
    damage(made)
    assert.throws(
      () => loadReleases(made.store),
      (error) => {
        assert.ok(error instanceof ReleasesError)
        assert.match(error.message, /^The version chain is broken at VS-000\d: /)
        assert.match(error.message, expectedMessage)
        return true
      },
    )
  })
}

test('an entry that cannot be read breaks the chain with its name and the reason', () => {
  const made = makeReleases(2)
  const store = {
    ...made.store,
    readVersionText(snapshotId: string): string {
      if (snapshotId === 'VS-0002') throw new Error('input/output error')
      return made.store.readVersionText(snapshotId)
    },
  }
  assert.throws(() => loadReleases(store), /broken at VS-0002: input\/output error$/)
})

test('a folder without versions is reported with what to do', () => {
  assert.throws(() => madeHistory(0), {
    name: 'ReleasesError',
    message: 'No version is published; publish one first (npm run svc -- publish)',
  })
})

/** What can be wrong with one resource of the newest version. */
const DAMAGED: readonly (readonly [
  what: string,
  damage: (made: MadeReleases, file: string) => void,
  reason: RegExp,
])[] = [
  ['missing', (made, file) => made.resources.delete(file), /roadmap is missing$/],
  [
    'changed',
    (made, file) => made.resources.set(file, `${made.resources.get(file)} `),
    /^found the digest \S{43}, expected \S{43}$/,
  ],
  ['empty', (made, file) => made.resources.set(file, ''), /^found the digest/],
]

for (const [what, damage, reason] of DAMAGED) {
  test(`a resource of the newest version that is ${what} makes only itself unavailable`, () => {
    const made = makeReleases(2)
    damage(made, `roadmap ${digestIn(made, 'VS-0002', 'roadmap')}`)
    const releases = loadReleases(made.store)
    assert.equal(releases.resource('roadmap'), undefined)
    for (const name of SNAPSHOT_NAMES) {
      assert.equal(releases.resource(name) === undefined, name === 'roadmap', name)
    }
    // Both versions share the file; it is reported once, for the served version.
    const [fault, ...others] = releases.faults
    assert.deepEqual(others, [])
    assert.deepEqual(
      [fault?.snapshotId, fault?.resource, fault?.served],
      ['VS-0002', 'roadmap', true],
    )
    assert.match(fault?.reason ?? '', reason)
  })
}

test('a damaged resource that only older versions list affects no endpoint', () => {
  const made = makeReleases(3)
  made.resources.delete(`status ${digestIn(made, 'VS-0002', 'status')}`)
  const releases = loadReleases(made.store)
  assert.deepEqual(releases.faults, [
    { snapshotId: 'VS-0002', resource: 'status', reason: 'status is missing', served: false },
  ])
  for (const name of SNAPSHOT_NAMES) assert.ok(releases.resource(name) !== undefined, name)
})

test('a resource that the newest version lacks is unavailable', () => {
  const made = makeReleases(2)
  const { wallet: _, ...resources } = entryOf(made, 'VS-0002').resources
  const changes = changesBetween(entryOf(made, 'VS-0001').resources, resources)
  editEntry(made, 'VS-0002', { resources, changes })
  const releases = loadReleases(made.store)
  assert.equal(releases.resource('wallet'), undefined)
  assert.deepEqual(releases.faults, [
    {
      snapshotId: 'VS-0002',
      resource: 'wallet',
      reason: 'VS-0002 was published without it',
      served: true,
    },
  ])
})

for (const [what, text, reason] of [
  ['is not JSON', 'not JSON', 'expected JSON'],
  ['is not canonical', '{"b":1,"a":2}', 'expected canonical JSON (RFC 8785)'],
] as const) {
  test(`a resource whose text ${what} is unavailable`, () => {
    const made = makeReleases(1)
    const digest = sha256Base64url(text)
    const { resources } = entryOf(made, 'VS-0001')
    made.resources.set(`wallet ${digest}`, text)
    editEntry(made, 'VS-0001', { resources: { ...resources, wallet: digest } })
    const releases = loadReleases(made.store)
    assert.equal(releases.resource('wallet'), undefined)
    assert.deepEqual(releases.faults, [
      { snapshotId: 'VS-0001', resource: 'wallet', reason, served: true },
    ])
  })
}
