import assert from 'node:assert/strict'
import { test } from 'node:test'

import { resealWaitlist } from '../../../src/cli/waitlist/reseal-waitlist.ts'
import type { RowProblem } from '../../../src/cli/waitlist/row-work.ts'
import { createOpener, SealError } from '../../../src/crypto/sealed-box.ts'
import { parseWaitlistEntry } from '../../../src/service/waitlist-entry.ts'
import type { StoredRegistration } from '../../../src/storage/waitlist-store.ts'
import {
  entryOf,
  makeKeyPair,
  memoryWaitlist,
  sealedRegistration,
  sealedRegistrations,
} from './waitlist-fixture.ts'

const OLD = await makeKeyPair()
const NEW = await makeKeyPair()
const BASE = { identities: [OLD.identity], recipient: NEW.recipient, jobs: 2 } as const

/** Opens all rows with the identities given. */
async function openAll(rows: Iterable<StoredRegistration>, identities: readonly string[]) {
  const opener = await createOpener(identities)
  const opened = []
  for (const { sealed } of rows) opened.push(parseWaitlistEntry(await opener.open(sealed)))
  return opened
}

function entries(count: number) {
  return Array.from({ length: count }, (_, index) => entryOf(index + 1))
}

test('every row opens with the new identity after, and nothing else of it has changed', async () => {
  const { store, rows } = memoryWaitlist([
    ...(await sealedRegistrations(200, OLD)),
    await sealedRegistration(201, NEW),
  ])
  const before = [...rows.values()]
  let progressed = 0
  const onProgress = (count: number) => {
    progressed += count
  }
  const result = await resealWaitlist({ ...BASE, store, onProgress })
  assert.deepEqual(result, { resealed: 200, already: 1, changedMeanwhile: 0, leftAlone: 0 })
  assert.equal(progressed, 200)
  assert.deepEqual(await openAll(rows.values(), [NEW.identity]), entries(201))
  for (const row of before) {
    const after = rows.get(row.position)
    assert.ok(after)
    assert.deepEqual({ ...after, sealed: 0, recipient: '' }, { ...row, sealed: 0, recipient: '' })
    assert.equal(after.recipient, NEW.recipient)
  }
  assert.deepEqual(rows.get(602)?.sealed, before[200]?.sealed, 'sealed to it before, so left alone')
  const again = await resealWaitlist({ ...BASE, store })
  assert.deepEqual(again, { resealed: 0, already: 201, changedMeanwhile: 0, leftAlone: 0 })
})

test('where it fails in the middle nothing is lost, and another run goes on', async () => {
  const { store, rows } = memoryWaitlist(await sealedRegistrations(400, OLD))
  let pages = 0
  const failing = {
    ...store,
    reseal: (...args: Parameters<typeof store.reseal>) => {
      pages += 1
      return pages === 2 ? Promise.reject(new Error('the power went')) : store.reseal(...args)
    },
  }
  await assert.rejects(resealWaitlist({ ...BASE, store: failing }), /the power went/)
  const done = [...rows.values()].filter(({ recipient }) => recipient === NEW.recipient).length
  assert.ok(done > 0 && done < 400, `${done} done`)
  assert.deepEqual(await openAll(rows.values(), [OLD.identity, NEW.identity]), entries(400))
  const result = await resealWaitlist({ ...BASE, store })
  assert.deepEqual(result, {
    resealed: 400 - done,
    already: done,
    changedMeanwhile: 0,
    leftAlone: 0,
  })
  assert.deepEqual(await openAll(rows.values(), [NEW.identity]), entries(400))
})

test('rows that do not open, or are not what they say, are told and stay as they are', async () => {
  const other = await makeKeyPair()
  const [first, second] = await sealedRegistrations(2, OLD)
  assert.ok(first && second)
  const { store, rows } = memoryWaitlist([
    first,
    { ...second, ticket: entryOf(9).ticket },
    await sealedRegistration(3, other),
  ])
  const before = new Map(rows)
  const problems: RowProblem[] = []
  const onProblem = (problem: RowProblem) => problems.push(problem)
  const result = await resealWaitlist({ ...BASE, store, onProblem })
  assert.deepEqual(result, { resealed: 1, already: 0, changedMeanwhile: 0, leftAlone: 2 })
  assert.deepEqual(
    problems.map(({ position, ticket }) => [position, ticket]),
    [
      [5, entryOf(9).ticket],
      [8, entryOf(3).ticket],
    ],
  )
  for (const position of [5, 8]) assert.equal(rows.get(position), before.get(position))
})

test('a row that is erased or resealed meanwhile is counted and left alone', async () => {
  const { store, rows } = memoryWaitlist(await sealedRegistrations(3, OLD))
  const third = await sealedRegistration(3, await makeKeyPair())
  const meddling = {
    ...store,
    reseal: (...args: Parameters<typeof store.reseal>) => {
      rows.delete(2)
      rows.set(8, { ...third, position: 8 })
      return store.reseal(...args)
    },
  }
  const result = await resealWaitlist({ ...BASE, store: meddling })
  assert.deepEqual(result, { resealed: 1, already: 0, changedMeanwhile: 2, leftAlone: 0 })
  assert.equal(rows.get(8)?.recipient, third.recipient)
})

test('a store that does not hold what was written stops it', async () => {
  const { store, rows } = memoryWaitlist(await sealedRegistrations(3, OLD))
  for (const harm of [
    (row: StoredRegistration) => ({ ...row, sealed: row.sealed.subarray(1) }),
    (row: StoredRegistration) => ({ ...row, addressHash: new Uint8Array(32) }),
    (row: StoredRegistration) => ({ ...row, registeredAtMs: 0 }),
  ]) {
    const fresh = new Map(rows)
    const forgetful = {
      ...store,
      reseal: async (...args: Parameters<typeof store.reseal>) => {
        const count = await store.reseal(...args)
        const row = rows.get(5)
        if (row !== undefined) rows.set(5, harm(row))
        return count
      },
    }
    await assert.rejects(
      resealWaitlist({ ...BASE, store: forgetful }),
      /^CommandFailure: position 5, ticket EA-0{15}2: the database does not hold what was written/,
    )
    for (const [position, row] of fresh) rows.set(position, row)
  }
})

test('with the new identity at hand every new seal is opened too', async () => {
  const { store, rows } = memoryWaitlist(await sealedRegistrations(3, OLD))
  const identities = [OLD.identity, NEW.identity]
  const result = await resealWaitlist({ ...BASE, store, identities })
  assert.equal(result.resealed, 3)
  assert.deepEqual(await openAll(rows.values(), [NEW.identity]), entries(3))
})

test('a recipient or an identity that is none changes nothing', async () => {
  const { store, rows } = memoryWaitlist(await sealedRegistrations(2, OLD))
  const before = new Map(rows)
  for (const changes of [{ recipient: 'age1x' }, { identities: [] }]) {
    await assert.rejects(resealWaitlist({ ...BASE, ...changes, store }), SealError)
  }
  assert.deepEqual(rows, before)
})
