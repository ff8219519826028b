import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { LIMITS } from '@public-api/contract/terms/limits'
import { livingPids } from '../support/keyed-service.ts'
import {
  assertSound,
  readKept,
  solvedToken,
  startRegistering,
  type RegisteringService,
  type Said,
} from '../support/registering-service.ts'

// Three workers behind one port count, spend and decide as one. Each request uses a new connection, and the
// primary hands connections out in turn.

const WORKERS = 3
const PER_ACTOR = LIMITS.registrationPerActor.requests
const IN_ALL = LIMITS.registrationGlobal.requests

async function startThree(
  t: TestContext,
  env: { readonly [name: string]: string } = {},
): Promise<RegisteringService & { readonly pids: readonly number[] }> {
  const running = await startRegistering(t, { SVC_WORKERS: String(WORKERS), ...env })
  return { ...running, pids: await livingPids(running, WORKERS) }
}

/** Kills one worker after the other, and waits for those that take their places. */
async function replaceAll(running: RegisteringService, pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await livingPids(running, WORKERS + pids.length)
}

function countOf(responses: readonly Said[], what: string): number {
  return responses.filter(({ status, code }) => `${status} ${code ?? 'ok'}` === what).length
}

function assertLimited({ status, code, retryAfter, error, text }: Said): void {
  assert.deepEqual([status, code], [429, 'RATE_LIMITED'], text)
  assert.match(retryAfter ?? '', /^[1-9]\d?$/)
  assert.ok(Number(retryAfter) <= 60, text)
  assert.equal(error['retryAfterSeconds'], Number(retryAfter))
}

test('admits five requests of one actor over all workers, also after replacing all', async (t) => {
  const running = await startThree(t)
  const { register, pids } = running
  let emails = 0
  const ask = (address: string): Promise<Said> => {
    emails += 1
    // Every other one is refused for what it says, and counts as well.
    const email = emails % 2 === 0 ? `reader-${emails}@example.org` : 'invalid'
    return register({ email }, { address })
  }
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask('198.51.100.7')))
  assert.equal(countOf(responses, '429 RATE_LIMITED'), 20 - PER_ACTOR)
  for (const response of responses) if (response.status === 429) assertLimited(response)
  // The same actor under another name, and others of one network.
  assertLimited(await ask('::ffff:198.51.100.7'))
  const hosts = Array.from({ length: 9 }, (_each, index) => `2001:db8:7:7::${index + 1}`)
  const network = await Promise.all(hosts.map((host) => ask(host)))
  assert.equal(countOf(network, '429 RATE_LIMITED'), hosts.length - PER_ACTOR)
  assert.notEqual((await ask('2001:db8:7:8::1')).status, 429, 'the network beside it')

  await replaceAll(running, pids)
  for (let each = 0; each < WORKERS + 1; each += 1) assertLimited(await ask('198.51.100.7'))
  assertLimited(await ask('2001:db8:7:7::77'))
  assert.notEqual((await ask('198.51.100.8')).status, 429)
  assert.deepEqual(await running.service.stop(), { code: 0, signal: null })
})

test('admits 300 requests of all actors over all workers, also after replacing all', async (t) => {
  const running = await startThree(t)
  const { register, pids } = running
  let emails = 0
  const some = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => {
        emails += 1
        return register({ email: emails % 3 === 0 ? 'invalid' : `reader-${emails}@example.org` })
      }),
    )
  const startedMs = performance.now()
  const admitted = await some(IN_ALL - 20)
  assert.equal(countOf(admitted, '429 RATE_LIMITED'), 0)
  const [first = 0, ...others] = pids
  await replaceAll(running, [first])
  const last = await some(50)
  assert.equal(countOf(last, '429 RATE_LIMITED'), 30, 'twenty were left')
  for (const response of last) if (response.status === 429) assertLimited(response)
  for (const pid of others) process.kill(pid, 'SIGKILL')
  await livingPids(running, WORKERS + pids.length)
  for (const response of await some(6)) assertLimited(response)
  assert.ok(performance.now() - startedMs < 60_000, 'this took longer than the window')
  const tickets = [...admitted, ...last].flatMap(({ ticket }) => ticket ?? [])
  assert.equal((await readKept(running)).length, tickets.length)
  assert.equal(new Set(tickets).size, tickets.length)
})

