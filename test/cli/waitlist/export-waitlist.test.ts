import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportWaitlist } from '../../../src/cli/waitlist/export-command.ts'
import { AgeError } from '../../../src/crypto/age-file.ts'
import type {
  SealedRegistration,
  WaitlistStore,
} from '../../../src/storage/stores/waitlist-store.ts'
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
  identities: readonly string[] = [KEYS.identity],
) {
  const parts: string[] = []
  const problems: string[] = []
  let progressed = 0
  const result = await exportWaitlist({
    store: memoryWaitlist(registrations).store,
    identities,
    format: 'jsonl',
    async write(part) {
      parts.push(Buffer.from(part).toString())
      return true
    },
    progress: {
      advance: (rows) => void (progressed += rows),
      print: (problem) => void problems.push(problem),
    },
  })
  const entries = parts
    .join('')
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
  return { entries, problems, result, progressed }
}

test('exports an empty list as an empty file, in CSV as the header', async () => {
  const { entries, result } = await exportLines([])
  assert.deepEqual(entries, [])
  assert.deepEqual(result, { exported: 0, leftOut: 0, guarded: 0, isComplete: true })
  const parts: string[] = []
  await exportWaitlist({
    store: memoryWaitlist([]).store,
    identities: [KEYS.identity],
    format: 'csv',
    async write(part) {
      parts.push(Buffer.from(part).toString())
      return true
    },
  })
  assert.deepEqual(parts, [
    'ticket,registeredAt,email,locale,interests,useCase,consentVersion,consentText\r\n',
  ])
})

test('reports each row that does not match its columns and exports the rest', async () => {
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
    { ...first, sealed: await KEYS.encryptor.encrypt(Buffer.from('person1@example.org')) },
    { ...first, sealed: new Uint8Array() },
    fifth,
  ]
  const { entries, problems, result, progressed } = await exportLines(registrations)
  assert.deepEqual(entries, [entryOf(1), entryOf(5)])
  assert.deepEqual(problems, [
    `position 5, ticket ${second.ticket}: damaged, or not an age file`,
    `position 8, ticket ${third.ticket}: the encrypted entry has another ticket than its row`,
    `position 11, ticket ${third.ticket}: the encrypted entry has another time than its row`,
    `position 14, ticket ${entryOf(6).ticket}: encrypted to ${OTHER_KEYS.recipient}, which none of the given identities matches, or its header is damaged`,
    `position 17, ticket ${first.ticket}: expected a waitlist entry as a JSON object, found something else`,
    `position 20, ticket ${first.ticket}: damaged, or not an age file`,
  ])
  assert.deepEqual(result, { exported: 2, leftOut: 6, guarded: 0, isComplete: true })
  assert.equal(progressed, 8)
})

test('exports the rows of every identity given', async () => {
  const registrations = [await sealedRegistration(1, KEYS), await sealedRegistration(2, OTHER_KEYS)]
  const identities = [OTHER_KEYS.identity, KEYS.identity]
  const { entries } = await exportLines(registrations, identities)
  assert.deepEqual(entries, [entryOf(1), entryOf(2)])
})

/** An endless list: one row with increasing positions. */
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

test('reads one page ahead at most and stops when the reader closes', async () => {
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
    async write(part) {
      writes += 1
      rowsWritten += Buffer.from(part).toString().split('\n').length - 1
      return writes < 10
    },
  })
  assert.deepEqual(result, { exported: rowsWritten, leftOut: 0, guarded: 0, isComplete: false })
  assert.equal(writes, 10)
  assert.ok(mostAhead <= 128, `${mostAhead} rows were read ahead`)
})

test('rejects with the error of the identity, the store or the output', async () => {
  const { store } = memoryWaitlist(await sealedRegistrations(3, KEYS))
  const parts = {
    store,
    identities: [KEYS.identity],
    format: 'csv',
    write: async () => true,
  } as const
  await assert.rejects(
    exportWaitlist({ ...parts, identities: ['AGE-SECRET-KEY-1X'] }),
    (error) => error instanceof AgeError && error.code === 'BAD_IDENTITY',
  )
  const broken = { ...store, readAfter: () => Promise.reject(new Error('no disk')) }
  await assert.rejects(exportWaitlist({ ...parts, store: broken }), /no disk/)
  const write = () => Promise.reject(new Error('no room'))
  await assert.rejects(exportWaitlist({ ...parts, write }), /no room/)
})
