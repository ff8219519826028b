import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { type Challenge as AltchaChallenge, solveChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import * as fc from 'fast-check'
import {
  ALTCHA_WORK,
  createAltchaChallenge,
} from '../../../src/service/challenge/altcha-challenge.ts'
import type { ChallengePurpose } from '../../../src/service/challenge/challenge.ts'
import { CountersError } from '../../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../../src/storage/counters/memory-counters.ts'
import { setClock } from '../../storage/counters/counters-behavior.ts'

const WORK = { cost: 2, maxCounter: 5 }
const LIFE_MS = 10 * 60_000

interface Payload {
  challenge: { parameters: AltchaChallenge['parameters']; signature: string }
  solution: { counter: number; derivedKey: string; time?: number }
}

function rig(nowMs?: number) {
  const clock = setClock(nowMs)
  const counters = createMemoryCounters({ clock })
  const challenge = createAltchaChallenge({ counters, clock, work: WORK })
  async function solved(purpose: ChallengePurpose = 'register'): Promise<Payload> {
    const issued = JSON.parse((await challenge.issue?.(purpose)) ?? '') as AltchaChallenge
    const solution = await solveChallenge({ challenge: issued, deriveKey })
    assert.ok(solution !== null)
    const { parameters, signature = '' } = issued
    return { challenge: { parameters, signature }, solution }
  }
  return { clock, counters, challenge, solved }
}

/** As the widget writes it. */
function tokenOf(payload: unknown): string {
  return btoa(JSON.stringify(payload))
}

function refused(call: Promise<unknown>, what?: string): Promise<void> {
  return assert.rejects(
    call,
    (error) => error instanceof ApiError && error.code === 'CHALLENGE_FAILED',
    what,
  )
}

test('describes itself and issues challenges that the widget solves', async () => {
  const { challenge, clock } = rig()
  assert.deepEqual(challenge.description, { provider: 'altcha', path: '/challenge', siteKey: null })
  const issued = JSON.parse((await challenge.issue?.('register')) ?? '') as AltchaChallenge
  assert.deepEqual(Object.keys(issued), ['parameters', 'signature'])
  const { parameters } = issued
  assert.equal(parameters.algorithm, 'PBKDF2/SHA-256')
  assert.equal(parameters.cost, WORK.cost)
  assert.equal(parameters.expiresAt, (clock.now + LIFE_MS) / 1000)
  assert.deepEqual(parameters.data, { purpose: 'register' })
  const other = JSON.parse((await challenge.issue?.('register')) ?? '') as AltchaChallenge
  assert.notEqual(other.parameters.nonce, parameters.nonce)
})

test('a solved challenge is accepted once, and again after it was released', async () => {
  const { challenge, solved, counters } = rig()
  const token = tokenOf(await solved())
  const accepted = await challenge.verify(token, 'register')
  await refused(challenge.verify(token, 'register'))
  await accepted.release()
  assert.equal(counters.size(), 0)
  await challenge.verify(token, 'register')
  await refused(challenge.verify(token, 'register'))
  const outcomes = await (async () => {
    const next = tokenOf(await solved())
    return Promise.allSettled(Array.from({ length: 20 }, () => challenge.verify(next, 'register')))
  })()
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('a solution is valid for its purpose only', async () => {
  const { challenge, solved, counters } = rig()
  const register = await solved('register')
  const issueKey = await solved('issue-key')
  await refused(challenge.verify(tokenOf(register), 'issue-key'))
  await refused(challenge.verify(tokenOf(issueKey), 'register'))
  register.challenge.parameters.data = { purpose: 'issue-key' }
  await refused(challenge.verify(tokenOf(register), 'issue-key'))
  assert.equal(counters.size(), 0)
  await challenge.verify(tokenOf(issueKey), 'issue-key')
})

test('only the injected clock decides expiry', async () => {
  for (const nowMs of [Date.UTC(2001, 0, 1), Date.UTC(2126, 0, 1)]) {
    const { challenge, solved, clock } = rig(nowMs)
    const token = tokenOf(await solved())
    const other = tokenOf(await solved())
    clock.now = nowMs + LIFE_MS - 1
    await challenge.verify(token, 'register')
    clock.now = nowMs + LIFE_MS
    await refused(challenge.verify(other, 'register'))
    await refused(challenge.verify(token, 'register'))
  }
})

test('remembers a spent solution for longer than any process accepts it', async () => {
  const { clock, counters, challenge, solved } = rig()
  // Half a minute behind those it shares the counters with.
  const behind = createAltchaChallenge({
    counters,
    clock: { nowMs: () => clock.now - 30_000 },
    work: WORK,
  })
  const token = tokenOf(await solved())
  await challenge.verify(token, 'register')
  clock.now += LIFE_MS + 29_000
  await refused(behind.verify(token, 'register'))
})

test('the library and this verification agree on origin and solution', async () => {
  // The library looks at the machine's clock, which is far from this one.
  const { challenge, solved, counters } = rig(Date.UTC(2126, 0, 1))
  const secret = await counters.secret('challenge-key', Date.UTC(9999, 0, 1))
  const key = (use: string) => createHmac('sha256', secret).update(use).digest('hex')
  const payload = await solved()
  const { verified } = await verifySolution({
    ...payload,
    deriveKey,
    hmacSignatureSecret: key('altcha signature'),
    hmacKeySignatureSecret: key('altcha key signature'),
  })
  assert.equal(verified, true)
  // And without the signed key, by deriving it.
  const derived = await verifySolution({
    ...payload,
    deriveKey,
    hmacSignatureSecret: key('altcha signature'),
  })
  assert.equal(derived.verified, true)
  await challenge.verify(tokenOf(payload), 'register')
})

test('other encodings of a solution are the same solution', async () => {
  const { challenge, solved } = rig()
  const payload = await solved()
  const { parameters, signature } = payload.challenge
  await challenge.verify(tokenOf(payload), 'register')
  const reversed = Object.fromEntries(Object.entries(parameters).toReversed())
  const spellings = [
    btoa(JSON.stringify(payload, null, 1)),
    btoa(` ${JSON.stringify(payload)}\n`),
    btoa(JSON.stringify(payload)).replace(/=+$/, ''),
    tokenOf({ ...payload, extra: 1 }),
    tokenOf({ solution: payload.solution, challenge: { signature, parameters: reversed } }),
    tokenOf({ ...payload, solution: { ...payload.solution, time: 5 } }),
    tokenOf({ ...payload, solution: { ...payload.solution, counter: 4_294_967_295 } }),
    tokenOf({ ...payload, challenge: { parameters, signature: signature.toUpperCase() } }),
    tokenOf(payload).replaceAll('+', '-').replaceAll('/', '_'),
  ]
  for (const [index, spelling] of spellings.entries()) {
    await refused(challenge.verify(spelling, 'register'), `spelling ${index}`)
  }
})

test('refuses a token with any changed part and stores nothing', async () => {
  const { challenge, solved, counters } = rig()
  const payload = await solved()
  const { parameters } = payload.challenge
  const flipped = (hex: string) => `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`
  const changes: readonly object[] = [
    { algorithm: 'PBKDF2/SHA-512' },
    { algorithm: 'ARGON2ID', memoryCost: 4_000_000 },
    { cost: 1 },
    { cost: 2 ** 31 },
    { cost: '2' },
    { keyLength: 1 },
    { keyLength: 2 ** 30 },
    { keyPrefix: '' },
    { keyPrefix: flipped(parameters.keyPrefix) },
    { keySignature: flipped(parameters.keySignature ?? '') },
    { keySignature: undefined },
    { nonce: flipped(parameters.nonce) },
    { nonce: { toString: 'x' } },
    { salt: flipped(parameters.salt) },
    { salt: [parameters.salt] },
    { expiresAt: (parameters.expiresAt ?? 0) + 1 },
    { expiresAt: `${parameters.expiresAt}` },
    { expiresAt: 1e308 },
    { data: null },
    { data: {} },
    { data: { purpose: 'register', more: 1 } },
    { memoryCost: 1 },
    { constructor: {} },
  ]
  for (const change of changes) {
    const changed = {
      ...payload,
      challenge: { ...payload.challenge, parameters: { ...parameters, ...change } },
    }
    await refused(challenge.verify(tokenOf(changed), 'register'), JSON.stringify(change))
  }
  const { derivedKey } = payload.solution
  const solutions: readonly unknown[] = [
    null,
    [],
    {},
    { ...payload.solution, derivedKey: flipped(derivedKey) },
    {
      ...payload.solution,
      derivedKey: `${derivedKey.slice(0, -1)}${derivedKey.endsWith('0') ? '1' : '0'}`,
    },
    { ...payload.solution, derivedKey: derivedKey.slice(0, 32) },
    { ...payload.solution, derivedKey: '' },
    { ...payload.solution, counter: -1 },
    { ...payload.solution, counter: 1.5 },
    { ...payload.solution, counter: 2 ** 32 },
    { ...payload.solution, counter: '1' },
  ]
  for (const solution of solutions) {
    const what = JSON.stringify(solution)
    await refused(challenge.verify(tokenOf({ ...payload, solution }), 'register'), what)
  }
  // Names of the prototype as JSON has them: own properties, which the parameters do not have.
  const text = JSON.stringify(payload)
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const poisoned = text.replace('{"algorithm"', `{"${name}":{"cost":1},"algorithm"`)
    await refused(challenge.verify(btoa(poisoned), 'register'), name)
  }
  assert.equal(counters.size(), 0)
  await challenge.verify(tokenOf(payload), 'register')
})

test('refuses any text and any JSON with the expected error', async () => {
  const { challenge, solved, counters } = rig()
  const payload = await solved()
  await refused(challenge.verify('', 'register'))
  await refused(challenge.verify(tokenOf({ ...payload, pad: 'x'.repeat(2000) }), 'register'))
  await refused(challenge.verify('A'.repeat(10_000_000), 'register'))
  await refused(challenge.verify(btoa('['.repeat(1400)), 'register'))
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.json().map((text) => Buffer.from(text).toString('base64')),
        fc
          .record({
            challenge: fc.oneof(fc.jsonValue(), fc.constant(payload.challenge)),
            solution: fc.oneof(
              fc.jsonValue(),
              fc.record({ counter: fc.nat(), derivedKey: fc.string() }),
            ),
          })
          .map((value) => Buffer.from(JSON.stringify(value)).toString('base64')),
      ),
      async (token) => refused(challenge.verify(token, 'register')),
    ),
  )
  assert.equal(counters.size(), 0)
})

