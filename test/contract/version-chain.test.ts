import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import {
  ChainError,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  type VersionEntry,
  verifyLink,
  versionHashText,
} from '@public-api/contract/history/version-chain'
import { parseVersionEntry, VersionEntryError } from '@public-api/contract/history/version-entry'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { SNAPSHOT_ID_PATTERN } from '@public-api/contract/terms/identifier-patterns'
import * as fc from 'fast-check'
import { walkHistory } from '../../src/crypto/published-history.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'
import { madeEntry } from '../support/made-entry.ts'

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')
const hashOf = (entry: Omit<VersionEntry, 'hash'>): string => sha256Hex(versionHashText(entry))

const DIGESTS = ['A', 'B', 'C'].map((letter) => letter.repeat(43))

/** A valid chain with a different resource each time. */
function makeChain(length: number): readonly VersionEntry[] {
  const chain: VersionEntry[] = []
  for (let sequence = 1; sequence <= length; sequence += 1) {
    const resources = { status: DIGESTS[sequence % DIGESTS.length] ?? '' }
    const content = { registryVersion: '1.0.0', note: `Entry ${sequence}` }
    chain.push(madeEntry(chain.at(-1), resources, content))
  }
  return chain
}

/** Checks stored texts as a reader does, and returns the entry at which it stopped, or undefined. */
function firstBroken(texts: readonly string[]): string | undefined {
  let previous: VersionEntry | undefined
  for (const [index, text] of texts.entries()) {
    try {
      const entry = parseVersionEntry(text, formatSnapshotId(index + 1))
      verifyLink(previous, entry, hashOf(entry))
      previous = entry
    } catch (error) {
      assert.ok(error instanceof ChainError || error instanceof VersionEntryError)
      assert.ok(error.message.startsWith(`${error.snapshotId}: `))
      return error.snapshotId
    }
  }
  return undefined
}

const CHAIN_LENGTH = 5
const TEXTS = makeChain(CHAIN_LENGTH).map((entry) => canonicalJson({ ...entry }))

test('openssl computes the same hash from a label line and the canonical entry without its hash', () => {
  const [genesis] = makeChain(1)
  assert.ok(genesis !== undefined)
  const text =
    'svc-version-v1\n' +
    `{"apiVersion":"v1","changes":[{"kind":"added","resource":"status"}],"createdAt":"2026-01-01T00:00:00.000Z",` +
    `"note":"Entry 1","previousHash":"${'0'.repeat(64)}","registryVersion":"1.0.0",` +
    `"resources":{"status":"${'B'.repeat(43)}"},"sequence":1,"snapshotId":"VS-0001"}`
  assert.equal(versionHashText(genesis), text)
  assert.equal(genesis.hash, sha256Hex(text))
})

test('a valid chain passes', () => {
  assert.equal(firstBroken(TEXTS), undefined)
})

test('finds any single-character edit of any stored entry, at that entry', () => {
  fc.assert(
    fc.property(
      fc.nat(CHAIN_LENGTH - 1),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.constantFrom('replace', 'insert', 'remove', 'swap'),
      fc.oneof(
        fc.constantFrom(...Array.from('0123456789abcdef{}[]",: \n\\-.TZ')),
        fc.string({ unit: ANY_CODE_POINT, minLength: 1, maxLength: 1 }),
      ),
      (index, share, edit, character) => {
        const text = TEXTS[index] ?? ''
        const at = Math.floor(share * text.length)
        const [before, here, after] = [text.slice(0, at), text[at] ?? '', text.slice(at + 1)]
        const edited = {
          replace: before + character + after,
          insert: before + character + here + after,
          remove: before + after,
          swap: before + after.slice(0, 1) + here + after.slice(1),
        }[edit]
        fc.pre(edited !== undefined && edited !== text)
        assert.equal(firstBroken(TEXTS.with(index, edited)), formatSnapshotId(index + 1))
      },
    ),
    { numRuns: 5000 },
  )
})

test('an entry that is re-hashed after an edit breaks the next one', () => {
  fc.assert(
    fc.property(fc.nat(CHAIN_LENGTH - 2), fc.string({ minLength: 1 }), (index, note) => {
      const entry = makeChain(CHAIN_LENGTH)[index]
      assert.ok(entry !== undefined)
      const forged = { ...entry, note: `${entry.note} ${note}` }
      const rehashed = { ...forged, hash: hashOf(forged) }
      assert.equal(
        firstBroken(TEXTS.with(index, canonicalJson(rehashed))),
        formatSnapshotId(index + 2),
      )
    }),
  )
})

