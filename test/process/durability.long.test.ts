import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { Agent } from 'node:http'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDeployment, type Deployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import {
  assertSound,
  copyAfterCrash,
  databaseFileOf,
  openRows,
  readRows,
  REGISTERING_ENV,
  sayRegistration,
  startRegistering,
  type KeptRegistration,
  type RegistrationSaid,
  type Said,
} from '../support/registering-service.ts'
import { createSeededRandom, seedOf, type RandomBelow } from '../support/seeded-random.ts'
import { startService, type ServiceProcess, isAlive } from '../support/service-process.ts'

// A process that is killed at any moment, again and again. What was answered with a ticket must be on the list from then
// on, exactly as it was sent and once. What was not answered may be on it or not: the row may have been durable before
// the response was on its way, and sending it again returns DUPLICATE. It is never stored in part.

/** Another run with the same kills: SVC_TEST_DURABILITY_SEED=<seed> node --test test/process/durability.long.test.ts */
const SEED_VARIABLE = 'SVC_TEST_DURABILITY_SEED'
const KILLS = 50
const KILLS_AT_START = 6
const KILLS_WITH_WORKERS = 9
const CONNECTIONS = 8
/** Of the 300 that one life of the process admits within a minute; the rest is for asking again. */
const MOST_PER_LIFE = 120
/** Takes two minutes alone, and several times that beside other programs. */
const TIMEOUT_MS = 900_000

/** Everything that was sent, by result. */
interface Ledger {
  readonly random: RandomBelow
  /**
   * Whether 503 is a response too. Several workers wait for one another's locks and for their primary, and on a busy
   * machine one of them may wait too long: then nothing is stored, and a retry succeeds.
   */
  readonly mayRefuse: boolean
  /** Ticket by address. */
  readonly answered: Map<string, string>
  /** Addresses that were sent and not answered, up to when they are sent again. */
  readonly open: Map<string, RegistrationSaid>
  readonly sent: Map<string, RegistrationSaid>
  /** Addresses reported as listed, though no ticket was received for them. */
  readonly foundThere: Set<string>
  /** Addresses that were answered 503 and not sent again: nothing was stored. */
  readonly refused: Set<string>
  /** Rows that were opened, by ticket: each has to stay as it is from then on. */
  readonly opened: Map<string, KeptRegistration>
}

function createLedger(random: RandomBelow, mayRefuse = false): Ledger {
  return {
    random,
    mayRefuse,
    answered: new Map(),
    open: new Map(),
    sent: new Map(),
    foundThere: new Set(),
    refused: new Set(),
    opened: new Map(),
  }
}

const LOCALES = ['en', 'th', 'zh-CN'] as const
const INTERESTS = ['architecture', 'agents', 'api', 'research', 'education'] as const

function makeBody({ random, sent }: Ledger): RegistrationSaid {
  return {
    email: `reader-${sent.size}@example.org`,
    locale: LOCALES[random(LOCALES.length)] ?? 'en',
    interests: INTERESTS.slice(random(INTERESTS.length)),
    // Rows of one page up to rows of several.
    ...(random(3) === 0 ? {} : { useCase: 'ตัวอย่าง '.repeat(random(55)) }),
  }
}

/** Registers over several connections until it is stopped. */
function startTraffic(
  ledger: Ledger,
  port: number,
  { most = MOST_PER_LIFE, isOver = (): boolean => false, onSent = () => {} } = {},
): Promise<void> {
  let started = 0
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  async function client(): Promise<void> {
    while (started < most && !isOver()) {
      started += 1
      const body = makeBody(ledger)
      ledger.sent.set(body.email, body)
      ledger.open.set(body.email, body)
      try {
        const { status, code, ticket, text } = await sayRegistration(port, body, { agent, onSent })
        if (ledger.mayRefuse && code === 'REGISTRATION_UNAVAILABLE') {
          ledger.refused.add(body.email)
          continue
        }
        ledger.open.delete(body.email)
        assert.equal(`${status} ${code}`, '200 undefined', text)
        assert.match(ticket ?? '', /^EA-[0-9A-F]{16}$/)
        ledger.answered.set(body.email, ticket ?? '')
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        // No whole response came. The next one may: with several workers others go on.
        if (isOver()) return
        await sleep(5)
      }
    }
  }
  return Promise.all(Array.from({ length: CONNECTIONS }, client)).then(() => agent.destroy())
}

/**
 * Asserts that the list holds what it must of everything that was ever sent. Gives how many of those without a response are
 * not on it. The database must be closed.
 */
