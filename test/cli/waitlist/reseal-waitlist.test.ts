import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resealWaitlist } from '../../../src/cli/waitlist/reseal-waitlist.ts'
import { createDecryptor, AgeError } from '../../../src/crypto/age-file.ts'
import { parseWaitlistEntry } from '../../../src/service/waitlist/waitlist-entry.ts'
import type { StoredRegistration } from '../../../src/storage/stores/waitlist-store.ts'
import {
  entryOf,
  makeKeyPair,
  memoryWaitlist,
  sealedRegistration,
  sealedRegistrations,
} from './waitlist-fixture.ts'

const OLD = await makeKeyPair()
const NEW = await makeKeyPair()
const BASE = { identities: [OLD.identity], recipient: NEW.recipient } as const

/** Opens all rows with the identities given. */
async function openAll(rows: Iterable<StoredRegistration>, identities: readonly string[]) {
  const decryptor = await createDecryptor(identities)
  const opened = []
  for (const { sealed } of rows) opened.push(parseWaitlistEntry(await decryptor.decrypt(sealed)))
  return opened
}

function entries(count: number) {
  return Array.from({ length: count }, (_, index) => entryOf(index + 1))
}

test('encrypts every row to the new recipient and changes nothing else', async () => {
  const { store, rows } = memoryWaitlist([
    ...(await sealedRegistrations(130, OLD)),
    await sealedRegistration(131, NEW),
  ])
  const before = [...rows.values()]
  let progressed = 0
  const progress = { advance: (count: number) => void (progressed += count), print() {} }
  const result = await resealWaitlist({ ...BASE, store, progress })
  assert.deepEqual(result, { resealed: 130, already: 1, changedMeanwhile: 0, failed: 0 })
  assert.equal(progressed, 130)
  assert.deepEqual(await openAll(rows.values(), [NEW.identity]), entries(131))
  for (const row of before) {
    const after = rows.get(row.position)
    assert.ok(after)
    assert.deepEqual({ ...after, sealed: 0, recipient: '' }, { ...row, sealed: 0, recipient: '' })
    assert.equal(after.recipient, NEW.recipient)
  }
  assert.deepEqual(rows.get(392)?.sealed, before[130]?.sealed)
  const again = await resealWaitlist({ ...BASE, store })
  assert.deepEqual(again, { resealed: 0, already: 131, changedMeanwhile: 0, failed: 0 })
})

test('reports and leaves unchanged a row that cannot be decrypted or does not match its columns', async () => {
  const other = await makeKeyPair()
  const [first, second] = await sealedRegistrations(2, OLD)
  assert.ok(first && second)
  const { store, rows } = memoryWaitlist([
    first,
    { ...second, ticket: entryOf(9).ticket },
    await sealedRegistration(3, other),
  ])
  const before = new Map(rows)
  const problems: string[] = []
  const progress = { advance() {}, print: (line: string) => void problems.push(line) }
  const result = await resealWaitlist({ ...BASE, store, progress })
  assert.deepEqual(result, { resealed: 1, already: 0, changedMeanwhile: 0, failed: 2 })
  assert.deepEqual(
    problems.map((line) => line.split(': ')[0]),
    [`position 5, ticket ${entryOf(9).ticket}`, `position 8, ticket ${entryOf(3).ticket}`],
  )
  for (const position of [5, 8]) assert.equal(rows.get(position), before.get(position))
})

test('counts a row that was erased or changed in the meantime', async () => {
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
  assert.deepEqual(result, { resealed: 1, already: 0, changedMeanwhile: 2, failed: 0 })
  assert.equal(rows.get(8)?.recipient, third.recipient)
})

test('accepts the new identity beside the old one', async () => {
  const { store, rows } = memoryWaitlist(await sealedRegistrations(3, OLD))
  const identities = [OLD.identity, NEW.identity]
  const result = await resealWaitlist({ ...BASE, store, identities })
  assert.equal(result.resealed, 3)
  assert.deepEqual(await openAll(rows.values(), [NEW.identity]), entries(3))
})

test('an invalid recipient or identity changes nothing', async () => {
  const { store, rows } = memoryWaitlist(await sealedRegistrations(2, OLD))
  const before = new Map(rows)
  for (const changes of [{ recipient: 'age1x' }, { identities: [] }]) {
    await assert.rejects(resealWaitlist({ ...BASE, ...changes, store }), AgeError)
  }
  assert.deepEqual(rows, before)
})