test('detects removed, repeated and moved entries', () => {
  for (let index = 0; index < CHAIN_LENGTH - 1; index += 1) {
    const named = formatSnapshotId(index + 1)
    assert.equal(firstBroken(TEXTS.toSpliced(index, 1)), named)
    assert.equal(
      firstBroken(TEXTS.toSpliced(index, 0, TEXTS[index] ?? '')),
      formatSnapshotId(index + 2),
    )
    const swapped = TEXTS.with(index, TEXTS[index + 1] ?? '').with(index + 1, TEXTS[index] ?? '')
    assert.equal(firstBroken(swapped), named)
  }
})

test('each link rule has a code and states expected and found values', () => {
  const [first, second] = makeChain(2)
  assert.ok(first !== undefined && second !== undefined)
  const cases: readonly (readonly [
    change: Partial<VersionEntry>,
    code: string,
    message: RegExp,
  ])[] = [
    [
      { snapshotId: 'VS-0003' },
      'SNAPSHOT_ID',
      /^VS-0002: SNAPSHOT_ID is broken: expected VS-0002, found VS-0003$/,
    ],
    [{ sequence: 3 }, 'SEQUENCE', /expected 2, found 3$/],
    // A client reads entries of any shape.
    [{ sequence: '2' as unknown as number }, 'SEQUENCE', /expected 2, found 2$/],
    [
      { previousHash: GENESIS_PREVIOUS_HASH },
      'PREVIOUS_HASH',
      /expected [0-9a-f]{64}, found 0{64}$/,
    ],
    [{ note: 'edited' }, 'HASH', /^VS-0002: HASH is broken/],
  ]
  for (const [change, code, message] of cases) {
    const entry = { ...second, ...change }
    assert.throws(
      () => verifyLink(first, entry, hashOf(entry)),
      (error) =>
        error instanceof ChainError &&
        error.code === code &&
        error.snapshotId === 'VS-0002' &&
        message.test(error.message),
    )
  }
  const early = { ...second, createdAt: '2025-12-31T00:00:00.000Z' }
  assert.throws(
    () => verifyLink(first, { ...early, hash: hashOf(early) }, hashOf(early)),
    (error) =>
      error instanceof ChainError &&
      error.code === 'CREATED_AT' &&
      /no earlier than/.test(error.message),
  )
})

test('entries may have equal times but not decreasing ones', () => {
  const [first, second] = makeChain(2)
  assert.ok(first !== undefined && second !== undefined)
  const atMs = Date.parse(first.createdAt)
  const dated = (ms: number): VersionEntry => {
    const { hash: _, ...unhashed } = { ...second, createdAt: new Date(ms).toISOString() }
    return { ...unhashed, hash: hashOf(unhashed) }
  }
  const link = (entry: VersionEntry) => verifyLink(first, entry, hashOf(entry))
  link(dated(atMs))
  assert.throws(() => link(dated(atMs - 1)), { code: 'CREATED_AT', snapshotId: 'VS-0002' })
})

test('refuses an entry with a missing member or one of the wrong type', () => {
  const [entry] = makeChain(1)
  assert.ok(entry !== undefined)
  const change = { resource: 'status', kind: 'added' }
  const wrong = {
    snapshotId: [1, 'VS-1', 'VS-0001 ', ['VS-0001']],
    sequence: ['1', 1.5, null],
    createdAt: [1_767_225_600_000, '2026-01-01', ['2026-01-01T00:00:00.000Z']],
    apiVersion: [1, null],
    registryVersion: [1, ['1.0.0']],
    resources: [
      [],
      'status',
      { status: 'B'.repeat(42) },
      { status: ['B'.repeat(43)] },
      { status: 'B'.repeat(43), wallet: null },
    ],
    changes: [
      {},
      [null],
      ['status'],
      [[change]],
      [{ ...change, resource: 1 }],
      [{ kind: 'added' }],
      [{ resource: 'status' }],
      [{ ...change, kind: ['added'] }],
      [change, { ...change, kind: 'renamed' }],
    ],
    note: [1, null],
    previousHash: ['0'.repeat(63), '0'.repeat(65), 'A'.repeat(64), ['0'.repeat(64)]],
    hash: ['0'.repeat(63), 'F'.repeat(64), ['0'.repeat(64)]],
  } satisfies { readonly [Name in keyof VersionEntry]: readonly JsonValue[] }
  const read = (members: JsonValue) => parseVersionEntry(canonicalJson(members), 'VS-0001')
  assert.deepEqual(read({ ...entry }), entry)
  for (const [name, values] of Object.entries(wrong)) {
    const { [name]: _, ...others } = { ...entry } as { readonly [name: string]: JsonValue }
    assert.throws(() => read(others), {
      name: 'VersionEntryError',
      message: `VS-0001: ${name} is missing`,
    })
    for (const value of values) {
      assert.throws(
        () => read({ ...others, [name]: value }),
        {
          name: 'VersionEntryError',
          message: new RegExp(`^VS-0001: ${name}[.0-9a-z]* is (?:invalid; expected |missing$)`),
        },
        `${name}: ${JSON.stringify(value)}`,
      )
    }
  }
})

