import {
  changesBetween,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { versionHash } from '../../src/crypto/published-history.ts'
import type { HistoryVector } from '../support/vector.ts'

const [A, B, C] = ['A', 'B', 'C'].map((letter) => letter.repeat(43)) as [string, string, string]

/** Resources of three versions: every kind of change occurs. */
const RESOURCES: readonly VersionEntry['resources'][] = [
  { roadmap: A, status: A },
  { status: B, wallet: A },
  { 'a/b': C, status: B, wallet: A },
]

type Edit = (entry: VersionEntry) => Partial<VersionEntry>

/** A chain whose n-th entry is edited before it is hashed, and whose later entries link to the edited one. */
function makeChain(sequence = 0, edit: Edit = () => ({})): readonly VersionEntry[] {
  const chain: VersionEntry[] = []
  for (const [index, resources] of RESOURCES.entries()) {
    const before = chain.at(-1)
    const entry: Omit<VersionEntry, 'hash'> = {
      snapshotId: formatSnapshotId(index + 1),
      sequence: index + 1,
      createdAt: `2026-11-0${index + 1}T00:00:00.000Z`,
      apiVersion: 'v1',
      registryVersion: '1.0.0',
      resources,
      changes: changesBetween(before?.resources ?? {}, resources),
      note: `Version ${index + 1}.`,
      previousHash: before?.hash ?? GENESIS_PREVIOUS_HASH,
    }
    const edited = index + 1 === sequence ? { ...entry, ...edit({ ...entry, hash: '' }) } : entry
    chain.push({ ...edited, hash: versionHash(edited) })
  }
  return chain
}

/** Members of a wrong type. */
const malformed = (members: object) => members as Partial<VersionEntry>

function falseChanges(description: string, sequence: number, edit: Edit): HistoryVector {
  return {
    description,
    expected: 'CHANGES_FALSE',
    at: formatSnapshotId(sequence),
    entries: makeChain(sequence, edit),
  }
}

function broken(
  description: string,
  sequence: number,
  edit: Edit,
  isRehashed = true,
): HistoryVector {
  const valid = makeChain()
  const entries = isRehashed
    ? makeChain(sequence, edit)
    : valid.map((entry) => (entry.sequence === sequence ? { ...entry, ...edit(entry) } : entry))
  return { description, expected: 'BROKEN', at: formatSnapshotId(sequence), entries }
}

/** Members that no entry has, in a history as in the log. */
export const MALFORMED_MEMBERS: readonly (readonly [
  name: string,
  description: string,
  members: object,
])[] = [
  ['sequence-text', 'The number of an entry is text.', { sequence: '2' }],
  ['sequence-fraction', 'The number of an entry is a fraction.', { sequence: 2.5 }],
  ['sequence-zero', 'The number of an entry is 0.', { sequence: 0 }],
  ['sequence-negative', 'The number of an entry is negative.', { sequence: -2 }],
  ['sequence-huge', 'The number of an entry is 2^53.', { sequence: 2 ** 53 }],
  ['id-number', 'The id of an entry is a number.', { snapshotId: 2 }],
  ['id-short', 'The id of an entry has three digits.', { snapshotId: 'VS-002' }],
  ['id-of-markup', 'The id of an entry is other text.', { snapshotId: '<b>VS-0002</b>' }],
  ['created-number', 'The time of an entry is a number.', { createdAt: 1_762_041_600_000 }],
  ['created-missing', 'An entry has no time.', { createdAt: null }],
  ['created-in-words', 'The time of an entry is a word.', { createdAt: 'yesterday' }],
  ['api-version-object', 'The version of the API is an object.', { apiVersion: {} }],
  ['registry-version-list', 'The version of the registry is a list.', { registryVersion: [] }],
  ['note-number', 'The note is a number.', { note: 7 }],
  ['note-null', 'The note is null.', { note: null }],
  ['previous-hash-missing', 'An entry has no link.', { previousHash: null }],
  ['previous-hash-number', 'The link is a number.', { previousHash: 0 }],
  ['resources-list', 'The resources are a list.', { resources: [] }],
  ['resources-text', 'The resources are text.', { resources: 'status' }],
  [
    'resource-name-path',
    'A resource has the name of another folder.',
    { resources: { '../x': A } },
  ],
  [
    'resource-name-of-objects',
    'A resource has a name that programs take for something else.',
    { resources: JSON.parse(`{"__proto__":"${A}"}`) as object },
  ],
  ['resource-name-empty', 'A resource has an empty name.', { resources: { '': A } }],
  ['digest-null', 'The digest of a resource is null.', { resources: { status: null } }],
  ['digest-short', 'The digest of a resource is too short.', { resources: { status: 'B' } }],
  [
    'digest-standard-alphabet',
    'The digest of a resource is in another alphabet.',
    { resources: { status: `+/${'B'.repeat(41)}` } },
  ],
  ['changes-object', 'The changes are an object.', { changes: {} }],
  ['changes-text', 'The changes are text.', { changes: 'all' }],
  ['change-null', 'A change is null.', { changes: [null] }],
  ['change-without-kind', 'A change has no kind.', { changes: [{ resource: 'status' }] }],
  [
    'change-kind-number',
    'The kind of a change is a number.',
    { changes: [{ resource: 'status', kind: 1 }] },
  ],
  ['api-version-number', 'The version of the API is a number.', { apiVersion: 1 }],
  ['registry-version-missing', 'An entry has no registry version.', { registryVersion: null }],
]

/** What is not an entry at all. */
const NOT_ENTRIES: readonly (readonly [name: string, description: string, value: unknown])[] = [
  ['entry-null', 'An entry is null.', null],
  ['entry-text', 'An entry is text.', 'VS-0002'],
  ['entry-number', 'An entry is a number.', 2],
  ['entry-list', 'An entry is a list.', []],
  ['entry-empty', 'An entry has no members.', {}],
]

/** Every case of test/vectors/history by the name of its file. */
export const HISTORY_VECTORS: ReadonlyMap<string, HistoryVector> = new Map([
  ['good', { description: 'A valid chain.', expected: 'ok', entries: makeChain() }],
  [
    'good-unknown-member',
    {
      description: 'A member that a later release adds is covered by the hash and not an error.',
      expected: 'ok',
      entries: makeChain(2, () => ({ later: 'more' }) as Partial<VersionEntry>),
    },
  ],
  [
    'changes-hidden',
    falseChanges('An entry hides a changed resource behind a correct hash.', 2, ({ changes }) => ({
      changes: changes.filter(({ resource }) => resource !== 'status'),
    })),
  ],
  [
    'changes-invented',
    falseChanges('An entry states a change that did not happen.', 3, ({ changes }) => ({
      changes: [...changes, { resource: 'wallet', kind: 'changed' }],
    })),
  ],
  [
    'changes-other-kind',
    falseChanges('An entry states a replaced resource as added.', 2, ({ changes }) => ({
      changes: changes.map(({ resource, kind }) => ({
        resource,
        kind: kind === 'changed' ? 'added' : kind,
      })),
    })),
  ],
  [
    'changes-unsorted',
    falseChanges('The changes are not sorted by resource.', 2, ({ changes }) => ({
      changes: changes.toReversed(),
    })),
  ],
  [
    'changes-repeated',
    falseChanges('A change is stated twice.', 3, ({ changes }) => ({
      changes: [...changes, ...changes],
    })),
  ],
  [
    'changes-of-genesis-hidden',
    falseChanges('The genesis entry states less than everything as added.', 1, ({ changes }) => ({
      changes: changes.slice(1),
    })),
  ],
  [
    'edited-note',
    broken('A note was edited, and the hash left alone.', 2, () => ({ note: 'Edited.' }), false),
  ],
  [
    'other-number',
    broken('An entry has the sequence number of another.', 2, () => ({ sequence: 9 })),
  ],
  ['other-id', broken('An entry has the id of another.', 3, () => ({ snapshotId: 'VS-0009' }))],
  [
    'other-link',
    broken('An entry links to something else than the entry before it.', 3, () => ({
      previousHash: 'f'.repeat(64),
    })),
  ],
  [
    'genesis-with-link',
    broken('The genesis entry links to an entry before it.', 1, () => ({
      previousHash: 'f'.repeat(64),
    })),
  ],
  [
    'created-not-a-time',
    broken('The time of an entry is text of another form.', 2, () => ({ createdAt: 'not a date' })),
  ],
  [
    'created-on-no-day',
    broken('The time of an entry does not exist.', 3, () => ({
      createdAt: '2026-11-31T00:00:00.000Z',
    })),
  ],
  [
    'created-with-offset',
    broken('The time of an entry is not in the form of UTC.', 3, () => ({
      createdAt: '2026-11-03T00:00:00+00:00',
    })),
  ],
  [
    'created-earlier',
    broken('An entry is earlier than the one before it.', 3, () => ({
      createdAt: '1999-01-01T00:00:00.000Z',
    })),
  ],
  ['note-missing', broken('An entry has no note.', 2, () => malformed({ note: null }))],
  ['changes-missing', broken('The changes are null.', 2, () => malformed({ changes: null }))],
  ['resources-missing', broken('The resources are null.', 3, () => malformed({ resources: null }))],
  [
    'digest-malformed',
    broken('The digest of a resource is a number.', 3, () =>
      malformed({ resources: { status: 1 } }),
    ),
  ],
  ...MALFORMED_MEMBERS.map(
    ([name, description, members]) =>
      [name, broken(description, 2, () => malformed(members))] as const,
  ),
  ...NOT_ENTRIES.map(([name, description, value]) => {
    const [first, , third] = makeChain() as readonly unknown[]
    const entries = [first, value, third] as HistoryVector['entries']
    return [name, { description, expected: 'BROKEN', at: 'VS-0002', entries }] as const
  }),
])
