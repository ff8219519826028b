import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  changesBetween,
  findChangesFault,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  versionHashText,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import * as fc from 'fast-check'
import { walkHistory } from '../../src/crypto/published-history.ts'
import { sha256Hex } from '../../src/crypto/sha256.ts'

const [A = '', B = ''] = ['A', 'B'].map((letter) => letter.repeat(43))

type Change = VersionEntry['changes'][number]

/** Reads a chain of two versions whose second entry states these changes; every hash is correct. */
function readChain(
  changes: readonly Change[],
  genesisChanges: readonly Change[] = [
    { resource: 'roadmap', kind: 'added' },
    { resource: 'status', kind: 'added' },
  ],
) {
  const texts = new Map<string, string>()
  let previousHash = GENESIS_PREVIOUS_HASH
  for (const [index, [resources, stated]] of [
    [{ roadmap: A, status: A }, genesisChanges] as const,
    [{ status: B, wallet: A }, changes] as const,
  ].entries()) {
    const unhashed = {
      snapshotId: formatSnapshotId(index + 1),
      sequence: index + 1,
      createdAt: '2026-01-01T00:00:00.000Z',
      apiVersion: 'v1',
      registryVersion: '1.0.0',
      resources,
      changes: stated,
      note: '',
      previousHash,
    }
    previousHash = sha256Hex(versionHashText(unhashed))
    texts.set(unhashed.snapshotId, canonicalJson({ ...unhashed, hash: previousHash }))
  }
  const readVersionText = (id: string) => texts.get(id) ?? ''
  return [...walkHistory({ readVersionText }, [...texts.keys()])]
}

const ACTUAL: readonly Change[] = [
  { resource: 'roadmap', kind: 'removed' },
  { resource: 'status', kind: 'changed' },
  { resource: 'wallet', kind: 'added' },
]

describe('an entry that misstates its changes breaks the chain even with a correct hash', () => {
  test('the true changes are accepted', () => {
    assert.equal(readChain(ACTUAL).length, 2)
  })

  for (const [name, changes, message] of [
    ['hides one', ACTUAL.toSpliced(1, 1), 'expected status changed, found wallet added'],
    ['hides the last', ACTUAL.slice(0, 2), 'expected wallet added, found nothing'],
    [
      'invents one',
      [...ACTUAL, { resource: 'zeta', kind: 'added' }],
      'expected nothing, found zeta added',
    ],
    [
      'names another kind',
      ACTUAL.with(1, { resource: 'status', kind: 'added' }),
      'expected status changed, found status added',
    ],
    ['repeats one', [...ACTUAL.slice(0, 1), ...ACTUAL], 'found roadmap removed'],
    ['is not sorted', ACTUAL.toReversed(), 'expected roadmap removed, found wallet added'],
  ] as const) {
    test(name, () => {
      assert.throws(
        () => readChain(changes),
        (error: Error & { code?: string }) =>
          error.code === 'CHANGES' &&
          error.message.startsWith('VS-0002: ') &&
          error.message.endsWith(message),
      )
    })
  }

  test('the genesis entry adds everything', () => {
    assert.throws(() => readChain(ACTUAL, []), { code: 'CHANGES', snapshotId: 'VS-0001' })
  })
})

test('names inherited from Object.prototype are ordinary resource names', () => {
  const after = JSON.parse(`{"__proto__":"${A}","constructor":"${B}"}`) as VersionEntry['resources']
  const added = [
    { resource: '__proto__', kind: 'added' },
    { resource: 'constructor', kind: 'added' },
  ] as const
  assert.deepEqual(changesBetween({}, after), added)
  assert.deepEqual(
    changesBetween(after, {}).map(({ kind }) => kind),
    ['removed', 'removed'],
  )
})

test('derived changes match the two versions exactly', () => {
  const resources = fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'e'), fc.constantFrom(A, B))
  fc.assert(
    fc.property(resources, resources, (before, after) => {
      const changes = changesBetween(before, after)
      const fault = findChangesFault({ resources: before }, { resources: after, changes })
      assert.equal(fault, undefined)
      const rebuilt = { ...before }
      for (const { resource, kind } of changes) {
        if (kind === 'removed') delete rebuilt[resource]
        else rebuilt[resource] = after[resource] ?? ''
      }
      assert.deepEqual({ ...rebuilt }, { ...after })
    }),
  )
})
