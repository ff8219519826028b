import assert from 'node:assert/strict'
import { test } from 'node:test'

import { exportWaitlist } from '../../../src/cli/waitlist/export-waitlist.ts'
import type { RowProblem } from '../../../src/cli/waitlist/row-work.ts'
import { SealError } from '../../../src/crypto/sealed-box.ts'
import type { SealedRegistration, WaitlistStore } from '../../../src/storage/waitlist-store.ts'
import {
  entryOf,
  makeKeyPair,
  memoryWaitlist,
  sealedRegistration,
  sealedRegistrations,
} from './waitlist-fixture.ts'

const KEYS = await makeKeyPair()
const OTHER_KEYS = await makeKeyPair()

async function exportLines(
  registrations: readonly SealedRegistration[],
  jobs: number,
  identities: readonly string[] = [KEYS.identity],
) {
  const parts: string[] = []
  const problems: RowProblem[] = []
  let progressed = 0
  const result = await exportWaitlist({
    store: memoryWaitlist(registrations).store,
    identities,
    format: 'jsonl',
    jobs,
    async write(part) {
      parts.push(Buffer.from(part).toString())
      return true
    },
    onProgress: (rows) => {
      progressed += rows
    },
    onProblem: (problem) => problems.push(problem),
  })
  const entries = parts
    .join('')
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
  return { entries, problems, result, progressed }
}

test('all rows come out in their order, with one thread or several', async () => {
  const count = 700
  const registrations = await sealedRegistrations(count, KEYS)
  const expected = Array.from({ length: count }, (_, index) => entryOf(index + 1))
  for (const jobs of [1, 3]) {
    const { entries, problems, result, progressed } = await exportLines(registrations, jobs)
    assert.deepEqual(entries, expected)
    assert.deepEqual(problems, [])
    assert.deepEqual(result, { exported: count, leftOut: 0, isComplete: true })
    assert.equal(progressed, count)
  }
})

test('an empty list is an empty file, and in CSV the header alone', async () => {
  const { entries, result } = await exportLines([], 2)
  assert.deepEqual(entries, [])
  assert.deepEqual(result, { exported: 0, leftOut: 0, isComplete: true })
  const parts: string[] = []
  await exportWaitlist({
    store: memoryWaitlist([]).store,
    identities: [KEYS.identity],
    format: 'csv',
    jobs: 1,
    async write(part) {
      parts.push(Buffer.from(part).toString())
      return true
    },
  })
  assert.deepEqual(parts, ['ticket,registeredAt,email,locale,interests,useCase\r\n'])
})

test('rows that are not what they say are told one by one, and the rest comes out', async () => {
  const good = await sealedRegistrations(5, KEYS)
  const [first, second, third, fourth, fifth] = good
  assert.ok(first && second && third && fourth && fifth)
  const damaged = Uint8Array.from(second.sealed)
  damaged[damaged.length - 1] = (damaged[damaged.length - 1] ?? 0) ^ 1
  const registrations = [
    first,
    { ...second, sealed: damaged },
    // The seals of two rows are swapped; one of them keeps its own time.
    { ...third, sealed: fourth.sealed },
    { ...fourth, ticket: third.ticket, sealed: third.sealed },
    await sealedRegistration(6, OTHER_KEYS),
    { ...first, sealed: await KEYS.sealer.seal(Buffer.from('person1@example.org')) },
    { ...first, sealed: new Uint8Array() },
    fifth,
  ]
  const { entries, problems, result, progressed } = await exportLines(registrations, 2)
  assert.deepEqual(entries, [entryOf(1), entryOf(5)])
  assert.deepEqual(problems, [
    { position: 5, ticket: second.ticket, reason: 'it is damaged, or is no age file' },
    { position: 8, ticket: third.ticket, reason: 'what is sealed in it belongs to another ticket' },
    { position: 11, ticket: third.ticket, reason: 'what is sealed in it belongs to another time' },
    {
      position: 14,
      ticket: entryOf(6).ticket,
      reason: `it is sealed to ${OTHER_KEYS.recipient}, whose identity is not here, or its beginning is damaged`,
    },
    {
      position: 17,
      ticket: first.ticket,
      reason: 'expected a waitlist entry in JSON, found something else',
    },
    { position: 20, ticket: first.ticket, reason: 'it is damaged, or is no age file' },
  ])
  assert.deepEqual(result, { exported: 2, leftOut: 6, isComplete: true })
  assert.equal(progressed, 8)
})

test('with several identities the rows of each of them come out', async () => {
  const registrations = [await sealedRegistration(1, KEYS), await sealedRegistration(2, OTHER_KEYS)]
  const identities = [OTHER_KEYS.identity, KEYS.identity]
  const { entries } = await exportLines(registrations, 1, identities)
  assert.deepEqual(entries, [entryOf(1), entryOf(2)])
})

/** A list of any length without the rows in memory: one row, over and over, with its position counted on. */
function endlessStore(row: SealedRegistration, onRead: (limit: number) => void): WaitlistStore {
  return {
    ...memoryWaitlist([]).store,
    async readAfter(position, limit) {
      onRead(limit)
      return Array.from({ length: limit }, (_, index) => ({
        ...row,
        position: position + index + 1,
      }))
    },
  }
}

test('no more is read than the threads need, and a reader that has enough ends it', async () => {
  const row = await sealedRegistration(1, KEYS)
  let [rowsRead, writes, rowsWritten] = [0, 0, 0]
  let mostAhead = 0
  const store = endlessStore(row, (limit) => {
    rowsRead += limit
    mostAhead = Math.max(mostAhead, rowsRead - rowsWritten)
  })
  const result = await exportWaitlist({
    store,
    identities: [KEYS.identity],
    format: 'jsonl',
    jobs: 2,
    async write(part) {
      writes += 1
      rowsWritten += Buffer.from(part).toString().split('\n').length - 1
      return writes < 10
    },
  })
  assert.deepEqual(result, { exported: rowsWritten, leftOut: 0, isComplete: false })
  assert.equal(writes, 10)
  assert.ok(mostAhead <= 1000, `${mostAhead} rows were read ahead`)
})

test('what fails ends the export and its threads: the identity, the store, the writing', async () => {
  const { store } = memoryWaitlist(await sealedRegistrations(3, KEYS))
  const parts = {
    store,
    identities: [KEYS.identity],
    format: 'csv',
    jobs: 2,
    write: async () => true,
  } as const
  await assert.rejects(
    exportWaitlist({ ...parts, identities: ['AGE-SECRET-KEY-1X'] }),
    (error) => error instanceof SealError && error.code === 'BAD_IDENTITY',
  )
  const broken = { ...store, readAfter: () => Promise.reject(new Error('no disk')) }
  await assert.rejects(exportWaitlist({ ...parts, store: broken }), /no disk/)
  const write = () => Promise.reject(new Error('no room'))
  await assert.rejects(exportWaitlist({ ...parts, write }), /no room/)
})