test('accepts added, changed and removed resources as changes', () => {
  const [entry] = makeChain(1)
  assert.ok(entry !== undefined)
  const changes = (['added', 'changed', 'removed'] as const).map((kind) => ({
    resource: 'status',
    kind,
  }))
  const { hash: _, ...unhashed } = { ...entry, changes }
  const text = canonicalJson({ ...unhashed, hash: hashOf(unhashed) })
  assert.deepEqual(parseVersionEntry(text, 'VS-0001').changes, changes)
})

test('names a malformed entry and its invalid member', () => {
  const [entry] = makeChain(1)
  assert.ok(entry !== undefined)
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ['', /^VS-0001: the entry is not JSON$/],
    [
      '{"a":\n<<<<<<< HEAD\n',
      /^VS-0001: the entry has a merge conflict; expected that of the side/,
    ],
    ['null', /^VS-0001: the entry is invalid; expected the type object$/],
    ['[]', /^VS-0001: the entry is invalid; expected the type object$/],
    ['{}', /^VS-0001: snapshotId is missing$/],
    [canonicalJson({ ...entry, createdAt: '2026-13-01T00:00:00Z' }), /createdAt is invalid/],
    [
      canonicalJson({ ...entry, createdAt: '2026-02-30T00:00:00Z' }),
      /createdAt is invalid; expected the format date-time$/,
    ],
    [
      canonicalJson({ ...entry, resources: { status: 'short' } }),
      /resources\.status is invalid; expected text that matches .*\{43\}/,
    ],
    [
      canonicalJson({ ...entry, changes: [{ resource: 'status', kind: 'renamed' }] }),
      /changes\.0\.kind is invalid; expected one of added, changed, removed$/,
    ],
    [`${canonicalJson({ ...entry })}\n`, /not the canonical JSON/],
    [JSON.stringify(entry), /not the canonical JSON/],
  ]
  for (const [text, message] of cases) {
    assert.throws(
      () => parseVersionEntry(text, 'VS-0001'),
      (error) => error instanceof VersionEntryError && message.test(error.message),
    )
  }
})

test('keeps an unknown member, which the hash covers', () => {
  const [entry] = makeChain(1)
  assert.ok(entry !== undefined)
  const { hash: _, ...unhashed } = { ...entry, later: 'more' }
  const extended = { ...unhashed, hash: hashOf(unhashed) }
  assert.equal(firstBroken([canonicalJson(extended)]), undefined)
  assert.equal(firstBroken([canonicalJson({ ...extended, later: 'less' })]), 'VS-0001')
})

test('ids have at least four digits', () => {
  assert.equal(formatSnapshotId(1), 'VS-0001')
  assert.equal(formatSnapshotId(9999), 'VS-9999')
  assert.equal(formatSnapshotId(12_345), 'VS-12345')
  const pattern = new RegExp(SNAPSHOT_ID_PATTERN)
  for (const id of ['VS-0001', 'VS-12345']) assert.match(id, pattern)
  for (const id of ['VS-001', 'vs-0001', 'VS-0001 ', 'XVS-0001', 'VS-00a1'])
    assert.doesNotMatch(id, pattern)
})

test('reads a whole chain and names the first entry that breaks it', () => {
  const texts = new Map(
    makeChain(3).map((entry) => [entry.snapshotId, canonicalJson({ ...entry })]),
  )
  const read = (changed: ReadonlyMap<string, string | Error> = texts) =>
    Array.from(
      walkHistory(
        {
          readVersionText: (snapshotId) => {
            const text = changed.get(snapshotId)
            if (typeof text === 'string') return text
            throw text ?? new Error('no such entry')
          },
        },
        [...changed.keys()],
      ),
    )
  assert.deepEqual(
    read(),
    makeChain(3).map((entry) => ({ entry, text: canonicalJson({ ...entry }) })),
  )
  assert.deepEqual(read(new Map()), [])

  const unreadable = new Error('input/output error')
  assert.throws(
    () => read(new Map<string, string | Error>(texts).set('VS-0002', unreadable)),
    (error) =>
      error instanceof VersionEntryError &&
      error.snapshotId === 'VS-0002' &&
      error.message === 'VS-0002: input/output error' &&
      error.cause === unreadable,
  )
  assert.throws(() => read(new Map(texts).set('VS-0003', '{')), {
    name: 'VersionEntryError',
    message: 'VS-0003: the entry is not JSON',
  })
  texts.delete('VS-0001')
  assert.throws(() => read(), { code: 'SNAPSHOT_ID', snapshotId: 'VS-0001' })
})
