import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { type CountedWindow, type Counters, CountersError, type CountOutcome } from './counters.ts'

/** Other messages pass between the processes too; these are told by their tag. */
const QUESTION = 'svc.counters.question'
const ANSWER = 'svc.counters.answer'

/** What a worker asks, by method. Plain JSON, as everything that goes over the channel. */
type Call =
  | { readonly method: 'count'; readonly windows: readonly CountedWindow[] }
  | { readonly method: 'spend'; readonly id: string; readonly untilMs: number }
  | { readonly method: 'release'; readonly id: string }
  | { readonly method: 'secret'; readonly name: string; readonly untilMs: number }

interface Question {
  readonly tag: typeof QUESTION
  /** Who asks, and which of its questions this is. */
  readonly asker: string
  readonly number: number
  /** When the worker stops waiting, on the clock of `steadyMs`. */
  readonly deadlineMs: number
  readonly call: Call
}

/** `value` is a CountOutcome, a boolean, null or base64, after the method; the call failed where there is none. */
interface Answer {
  readonly tag: typeof ANSWER
  readonly asker: string
  readonly number: number
  readonly value?: unknown
  /** The id that this question spent: one that nobody waits for any more is given back. */
  readonly spentId?: string
}

/** Milliseconds on a clock that is never set and that the processes of one machine share. */
function steadyMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

function isTagged(message: unknown, tag: string): boolean {
  return typeof message === 'object' && message !== null && 'tag' in message && message.tag === tag
}

async function perform(counters: Counters, call: Call): Promise<unknown> {
  switch (call.method) {
    case 'count':
      return counters.count(call.windows)
    case 'spend':
      return counters.spend(call.id, call.untilMs)
    case 'release':
      await counters.release(call.id)
      return null
    case 'secret':
      // The channel carries JSON, which turns an array of bytes into an object of numbers.
      return Buffer.from(await counters.secret(call.name, call.untilMs)).toString('base64')
  }
}

/**
 * Answers what the workers of this cluster, present and future, ask of the counters. Called in the primary, before or
 * after the workers are started. Returns how to stop it; a worker then hears nothing and gives up at its deadline.
 */
export function serveCounters(counters: Counters): () => void {
  async function answer(worker: Worker, { asker, number, call }: Question): Promise<void> {
    let reply: Answer = { tag: ANSWER, asker, number }
    try {
      const value = await perform(counters, call)
      reply = { ...reply, value }
      if (call.method === 'spend' && value === true) reply = { ...reply, spentId: call.id }
    } catch {
      // Without a value it tells of the failure; the reason is for this process to know.
    }
    // A worker that has ended meanwhile needs no answer; with the callback its absence is no error event.
    if (worker.isConnected()) worker.send(reply, undefined, () => {})
  }

  function onMessage(worker: Worker, message: unknown): void {
    if (!isTagged(message, QUESTION)) return
    const question = message as Question
    // Nobody waits for it any more: the caller was told that nothing was counted. What gives something back is still due.
    if (question.deadlineMs <= steadyMs() && question.call.method !== 'release') return
    void answer(worker, question)
  }

  cluster.on('message', onMessage)
  return () => {
    cluster.off('message', onMessage)
  }
}

/** How long a worker waits for the primary. */
export interface GroupCountersOptions {
  /** Milliseconds until a call without an answer rejects. */
  readonly deadlineMs?: number
}

interface Waiting {
  settle(answer: Answer): void
  fail(reason: string): void
}

/**
 * The counters of the primary (`serveCounters`), for a worker. A call rejects with CountersError when the primary could
 * not do it, cannot be reached, or has not answered within the deadline; an id that it spends too late is given back.
 */
export function createGroupCounters({ deadlineMs = 2000 }: GroupCountersOptions = {}): Counters {
  const waiting = new Map<number, Waiting>()
  const asker = randomUUID()
  let lastNumber = 0

  function send(call: Call, onError: () => void): number {
    lastNumber += 1
    const question: Question = {
      tag: QUESTION,
      asker,
      number: lastNumber,
      deadlineMs: steadyMs() + deadlineMs,
      call,
    }
    // Later, so that an error of any kind finds the question among those that wait.
    const failLater = () => queueMicrotask(onError)
    try {
      if (process.send === undefined || !process.connected) failLater()
      else {
        process.send(question, undefined, undefined, (error: Error | null) => {
          if (error !== null) onError()
        })
      }
    } catch {
      failLater()
    }
    return question.number
  }

  async function ask(call: Call): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => {
      entry.fail(`The primary process did not answer within ${deadlineMs} ms`)
    }, deadlineMs)
    const entry: Waiting = {
      settle({ value }) {
        if (value === undefined) entry.fail('The primary process could not reach its counters')
        else {
          end()
          resolve(value)
        }
      },
      fail(reason) {
        end()
        reject(new CountersError(reason))
      },
    }
    function end(): void {
      clearTimeout(timer)
      waiting.delete(number)
    }
    const number = send(call, () => entry.fail('The primary process cannot be reached'))
    waiting.set(number, entry)
    return promise
  }

  process.on('message', (message: unknown) => {
    if (!isTagged(message, ANSWER)) return
    const answer = message as Answer
    if (answer.asker !== asker) return
    const entry = waiting.get(answer.number)
    if (entry !== undefined) entry.settle(answer)
    else if (answer.spentId !== undefined) {
      send({ method: 'release', id: answer.spentId }, () => {})
    }
  })
  process.on('disconnect', () => {
    for (const entry of waiting.values()) entry.fail('The primary process has gone')
  })

  return {
    count: async (windows) => (await ask({ method: 'count', windows })) as CountOutcome,
    spend: async (id, untilMs) => (await ask({ method: 'spend', id, untilMs })) as boolean,
    async release(id) {
      await ask({ method: 'release', id })
    },
    async secret(name, untilMs) {
      const text = (await ask({ method: 'secret', name, untilMs })) as string
      return Uint8Array.from(Buffer.from(text, 'base64'))
    },
  }
}