test('a solution works once over all workers, also after a crash', async (t) => {
  const running = await startThree(t, { SVC_CHALLENGE: 'altcha' })
  const { register, port, pids } = running
  const challengeToken = await solvedToken(port)
  const unused = await solvedToken(port)
  const use = (token: string, count: number, name: string) =>
    Promise.all(
      Array.from({ length: count }, (_each, index) =>
        register({ email: `${name}-${index}@example.org`, challengeToken: token }),
      ),
    )
  const responses = await use(challengeToken, 12, 'first')
  assert.equal(countOf(responses, '200 ok'), 1)
  assert.equal(
    countOf(responses, '403 CHALLENGE_FAILED') + countOf(responses, '400 CHALLENGE_FAILED'),
    11,
  )

  await replaceAll(running, pids)
  for (const { code } of await use(challengeToken, WORKERS, 'second')) {
    assert.equal(code, 'CHALLENGE_FAILED')
  }
  assert.equal(countOf(await use(unused, 6, 'third'), '200 ok'), 1, 'the key is the primary’s')
  assert.equal((await readKept(running)).length, 2)
})

test('one address sent to all workers concurrently is registered once', async (t) => {
  const running = await startThree(t)
  const spellings = [
    'reader@bücher.example',
    'READER@xn--bcher-kva.example',
    ' Reader@BÜCHER.example ',
  ]
  for (const round of [1, 2, 3]) {
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_each, index) =>
        running.register({ email: `${round}${spellings[index % 3]?.trim()}` }),
      ),
    )
    assert.equal(countOf(responses, '200 ok'), 1)
    assert.equal(countOf(responses, '200 DUPLICATE'), 23)
    assert.equal((await readKept(running)).length, round)
  }
})

test('a killed worker leaves an address registered once, with its ticket', async (t) => {
  const running = await startThree(t)
  let pids = running.pids
  for (const round of [1, 2, 3]) {
    const email = `reader-${round}@example.org`
    let sent = 0
    const asked = Array.from({ length: 30 }, () =>
      running
        .register(
          { email },
          {
            // A connection that was just handed to the worker that is killed is lost silently.
            timeoutMs: 3000,
            onSent() {
              sent += 1
              if (sent === 10) process.kill(pids.at(-1) ?? 0, 'SIGKILL')
            },
          },
        )
        .catch(() => undefined),
    )
    const responses = (await Promise.all(asked)).filter((response) => response !== undefined)
    assert.ok(responses.length > 0)
    const tickets = responses.flatMap(({ ticket }) => ticket ?? [])
    assert.equal(countOf(responses, '200 DUPLICATE') + tickets.length, responses.length)
    // The one that got the ticket may be the one that was not answered any more.
    assert.ok(tickets.length <= 1)
    const kept = (await readKept(running)).filter(({ entry }) => entry.email === email)
    assert.equal(kept.length, 1)
    if (tickets.length === 1) assert.equal(kept[0]?.entry.ticket, tickets[0])
    pids = await livingPids(running, WORKERS + round)
  }
  assert.deepEqual(await running.service.stop(), { code: 0, signal: null })
  assertSound(running.databaseFile)
})

test('700 concurrent registrations all get a response, and none a 503', async (t) => {
  const running = await startThree(t)
  const responses = await Promise.all(
    Array.from({ length: 700 }, (_each, index) =>
      running.register({ email: `reader-${index}@example.org` }, { timeoutMs: 60_000 }),
    ),
  )
  assert.equal(countOf(responses, '200 ok'), IN_ALL)
  assert.equal(countOf(responses, '429 RATE_LIMITED'), 700 - IN_ALL)
  assert.equal((await readKept(running)).length, IN_ALL)
})
