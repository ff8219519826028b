import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { sha256Hex } from '../../../src/crypto/sha256.ts'
import type { Challenge } from '../../../src/service/challenge/challenge.ts'
import { parseWaitlistEntry } from '../../../src/service/waitlist/waitlist-entry.ts'
import { createWaitlist, type Registration } from '../../../src/service/waitlist/waitlist.ts'
import { StorageError } from '../../../src/storage/stores/storage-error.ts'
import type {
  SealedRegistration,
  WaitlistStore,
} from '../../../src/storage/stores/waitlist-store.ts'

const NOW_MS = Date.UTC(2026, 10, 21, 9)

const REGISTRATION: Registration = {
  email: { address: 'Reader@example.org', normalized: 'reader@example.org' },
  locale: 'th',
  interests: ['api', 'research'],
  useCase: 'Mirror the history.',
  challengeToken: 'solved',
  consentText: 'ฉันยินยอม',
}

/** A waitlist over fakes that note what was asked of them. Nothing is sealed, so that a test can read it. */
function makeWaitlist({
  add = () => Promise.resolve('added'),
  verify = () => Promise.resolve(),
  admit = () => Promise.resolve(),
  release = () => Promise.resolve(),
}: {
  add?: () => Promise<'added' | 'duplicate'>
  verify?: () => Promise<void>
  admit?: (address: string) => Promise<void>
  release?: () => Promise<void>
} = {}) {
  const rows: SealedRegistration[] = []
  const steps: string[] = []
  const sealed: Uint8Array[] = []
  const clock = { ms: NOW_MS }
  const unused = () => Promise.reject(new Error('not asked for'))
  const store: WaitlistStore = {
    add: (row) => {
      steps.push('add')
      rows.push(row)
      return add()
    },
    count: unused,
    readAfter: unused,
    find: unused,
    erase: unused,
    expire: unused,
    testWrite: unused,
    reseal: unused,
  }
  const challenge: Challenge = {
    description: { provider: 'test', path: null, siteKey: null },
    issue: undefined,
    async verify(token, purpose) {
      steps.push(`verify ${token} for ${purpose}`)
      await verify()
      return {
        release: () => {
          steps.push('release')
          return release()
        },
      }
    },
  }
  const waitlist = createWaitlist({
    store,
    challenge,
    admitRegistration: admit,
    encryptor: {
      recipient: 'age1recipient',
      encrypt: (plain) => {
        steps.push('seal')
        sealed.push(plain)
        return Promise.resolve(Uint8Array.from(plain))
      },
    },
    hashAddress: (normalized) => Buffer.from(`hash of ${normalized}`),
    clock: { nowMs: () => clock.ms },
    randomBytes: (count) => new Uint8Array(count).fill(0xab),
  })
  return { waitlist, rows, steps, sealed, clock }
}

const outage = (cause: unknown) => (error: unknown) =>
  error instanceof ApiError && error.code === 'REGISTRATION_UNAVAILABLE' && error.cause === cause

test('verifies, seals and stores a registration, in this order, and returns a random ticket', async () => {
  const { waitlist, rows, steps, sealed } = makeWaitlist()
  const result = await waitlist.register(REGISTRATION)
  assert.equal(result.ticket, 'EA-ABABABABABABABAB')
  assert.equal(result.status, 'WAITING')
  assert.deepEqual(steps, ['verify solved for register', 'seal', 'add'])
  const [row] = rows
  assert.ok(row !== undefined)
  assert.equal(row.ticket, result.ticket)
  assert.equal(row.recipient, 'age1recipient')
  assert.equal(row.registeredAtMs, NOW_MS)
  assert.equal(Buffer.from(row.addressHash).toString(), 'hash of reader@example.org')
  assert.deepEqual(parseWaitlistEntry(row.sealed), {
    ticket: result.ticket,
    email: 'Reader@example.org',
    locale: 'th',
    interests: ['api', 'research'],
    useCase: 'Mirror the history.',
    registeredAt: '2026-11-21T09:00:00.000Z',
    consent: { version: sha256Hex('ฉันยินยอม').slice(0, 16), text: 'ฉันยินยอม' },
  })
  assert.ok(
    sealed[0]?.every((byte) => byte === 0),
    'the bytes that were sealed are wiped',
  )
})

test('a known address takes the same steps, and its challenge remains spent', async () => {
  const { waitlist, steps } = makeWaitlist({ add: () => Promise.resolve('duplicate') })
  await assert.rejects(waitlist.register(REGISTRATION), { code: 'DUPLICATE' })
  assert.deepEqual(steps, ['verify solved for register', 'seal', 'add'])
  assert.equal(waitlist.isOpen(), true)
})

test('a failed challenge ends the registration before sealing', async () => {
  const { waitlist, steps } = makeWaitlist({
    verify: () => Promise.reject(new ApiError('CHALLENGE_FAILED')),
  })
  await assert.rejects(waitlist.register(REGISTRATION), { code: 'CHALLENGE_FAILED' })
  assert.deepEqual(steps, ['verify solved for register'])
  assert.equal(waitlist.isOpen(), true, 'not an outage')
})

test('an unverifiable challenge is an outage', async () => {
  const cause = new Error('the provider does not answer')
  const { waitlist } = makeWaitlist({ verify: () => Promise.reject(cause) })
  await assert.rejects(waitlist.register(REGISTRATION), outage(cause))
  assert.equal(waitlist.isOpen(), false)
})

test('the response to an outage waits until the solution is released', async () => {
  const given = Promise.withResolvers<void>()
  const { waitlist, steps } = makeWaitlist({
    add: () => Promise.reject(new StorageError('IO', 'service.sqlite')),
    release: () => given.promise,
  })
  let isAnswered = false
  const response = assert.rejects(waitlist.register(REGISTRATION)).then(() => {
    isAnswered = true
  })
  await new Promise(setImmediate)
  assert.equal(steps.at(-1), 'release')
  assert.equal(isAnswered, false)
  given.resolve()
  await response
})

test('failing counters are an outage; a reached limit is not', async () => {
  const cause = new Error('no counters')
  const broken = makeWaitlist({ admit: () => Promise.reject(cause) })
  await assert.rejects(broken.waitlist.admit('192.0.2.1'), outage(cause))
  assert.equal(broken.waitlist.isOpen(), false)
  const limited = makeWaitlist({ admit: () => Promise.reject(new ApiError('RATE_LIMITED')) })
  await assert.rejects(limited.waitlist.admit('192.0.2.1'), { code: 'RATE_LIMITED' })
  assert.equal(limited.waitlist.isOpen(), true)
})

test('after an outage the waitlist opens with the next success or after a time', async () => {
  let isDown = true
  const { waitlist, clock } = makeWaitlist({
    add: () => (isDown ? Promise.reject(new StorageError('IO', 'x')) : Promise.resolve('added')),
  })
  assert.equal(waitlist.isOpen(), true)
  await assert.rejects(waitlist.register(REGISTRATION))
  assert.equal(waitlist.isOpen(), false)
  clock.ms += 14_999
  assert.equal(waitlist.isOpen(), false)
  clock.ms += 1
  assert.equal(waitlist.isOpen(), true)
  await assert.rejects(waitlist.register(REGISTRATION))
  assert.equal(waitlist.isOpen(), false)
  clock.ms -= 3_600_000
  assert.equal(waitlist.isOpen(), true, 'a clock that was set back keeps nothing closed')
  clock.ms += 3_600_000
  isDown = false
  await waitlist.register(REGISTRATION)
  assert.equal(waitlist.isOpen(), true)
})
