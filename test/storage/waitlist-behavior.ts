import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Storage } from '../../src/storage/stores/storage.ts'
import type { StorageBackend } from './storage-backend.ts'
import {
  assertProblem,
  bytesOf,
  makeRegistration,
  readAll,
  withoutPosition,
} from './waitlist-fixture.ts'
import { assertBehavesAsMap } from './waitlist-model.ts'

/** What every way to keep the waitlist has to do. */
export function testWaitlistBehavior(backend: StorageBackend<Storage>): void {
  describe(`waitlist on ${backend.name}`, { skip: backend.skip ?? false }, () => {
    test('bytes round-trip, from none to more than a page', async (t) => {
      const { waitlist } = (await backend.open(t)).store
      const added = [0, 1, 4000, 20_000].map((length, number) =>
        makeRegistration(number, { sealed: bytesOf(`${length}`, length) }),
      )
      // Part of a larger buffer, as a Buffer often is.
      const inside = Buffer.concat([Buffer.alloc(5), bytesOf('inside', 32), Buffer.alloc(5)])
      added.push(makeRegistration(9, { addressHash: inside.subarray(5, 37) }))
      for (const each of added) assert.equal(await waitlist.add(each), 'added')
      const expected = added.map((each) => ({
        ...each,
        addressHash: new Uint8Array(each.addressHash),
      }))
      assert.deepEqual((await readAll(waitlist)).map(withoutPosition), expected)
    })

    test('one of 50 concurrent calls with one address, from two stores, adds it', async (t) => {
      const { store: storage, openAgain } = await backend.open(t)
      const other = await openAgain()
      for (let round = 0; round < 5; round += 1) {
        const { addressHash } = makeRegistration(round)
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, number) => {
            const registration = makeRegistration(1000 + number, { addressHash })
            return (number % 2 === 0 ? storage : other).waitlist.add(registration)
          }),
        )
        assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 1)
        assert.equal(outcomes.filter((outcome) => outcome === 'duplicate').length, 49)
      }
      assert.equal((await storage.waitlist.count()).total, 5)
    })

    test('reads the waitlist in pages after a position', async (t) => {
      const { waitlist } = (await backend.open(t)).store
      assert.deepEqual(await waitlist.readAfter(0, 10), [])
      for (let number = 0; number < 25; number += 1) {
        await waitlist.add(makeRegistration(number))
        // Positions may have gaps.
        await waitlist.add(makeRegistration(number))
      }
      await waitlist.erase(makeRegistration(7).addressHash)
      const read: number[] = []
      let behind = 0
      for (;;) {
        const page = await waitlist.readAfter(behind, 10)
        for (const row of page) {
          assert.ok(row.position > behind)
          behind = row.position
          read.push(row.registeredAtMs - makeRegistration(0).registeredAtMs)
        }
        if (page.length < 10) break
      }
      assert.deepEqual(
        read,
        Array.from({ length: 25 }, (_, number) => number).filter((number) => number !== 7),
      )
      assert.deepEqual(await waitlist.readAfter(behind, 10), [])
    })

    // The model below covers which rows a reseal replaces, and with what.
    test('only one of two reseals of a row succeeds', async (t) => {
      const { store: storage, openAgain } = await backend.open(t)
      const other = await openAgain()
      for (let number = 0; number < 20; number += 1) {
        await storage.waitlist.add(makeRegistration(number))
      }
      const rows = await readAll(storage.waitlist)
      const resealTo = (recipient: string) =>
        rows.map(({ position }) => ({
          position,
          fromRecipient: 'age1first',
          recipient,
          sealed: bytesOf(recipient, 650),
        }))
      const resealed = await Promise.all([
        storage.waitlist.reseal(resealTo('age1second')),
        other.waitlist.reseal(resealTo('age1third')),
      ])
      assert.deepEqual(
        resealed.toSorted((a, b) => a - b),
        [0, 20],
      )
      const winner = resealed[0] === 20 ? 'age1second' : 'age1third'
      const unknown = { position: 999, fromRecipient: winner, recipient: 'age1fourth' }
      assert.equal(await other.waitlist.reseal([{ ...unknown, sealed: bytesOf('fourth', 9) }]), 0)
      assert.equal(await other.waitlist.reseal([]), 0)
      for (const row of await readAll(other.waitlist)) {
        assert.equal(row.recipient, winner)
        assert.deepEqual(new Uint8Array(row.sealed), bytesOf(winner, 650))
      }
    })

    test('finds a row by its address hash', async (t) => {
      const { waitlist } = (await backend.open(t)).store
      assert.equal(await waitlist.find(makeRegistration(1).addressHash), undefined)
      await waitlist.add(makeRegistration(1))
      await waitlist.add(makeRegistration(2))
      const found = await waitlist.find(makeRegistration(2).addressHash)
      assert.ok(found !== undefined)
      assert.deepEqual(withoutPosition(found), makeRegistration(2))
      assert.equal(found.position, (await readAll(waitlist)).at(-1)?.position)
    })

    test('expire deletes rows from before a time, up to a limit', async (t) => {
      const { waitlist } = (await backend.open(t)).store
      for (let number = 0; number < 10; number += 1) await waitlist.add(makeRegistration(number))
      const { registeredAtMs } = makeRegistration(5)
      assert.equal(await waitlist.expire(registeredAtMs, 3), 3)
      assert.equal(await waitlist.expire(registeredAtMs, 3), 2)
      assert.equal(await waitlist.expire(registeredAtMs, 3), 0)
      const rows = await readAll(waitlist)
      assert.deepEqual(
        rows.map(withoutPosition),
        [5, 6, 7, 8, 9].map((number) => makeRegistration(number)),
      )
      assert.equal(await waitlist.add(makeRegistration(1)), 'added')
    })

    test('expire with the last time deletes every row, also one of the future', async (t) => {
      const { waitlist } = (await backend.open(t)).store
      await waitlist.add(makeRegistration(1))
      await waitlist.add(
        makeRegistration(2, { registeredAtMs: Date.parse('9999-12-31T23:59:59Z') }),
      )
      assert.equal(await waitlist.expire(Number.MAX_SAFE_INTEGER, 5), 2)
      assert.deepEqual(await readAll(waitlist), [])
    })

    test('rows persist when the store is reopened', async (t) => {
      const { store: storage, openAgain } = await backend.open(t)
      await storage.waitlist.add(makeRegistration(1))
      const watching = await openAgain()
      assert.equal((await watching.waitlist.count()).total, 1)
      await storage.waitlist.add(makeRegistration(2))
      assert.equal((await watching.waitlist.count()).total, 2)
      await watching.close()
      await storage.close()
      const { waitlist } = await openAgain()
      const rows = await readAll(waitlist)
      assert.deepEqual(rows.map(withoutPosition), [makeRegistration(1), makeRegistration(2)])
      assert.equal(await waitlist.add(makeRegistration(2)), 'duplicate')
    })

    test('close finishes pending calls and refuses later ones', async (t) => {
      const { store: storage, openAgain } = await backend.open(t)
      const { waitlist } = storage
      const begun = Array.from({ length: 20 }, (_, number) =>
        waitlist.add(makeRegistration(number)),
      )
      const closing = storage.close()
      const late = waitlist.add(makeRegistration(99))
      await assertProblem('CLOSED', late)
      assert.deepEqual(new Set(await Promise.all(begun)), new Set(['added']))
      await closing
      await storage.close()
      await assertProblem('CLOSED', waitlist.count())
      await assertProblem('CLOSED', waitlist.readAfter(0, 1))
      await assertProblem('CLOSED', waitlist.erase(makeRegistration(1).addressHash))
      await assertProblem('CLOSED', waitlist.reseal([]))
      const again = await openAgain()
      assert.equal((await again.waitlist.count()).total, 20)
    })

    test('closes a store that was never used', async (t) => {
      const { store: storage } = await backend.open(t)
      await storage.close()
      await assertProblem('CLOSED', storage.waitlist.count())
    })

    test('any sequence of calls matches a Map', async (t) => {
      await assertBehavesAsMap((await backend.open(t)).store.waitlist)
    })
  })
}
