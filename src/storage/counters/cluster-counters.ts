import cluster, { type Worker } from 'node:cluster'
import { type Counters, CountersError } from './counters.ts'

/** Separates these messages from others on the same channel. */
const TAG = 'svc.counters'

const METHODS = ['count', 'spend', 'release', 'secret'] as const satisfies (keyof Counters)[]

/** A call of a worker. The channel must clone byte arrays (`serialization: 'advanced'`). */
interface CounterRequest {
  readonly tag: typeof TAG
  readonly number: number
  /** When the worker stops waiting, on the clock of `monotonicMs`. */
  readonly deadlineMs: number
  readonly method: (typeof METHODS)[number]
  readonly args: readonly unknown[]
}

interface CounterResponse {
  readonly tag: typeof TAG
  readonly number: number
  readonly isSuccess: boolean
  readonly value?: unknown
}

/** Milliseconds of a monotonic clock that all processes of one machine share. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

function isTagged(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'tag' in message && message.tag === TAG
}

/** Serves the counters of the primary to all workers. Returns a function that stops it; requests then time out. */
export function serveCounters(counters: Counters): () => void {
  function onMessage(worker: Worker, message: unknown): void {
    if (!isTagged(message)) return
    const { number, deadlineMs, method, args } = message as CounterRequest
    // Counts nothing after the deadline, because the worker has reported a failure. Still releases ids.
    if (deadlineMs <= monotonicMs() && method !== 'release') return
    const respond = (outcome: Pick<CounterResponse, 'isSuccess' | 'value'>): void => {
      // The callback prevents an error event when the worker exits.
      if (worker.isConnected()) worker.send({ tag: TAG, number, ...outcome }, undefined, () => {})
    }
    const call = counters[method] as (...values: readonly unknown[]) => Promise<unknown>
    // A call that throws fails like one that rejects.
    Promise.try(call, ...args).then(
      (value) => respond({ isSuccess: true, value }),
      () => respond({ isSuccess: false }),
    )
  }

  cluster.on('message', onMessage)
  return () => {
    cluster.off('message', onMessage)
  }
}

/** The counters of the primary in a worker. A primary that is gone, or slower than `deadlineMs`, is a CountersError. */
export function createClusterCounters({
  deadlineMs = 2000,
}: { readonly deadlineMs?: number } = {}): Counters {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let lastNumber = 0

  async function request(method: CounterRequest['method'], args: unknown[]): Promise<unknown> {
    lastNumber += 1
    const number = lastNumber
    const call = Promise.withResolvers<unknown>()
    const fail = (reason: string): void => call.reject(new CountersError(reason))
    pending.set(number, call)
    const timer = setTimeout(() => {
      // An immediate runs after pending responses are read, so that one that arrived while the event loop was busy
      // counts.
      setImmediate(fail, `The primary process did not respond within ${deadlineMs} ms`)
    }, deadlineMs)
    try {
      const untilMs = monotonicMs() + deadlineMs
      const message: CounterRequest = { tag: TAG, number, deadlineMs: untilMs, method, args }
      if (!process.connected) fail('The primary process exited')
      process.send?.(message, undefined, undefined, (error: Error | null) => {
        if (error !== null) fail('The primary process cannot be reached')
      })
      return await call.promise
    } finally {
      clearTimeout(timer)
      pending.delete(number)
    }
  }

  process.on('message', (message: unknown) => {
    if (!isTagged(message)) return
    const { number, isSuccess, value } = message as CounterResponse
    const call = pending.get(number)
    if (isSuccess) call?.resolve(value)
    else call?.reject(new CountersError('The counters of the primary process failed'))
  })
  process.on('disconnect', () => {
    for (const call of pending.values())
      call.reject(new CountersError('The primary process exited'))
  })

  const methods = METHODS.map((method) => [method, (...args: unknown[]) => request(method, args)])
  return Object.fromEntries(methods)
}