async function checkList(t: TestContext, ledger: Ledger, deployment: Deployment): Promise<number> {
  const { opened, sent, answered, foundThere, refused, open } = ledger
  const copy = copyAfterCrash(t, databaseFileOf(deployment))
  assertSound(copy)
  const rows = await readRows(copy)
  const known = rows.flatMap((row) => {
    const before = opened.get(row.ticket)
    if (before !== undefined) assert.deepEqual(row, before.row)
    return before ?? []
  })
  const added = await openRows(
    deployment,
    rows.filter(({ ticket }) => !opened.has(ticket)),
  )
  const tickets = new Map<string, string>()
  for (const kept of [...known, ...added]) {
    const { email, ticket, locale, interests, useCase } = kept.entry
    assert.ok(!tickets.has(email), `${email} is on the list twice`)
    tickets.set(email, ticket)
    opened.set(ticket, kept)
    const body = sent.get(email)
    assert.ok(body, `${email} is on the list and was never sent`)
    const sentUse = body.useCase === '' ? null : (body.useCase ?? null)
    const asSent = { locale: body.locale, interests: body.interests, useCase: sentUse }
    assert.deepEqual({ locale, interests, useCase }, asSent)
  }
  for (const [email, ticket] of answered) {
    assert.equal(tickets.get(email), ticket, `${email} was answered and is not there`)
  }
  for (const email of foundThere) {
    assert.ok(tickets.has(email), `${email} was said to be there and is not`)
  }
  for (const email of refused) assert.ok(!tickets.has(email), `${email} was refused and is there`)
  return [...open.keys()].filter((email) => !tickets.has(email)).length
}

/** Sends a registration until it is answered otherwise than with 503, where that may be. */
async function registerPatiently(
  { mayRefuse }: Ledger,
  port: number,
  body: RegistrationSaid,
): Promise<Said> {
  for (let left = mayRefuse ? 5 : 0; ; left -= 1) {
    const said = await sayRegistration(port, body)
    if (said.code !== 'REGISTRATION_UNAVAILABLE' || left === 0) return said
    await sleep(200)
  }
}

/** Asks the service that was started again: of what was answered some, and all of what was not. */
async function askAgain(ledger: Ledger, port: number): Promise<void> {
  const known = [...ledger.answered.keys(), ...ledger.foundThere]
  const some = Array.from({ length: Math.min(5, known.length) }, () =>
    String(known[ledger.random(known.length)]),
  )
  for (const email of new Set([...some, ...known.slice(-3)])) {
    // Another spelling of the same address.
    const { code } = await registerPatiently(ledger, port, { email: ` ${email.toUpperCase()} ` })
    assert.equal(code, 'DUPLICATE', `${email} was on the list and is not`)
  }
  await Promise.all(
    [...ledger.open].map(async ([email, body]) => {
      const { status, code, ticket, text } = await registerPatiently(ledger, port, body)
      assert.equal(status, 200, text)
      ledger.open.delete(email)
      const wasRefused = ledger.refused.delete(email)
      if (ticket === undefined) {
        assert.equal(code, 'DUPLICATE')
        assert.ok(!wasRefused, `${email} was refused, and kept all the same`)
        ledger.foundThere.add(email)
      } else {
        ledger.answered.set(email, ticket)
      }
    }),
  )
}

/** Names the seed in whatever fails. */
async function withSeed(
  t: TestContext,
  run: (random: RandomBelow) => Promise<void>,
): Promise<void> {
  const seed = seedOf(SEED_VARIABLE)
  try {
    await run(createSeededRandom(seed))
  } catch (error) {
    throw new Error(`With ${SEED_VARIABLE}=${seed}: ${String(error)}`, { cause: error })
  }
  t.diagnostic(`${SEED_VARIABLE}=${seed}`)
}

test(
  `${KILLS} kills during registrations lose no confirmed registration and store none twice`,
  { timeout: TIMEOUT_MS },
  (t) =>
    withSeed(t, async (random) => {
      const deployment = makeDeployment(t)
      const ledger = createLedger(random)
      let hits = 0
      let unanswered = 0
      let absent = 0
      for (let kill = 0; kill < KILLS; kill += 1) {
        const { service, port } = await startRegistering(t, {}, { deployment })
        await askAgain(ledger, port)
        const killAfter = 1 + random(MOST_PER_LIFE - CONNECTIONS)
        const delayMs = random(8)
        let sent = 0
        let isKilled = false
        const killed = Promise.withResolvers<void>()
        const traffic = startTraffic(ledger, port, {
          isOver: () => isKilled,
          onSent() {
            sent += 1
            if (sent !== killAfter) return
            setTimeout(() => {
              isKilled = true
              service.signal('SIGKILL')
              killed.resolve()
            }, delayMs)
          },
        })
        await killed.promise
        assert.deepEqual(await service.ended, { code: null, signal: 'SIGKILL' })
        await traffic
        if (ledger.open.size > 0) hits += 1
        unanswered += ledger.open.size
        absent += await checkList(t, ledger, deployment)
      }
      t.diagnostic(
        `${KILLS} kills, ${hits} of them with requests in flight; ${ledger.answered.size} answered, ${unanswered} left without a response, ${absent} of those not on the list`,
      )
      // Without these the kills would prove nothing: they have to come between a request and its response, and some of them
      // before the row was there, which is where a response that comes too early is caught.
      assert.ok(hits >= KILLS * 0.6, `only ${hits} of ${KILLS} kills met a request in flight`)
      assert.ok(absent >= KILLS * 0.2, `only ${absent} requests were met before they were kept`)
      assert.ok(ledger.answered.size >= KILLS, `only ${ledger.answered.size} were answered`)
    }),
)

