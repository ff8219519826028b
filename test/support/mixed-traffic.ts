import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { REGISTER } from './registering-app.ts'
import { say, type Said } from './registering-service.ts'

/** What traffic saw since it was last asked. */
export interface Tally {
  reads: number
  failedReads: number
  keyedReads: number
  keyedUnavailable: number
  registrations: number
  unavailable: number
  limited: number
  lost: number
}

function newTally(): Tally {
  return {
    reads: 0,
    failedReads: 0,
    keyedReads: 0,
    keyedUnavailable: 0,
    registrations: 0,
    unavailable: 0,
    limited: 0,
    lost: 0,
  }
}

/** A registration that got a ticket. */
interface Exchange {
  readonly email: string
  readonly ticket: string
}

/** Sends reads, keyed reads and registrations until it is stopped. Each registration has a different address and actor. */
export function startMixedTraffic(port: number, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 10 })
  const answered: Exchange[] = []
  const refused: string[] = []
  let tally = newTally()
  const stopped = new AbortController()
  let count = 0

  const client = async (pauseMs: number, send: () => Promise<void>) => {
    while (!stopped.signal.aborted) {
      await send()
      await sleep(pauseMs)
    }
  }
  const ask = (sent: Parameters<typeof say>[1]): Promise<Said | undefined> =>
    say(port, { agent, timeoutMs: 20_000, ...sent }).catch(() => undefined)

  const clients = [
    client(20, async () => {
      const said = await ask({ target: '/api/v1/status' })
      tally.reads += 1
      tally.failedReads += Number(said?.status !== 200)
    }),
    client(100, async () => {
      const said = await ask({ target: '/api/v1/status', headers: { 'X-SVC-Key': key } })
      assert.notEqual(said?.status, 401, 'the key is valid')
      tally.keyedReads += 1
      // 504 and no response at all are the balancer's words for a node that is gone or frozen.
      tally.keyedUnavailable += Number(said?.status !== 200)
    }),
    // 180 a minute, below the limit of 300, from as many actors.
    client(333, async () => {
      count += 1
      const email = `reader-${count}@example.org`
      const body = JSON.stringify({ email, consent: true, challengeToken: 'test-pass' })
      const headers = {
        'Content-Type': 'application/json',
        'X-Forwarded-For': `10.${Math.floor(count / 65_536)}.${Math.floor(count / 256) % 256}.${count % 256}`,
      }
      const said = await ask({ method: 'POST', target: REGISTER, headers, body })
      tally.registrations += 1
      if (said?.status === 200 && said.ticket !== undefined) {
        answered.push({ email, ticket: said.ticket })
      } else if (said?.status === 429) tally.limited += 1
      else if (said?.code === 'DUPLICATE') assert.fail(`${email} is new and got DUPLICATE`)
      else {
        tally.unavailable += 1
        if (said?.code === 'REGISTRATION_UNAVAILABLE') refused.push(email)
      }
    }),
  ]
  return {
    answered,
    /** Addresses whose response stated that nothing was stored. */
    refused,
    /** What was seen since the last call. */
    takeTally(): Tally {
      const taken = tally
      tally = newTally()
      return taken
    },
    async stop() {
      stopped.abort()
      await Promise.all(clients)
      agent.destroy()
    },
  }
}