test('refuses a challenge of another key, as after lost counters', async () => {
  const before = rig()
  const after = rig()
  const payload = await before.solved()
  await refused(after.challenge.verify(tokenOf(payload), 'register'))
  // Processes that share the counters share the key.
  const sibling = createAltchaChallenge({
    counters: before.counters,
    clock: before.clock,
    work: WORK,
  })
  await sibling.verify(tokenOf(payload), 'register')
  await refused(before.challenge.verify(tokenOf(payload), 'register'))
})

test('unavailable counters are an outage, and its message contains nothing of the token', async () => {
  const { clock, counters, solved } = rig()
  const token = tokenOf(await solved())
  const lost = async () => {
    throw new CountersError('gone')
  }
  const keyless = createAltchaChallenge({
    counters: { ...counters, secret: lost },
    clock,
    work: WORK,
  })
  await assert.rejects(keyless.issue?.('register') ?? Promise.resolve(), CountersError)
  const spendless = createAltchaChallenge({
    counters: { ...counters, spend: lost },
    clock,
    work: WORK,
  })
  for (const challenge of [keyless, spendless]) {
    await assert.rejects(challenge.verify(token, 'register'), (error) => {
      assert.ok(error instanceof CountersError)
      assert.equal(error.message, 'gone')
      return true
    })
    // A malformed token needs no counters.
    await refused(challenge.verify('junk', 'register'))
  }
  const holding = createAltchaChallenge({
    counters: { ...counters, release: lost },
    clock,
    work: WORK,
  })
  const accepted = await holding.verify(token, 'register')
  await accepted.release()
})

test('typical work: one derivation to create, at most ten thousand to solve', async () => {
  assert.deepEqual(ALTCHA_WORK, { cost: 1000, maxCounter: 10_000 })
  const clock = setClock()
  const challenge = createAltchaChallenge({ counters: createMemoryCounters({ clock }), clock })
  const issued = JSON.parse((await challenge.issue?.('register')) ?? '') as AltchaChallenge
  assert.equal(issued.parameters.cost, ALTCHA_WORK.cost)
})
