import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { SealedRegistration, WaitlistStore } from '../../src/storage/stores/waitlist-store.ts'
import { bytesOf, makeRegistration, readAll, withoutPosition } from './waitlist-fixture.ts'

/** One step. The numbers say which of a few addresses. */
type Step =
  | { readonly kind: 'add' | 'erase'; readonly address: number }
  | { readonly kind: 'count' }
  | { readonly kind: 'reseal'; readonly addresses: readonly number[]; readonly to: string }

const LAST_ADDRESS = 5
const ADDRESS = fc.nat({ max: LAST_ADDRESS })
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), address: ADDRESS }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('erase' as const), address: ADDRESS }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('count' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reseal' as const),
      addresses: fc.uniqueArray(ADDRESS),
      to: fc.constantFrom('age1first', 'age1second', 'age1third'),
    }),
  },
)

interface ModelRow extends SealedRegistration {
  readonly position: number
}

/** The list as a Map by address, with the highest position that was ever seen. */
interface Model {
  readonly rows: Map<number, ModelRow>
  highest: number
  /** Makes what is sent at each step differ. */
  steps: number
}

async function assertSame(waitlist: WaitlistStore, { rows }: Model): Promise<void> {
  const expected = [...rows.values()].toSorted((a, b) => a.position - b.position)
  const found = await readAll(waitlist)
  assert.deepEqual(found.map(withoutPosition), expected.map(withoutPosition))
  assert.deepEqual(
    found.map(({ position }) => position),
    expected.map(({ position }) => position),
  )
}

async function assertSameCount(waitlist: WaitlistStore, { rows }: Model): Promise<void> {
  const times = [...rows.values()].map(({ registeredAtMs }) => registeredAtMs)
  const count = await waitlist.count()
  assert.equal(count.total, rows.size)
  assert.equal(count.firstRegisteredAtMs, times.length === 0 ? undefined : Math.min(...times))
  assert.equal(count.lastRegisteredAtMs, times.length === 0 ? undefined : Math.max(...times))
  const expected = new Map<string, number>()
  for (const { recipient } of rows.values()) {
    expected.set(recipient, (expected.get(recipient) ?? 0) + 1)
  }
  assert.deepEqual(new Map(count.byRecipient.map((each) => [each.recipient, each.count])), expected)
  const counts = count.byRecipient.map((each) => each.count)
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => b - a),
  )
}

async function takeStep(waitlist: WaitlistStore, model: Model, step: Step): Promise<void> {
  model.steps += 1
  switch (step.kind) {
    case 'add': {
      const registration = makeRegistration(step.address, {
        sealed: bytesOf(`step ${model.steps}`, 200),
        registeredAtMs: 1_900_000_000_000 + ((model.steps * 7919) % 1000),
      })
      const known = model.rows.has(step.address)
      assert.equal(await waitlist.add(registration), known ? 'duplicate' : 'added')
      if (known) return
      const [row, ...others] = await waitlist.readAfter(model.highest, 10)
      assert.ok(row !== undefined && others.length === 0)
      model.highest = row.position
      model.rows.set(step.address, { ...registration, position: row.position })
      return
    }
    case 'erase': {
      const row = model.rows.get(step.address)
      const { addressHash } = makeRegistration(step.address)
      const expected = row && { ticket: row.ticket, registeredAtMs: row.registeredAtMs }
      assert.equal((await waitlist.find(addressHash))?.position, row?.position)
      assert.deepEqual(await waitlist.erase(addressHash), expected)
      assert.equal(await waitlist.find(addressHash), undefined)
      model.rows.delete(step.address)
      return
    }
    case 'count':
      await assertSameCount(waitlist, model)
      return
    case 'reseal': {
      const chosen = [...model.rows].filter(([address]) => step.addresses.includes(address))
      const sealed = bytesOf(`step ${model.steps}`, 250)
      const seals = chosen.map(([, { position }]) => ({
        position,
        // Right for some of the rows.
        fromRecipient: 'age1first',
        recipient: step.to,
        sealed,
      }))
      const matching = chosen.filter(([, { recipient }]) => recipient === 'age1first')
      assert.equal(await waitlist.reseal(seals), matching.length)
      for (const [address, row] of matching) {
        model.rows.set(address, { ...row, recipient: step.to, sealed })
      }
    }
  }
}

/** Runs random sequences of calls on an empty list and on a Map, and compares what they answer and what they hold. */
export async function assertBehavesAsMap(waitlist: WaitlistStore): Promise<void> {
  let highest = 0
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 30 }), async (steps) => {
      const model: Model = { rows: new Map(), highest, steps: 0 }
      try {
        for (const step of steps) await takeStep(waitlist, model, step)
        await assertSame(waitlist, model)
        await assertSameCount(waitlist, model)
      } finally {
        // The next sequence begins with an empty list, and no position of this one may come again.
        highest = model.highest
        for (let address = 0; address <= LAST_ADDRESS; address += 1) {
          await waitlist.erase(makeRegistration(address).addressHash)
        }
      }
    }),
    { numRuns: 60 },
  )
}
