import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { type CountedWindow, type Counters, CountersError, type CountOutcome } from './counters.ts'

/** Tags that separate these messages from others on the same channel. */
const REQUEST = 'svc.counters.request'
const RESPONSE = 'svc.counters.response'

/** A call of a worker as plain JSON for the channel. */
type Call =
  | { readonly method: 'count'; readonly windows: readonly CountedWindow[] }
  | {
      readonly method: 'spend'
      readonly id: string
      readonly untilMs: number
      /** The bytes in base64: the channel turns an array of bytes into an object of numbers. */
      readonly secret?: { readonly name: string; readonly base64: string }
    }
  | { readonly method: 'release'; readonly id: string }
  | { readonly method: 'secret'; readonly name: string; readonly untilMs: number }

interface CounterRequest {
  readonly tag: typeof REQUEST
  /** The worker and the number of its request. */
  readonly workerId: string
  readonly number: number
  /** When the worker stops pending, on the clock of `monotonicMs`. */
  readonly deadlineMs: number
  readonly call: Call
}

/** `value` is a CountOutcome, a boolean, null or base64, depending on the method. Without it the call failed. */
interface CounterResponse {
  readonly tag: typeof RESPONSE
  readonly workerId: string
  readonly number: number
  readonly value?: unknown
  /** The id that this request spent, so that the worker can release it when it no longer waits. */
  readonly spentId?: string
}

/** Milliseconds of a monotonic clock that all processes of one machine share. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

function isTagged(message: unknown, tag: string): boolean {
  return typeof message === 'object' && message !== null && 'tag' in message && message.tag === tag
}

async function perform(counters: Counters, call: Call): Promise<unknown> {
  switch (call.method) {
    case 'count':
      return counters.count(call.windows)
    case 'spend': {
      const { id, untilMs, secret } = call
      if (secret === undefined) return counters.spend(id, untilMs)
      const bytes = Buffer.from(secret.base64, 'base64')
      return counters.spend(id, untilMs, { name: secret.name, bytes })
    }
    case 'release':
      await counters.release(call.id)
      return null
    case 'secret':
      return Buffer.from(await counters.secret(call.name, call.untilMs)).toString('base64')
  }
}

/**
 * Serves the counters of the primary to all workers of this cluster, also to later ones. Returns a function that stops it;
 * requests of workers then time out.
 */
export function serveCounters(counters: Counters): () => void {
  async function respond(
    worker: Worker,
    { workerId, number, call }: CounterRequest,
  ): Promise<void> {
    let response: CounterResponse = { tag: RESPONSE, workerId, number }
    try {
      const value = await perform(counters, call)
      response = { ...response, value }
      if (call.method === 'spend' && value === true) response = { ...response, spentId: call.id }
    } catch {
      // A response without a value reports the failure.
    }
    // The callback prevents an error event when the worker exits.
    if (worker.isConnected()) worker.send(response, undefined, () => {})
  }

  function onMessage(worker: Worker, message: unknown): void {
    if (!isTagged(message, REQUEST)) return
    const request = message as CounterRequest
    // After the deadline the worker has reported a failure, so nothing is counted. A release is still valid.
    if (request.deadlineMs <= monotonicMs() && request.call.method !== 'release') return
    void respond(worker, request)
  }

  cluster.on('message', onMessage)
  return () => {
    cluster.off('message', onMessage)
  }
}

export interface ClusterCountersOptions {
  /** Milliseconds until a call without a response rejects. Default: 2000. */
  readonly deadlineMs?: number
}

interface PendingRequest {
  settle(response: CounterResponse): void
  fail(reason: string): void
}

/**
 * The counters of the primary (`serveCounters`) in a worker. A call rejects with CountersError when it fails in the primary,
 * when the primary cannot be reached, or after the deadline. An id that is spent after the deadline is released.
 */
export function createClusterCounters({
  deadlineMs = 2000,
}: ClusterCountersOptions = {}): Counters {
  const pending = new Map<number, PendingRequest>()
  const workerId = randomUUID()
  let lastNumber = 0

  function send(call: Call, onError: () => void): number {
    lastNumber += 1
    const message: CounterRequest = {
      tag: REQUEST,
      workerId,
      number: lastNumber,
      deadlineMs: monotonicMs() + deadlineMs,
      call,
    }
    // Deferred until the request is registered as pending.
    const failLater = () => queueMicrotask(onError)
    try {
      if (process.send === undefined || !process.connected) failLater()
      else {
        process.send(message, undefined, undefined, (error: Error | null) => {
          if (error !== null) onError()
        })
      }
    } catch {
      failLater()
    }
    return message.number
  }

  async function request(call: Call): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => {
      // A response that arrived while this event loop was busy is read between timers and immediates.
      setImmediate(() => {
        if (pending.get(number) === entry)
          entry.fail(`The primary process did not respond within ${deadlineMs} ms`)
      })
    }, deadlineMs)
    const entry: PendingRequest = {
      settle({ value }) {
        if (value === undefined) entry.fail('The counters of the primary process failed')
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
      pending.delete(number)
    }
    const number = send(call, () => entry.fail('The primary process cannot be reached'))
    pending.set(number, entry)
    return promise
  }

  process.on('message', (message: unknown) => {
    if (!isTagged(message, RESPONSE)) return
    const response = message as CounterResponse
    if (response.workerId !== workerId) return
    const entry = pending.get(response.number)
    if (entry !== undefined) entry.settle(response)
    else if (response.spentId !== undefined) {
      send({ method: 'release', id: response.spentId }, () => {})
    }
  })
  process.on('disconnect', () => {
    for (const entry of pending.values()) entry.fail('The primary process exited')
  })

  return {
    count: async (windows) => (await request({ method: 'count', windows })) as CountOutcome,
    async spend(id, untilMs, secret) {
      const call = { method: 'spend', id, untilMs } as const
      if (secret === undefined) return (await request(call)) as boolean
      const base64 = Buffer.from(secret.bytes).toString('base64')
      return (await request({ ...call, secret: { name: secret.name, base64 } })) as boolean
    },
    async release(id) {
      await request({ method: 'release', id })
    },
    async secret(name, untilMs) {
      const text = (await request({ method: 'secret', name, untilMs })) as string
      return Uint8Array.from(Buffer.from(text, 'base64'))
    },
  }
}
