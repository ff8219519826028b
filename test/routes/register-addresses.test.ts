import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BAD_ADDRESSES,
  DIFFERENT_ADDRESSES,
  GOOD_ADDRESSES,
  SAME_ADDRESSES,
} from '../contract/email-addresses.ts'
import { codeOf } from '../support/received-response.ts'
import { GOOD_BODY, runRegisteringApp, type RegisteringApp } from '../support/registering-app.ts'

type Outcome = readonly [status: number, code: string | undefined]

/** Registers one address after the other, each in a window of its own; status and code of each response. */
async function outcomes(
  app: RegisteringApp,
  emails: readonly string[],
): Promise<readonly Outcome[]> {
  const found: Outcome[] = []
  for (const email of emails) {
    app.clock.ms += 60_000
    const response = await app.register({ ...GOOD_BODY, email })
    found.push([response.status, codeOf(response)])
  }
  return found
}

test('valid addresses get one entry each', async (t) => {
  const app = await runRegisteringApp(t)
  const spellings = [
    ...GOOD_ADDRESSES.map(([typed]) => typed),
    ...DIFFERENT_ADDRESSES.flat().map((typed) => `two.${typed}`),
  ]
  assert.ok(spellings.length >= 100)
  // Some of the table's addresses are spellings of an earlier one.
  const known = new Set<string>()
  const expected = GOOD_ADDRESSES.map(([, kept]): Outcome => {
    const entry = kept.toLowerCase()
    const isKnown = known.has(entry)
    known.add(entry)
    return [200, isKnown ? 'DUPLICATE' : undefined]
  })
  const found = await outcomes(app, spellings)
  assert.deepEqual(found.slice(0, GOOD_ADDRESSES.length), expected)
  assert.ok(found.every(([status]) => status === 200))
  const kept = (await app.entries()).map(({ email }) => email)
  assert.deepEqual(
    kept.slice(0, known.size),
    GOOD_ADDRESSES.filter((_, at) => expected[at]?.[1] === undefined).map(([, each]) => each),
  )
})

test('invalid addresses get no entry', async (t) => {
  const app = await runRegisteringApp(t)
  for (const [at, outcome] of (await outcomes(app, BAD_ADDRESSES)).entries()) {
    assert.deepEqual(outcome, [400, 'INVALID_EMAIL'], JSON.stringify(BAD_ADDRESSES[at]))
  }
  assert.deepEqual(await app.entries(), [])
})

test('all spellings of an address are one entry, whichever came first', async (t) => {
  for (const isReversed of [false, true]) {
    const app = await runRegisteringApp(t)
    for (const group of SAME_ADDRESSES) {
      const spellings = isReversed ? group.toReversed() : group
      assert.deepEqual(
        await outcomes(app, spellings),
        spellings.map((_, at) => [200, at === 0 ? undefined : 'DUPLICATE']),
        spellings.join(' | '),
      )
    }
    assert.equal((await app.entries()).length, SAME_ADDRESSES.length)
  }
})

test('similar addresses are separate entries', async (t) => {
  const app = await runRegisteringApp(t)
  for (const [at, pair] of DIFFERENT_ADDRESSES.entries()) {
    // The mark keeps a pair from meeting another one's addresses.
    const marked = pair.map((typed) => `${at}.${typed}`)
    assert.deepEqual(
      await outcomes(app, marked),
      [
        [200, undefined],
        [200, undefined],
      ],
      marked.join(' '),
    )
  }
  assert.equal((await app.entries()).length, 2 * DIFFERENT_ADDRESSES.length)
})