test(
  'kills during starts, also the first one, leave a working database',
  { timeout: TIMEOUT_MS },
  (t) =>
    withSeed(t, async (random) => {
      const deployment = makeDeployment(t)
      // The secrets are there, so that what a kill meets is the database.
      const first = await startRegistering(t, { SVC_DATA_DIR: 'elsewhere' }, { deployment })
      assert.equal((await first.service.stop()).code, 0)
      const ledger = createLedger(random)
      for (let kill = 0; kill < KILLS_AT_START; kill += 1) {
        const service = startService(t, deployment.folder, REGISTERING_ENV)
        // As soon as there is a file or a little later: the tables are made, or an old log is taken up.
        if (!existsSync(databaseFileOf(deployment))) {
          await eventually('the database is made', () =>
            existsSync(databaseFileOf(deployment)) ? true : undefined,
          )
        } else await sleep(100 + random(250))
        await sleep(random(5))
        service.signal('SIGKILL')
        await service.ended
        const next = await startRegistering(t, {}, { deployment })
        await askAgain(ledger, next.port)
        await startTraffic(ledger, next.port, { most: 10 })
        next.service.signal('SIGKILL')
        await next.service.ended
        await checkList(t, ledger, deployment)
      }
      assert.equal(ledger.answered.size, KILLS_AT_START * 10)
    }),
)

/** Process ids of the workers that live, once there are as many. */
function livingWorkers(service: ServiceProcess, count: number): Promise<readonly number[]> {
  return eventually(`${count} workers take requests`, () => {
    const pids = service
      .lines()
      .filter(({ msg }) => msg === 'Worker ready')
      .map((line) => Number(line['pid']))
      .filter(isAlive)
    return pids.length === count ? pids : undefined
  })
}

const TARGETS = ['a worker', 'the primary', 'all of them'] as const

test(
  'with two workers, killing one, the primary or all loses no confirmed registration',
  { timeout: TIMEOUT_MS },
  (t) =>
    withSeed(t, async (random) => {
      const deployment = makeDeployment(t)
      const ledger = createLedger(random, true)
      let unanswered = 0
      let refused = 0
      for (let kill = 0; kill < KILLS_WITH_WORKERS; kill += 1) {
        const target = TARGETS[kill % TARGETS.length] ?? 'a worker'
        const { service, port } = await startRegistering(t, { SVC_WORKERS: '2' }, { deployment })
        const workers = await livingWorkers(service, 2)
        await askAgain(ledger, port)
        const victims: readonly number[] =
          target === 'a worker'
            ? workers.slice(random(2)).slice(0, 1)
            : target === 'the primary'
              ? [service.pid]
              : [service.pid, ...workers]
        const killAfter = 1 + random(100)
        let sent = 0
        let isOver = false
        const traffic = startTraffic(ledger, port, {
          most: killAfter + 50,
          isOver: () => isOver,
          onSent() {
            sent += 1
            if (sent !== killAfter) return
            isOver = target !== 'a worker'
            for (const pid of victims) process.kill(pid, 'SIGKILL')
          },
        })
        await traffic
        unanswered += ledger.open.size - ledger.refused.size
        refused += ledger.refused.size
        if (target === 'a worker') {
          // The other one went on, and the counters with it. What is handed to the dead one until its death is noticed is
          // lost.
          await service.line('Worker exited unexpectedly')
          await askAgain(ledger, port)
          assert.equal(ledger.open.size, 0)
          await livingWorkers(service, 2)
          assert.deepEqual(await service.stop(), { code: 0, signal: null }, service.stdout())
        } else {
          await service.ended
        }
        await eventually('no worker is left', () => (workers.some(isAlive) ? undefined : true))
        await checkList(t, ledger, deployment)
        for (const { msg, err } of service.lines()) {
          if (msg === 'Refused')
            t.diagnostic(`Answered 503: ${(err as Error | undefined)?.message ?? ''}`)
        }
      }
      t.diagnostic(
        `${ledger.answered.size} answered, ${unanswered} left without a response, ${refused} refused`,
      )
      assert.ok(unanswered > 0, 'no kill met a request in flight')
      assert.ok(ledger.answered.size >= KILLS_WITH_WORKERS)
    }),
)
