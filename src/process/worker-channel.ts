import type { Worker } from 'node:cluster'
import { messageOf } from '@public-api/contract/errors/error-message'
import type { SecretTexts } from '../config.ts'
import type { ChainHead, ReleaseUpdate } from '../service/releases/read-releases.ts'
import { type Counters, CountersError } from '../storage/counters/counters.ts'
import type { MetricFigures } from './metrics.ts'
import type { NotReadyReason } from './store-health.ts'

/** Separates these messages from others on the same channel. */
const TAG = 'svc.call'

/** A call, or its result. The channel must clone byte arrays (`serialization: 'advanced'`). */
interface CallMessage {
  readonly tag: typeof TAG
  readonly number: number
  /** Missing in a result. */
  readonly method?: string
  readonly args?: readonly unknown[]
  readonly isFailed?: boolean
  readonly value?: unknown
}

function isCallMessage(message: unknown): message is CallMessage {
  return typeof message === 'object' && message !== null && 'tag' in message && message.tag === TAG
}

/** Calls a method of the other end. Rejects if it fails, ends, or takes longer than `timeoutMs`. */
export type Call = (
  method: string,
  args: readonly unknown[],
  timeoutMs?: number,
) => Promise<unknown>

/** Serves the calls of the other end of a worker's channel, in the primary or in the worker. Returns what calls that end. */
export function openCalls(
  worker: Worker,
  handlers: { readonly [method: string]: (...args: never[]) => unknown },
): Call {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let lastNumber = 0

  function send(message: Omit<CallMessage, 'tag'>): void {
    // The callback prevents an error event when the other end exits.
    if (worker.isConnected()) worker.send({ tag: TAG, ...message }, undefined, undefined, () => {})
  }

  worker.on('message', (message: unknown) => {
    if (!isCallMessage(message)) return
    const { number, method, args = [], isFailed, value } = message
    if (method === undefined) {
      const call = pending.get(number)
      if (isFailed === true) call?.reject(new Error('failed'))
      else call?.resolve(value)
      return
    }
    const handler = handlers[method] as (...values: readonly unknown[]) => unknown
    // A call that throws fails like one that rejects.
    Promise.try(handler, ...args).then(
      (result) => send({ number, value: result }),
      () => send({ number, isFailed: true }),
    )
  })
  worker.on('disconnect', () => {
    for (const call of pending.values()) call.reject(new Error('exited'))
  })

  return async (method, args, timeoutMs) => {
    lastNumber += 1
    const number = lastNumber
    const call = Promise.withResolvers<unknown>()
    function expire(): void {
      const error = new Error(`did not respond within ${timeoutMs} ms`)
      // An immediate runs after pending responses are read, so that one that arrived while the event loop was busy counts.
      setImmediate(call.reject, error)
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs)
    pending.set(number, call)
    try {
      if (!worker.isConnected()) throw new Error('exited')
      send({ number, method, args })
      return await call.promise
    } finally {
      clearTimeout(timer)
      pending.delete(number)
    }
  }
}

const COUNTER_METHODS = [
  'count',
  'spend',
  'release',
  'secret',
] as const satisfies (keyof Counters)[]

/** The counters of the primary in a worker. A primary that is gone, or slower than `timeoutMs`, is a CountersError. */
export function createClusterCounters(call: Call, timeoutMs = 2000): Counters {
  const methods = COUNTER_METHODS.map((method) => [
    method,
    async (...args: readonly unknown[]) => {
      try {
        return await call(method, args, timeoutMs)
      } catch (error) {
        throw new CountersError(`The primary process ${messageOf(error)}`)
      }
    },
  ])
  return Object.fromEntries(methods)
}

/** What a worker starts with. Not in its environment, because other programs can read that of a process. */
export interface Boot {
  readonly secrets: SecretTexts
  /** The newest version that the other workers serve. */
  readonly head: ChainHead
}

export interface ProcessStatus {
  readonly reasons: readonly NotReadyReason[]
  readonly metrics: MetricFigures
}

/** What the primary calls in a worker. */
export interface WorkerMethods {
  release(update: ReleaseUpdate): void
  signing(secrets: SecretTexts): Promise<void>
  status(): Promise<ProcessStatus>
}

/** Opens the channel of a worker. Calls of the primary wait for `serve`, and are performed one after the other. */
export async function openPrimaryChannel(worker: Worker) {
  const { promise: serving, resolve: serve } = Promise.withResolvers<WorkerMethods>()
  let last: Promise<unknown> = serving
  const call = openCalls(worker, {
    perform(method: keyof WorkerMethods, argument: never) {
      // A call that fails must not keep the later ones from the worker.
      last = last.catch(() => {}).then(async () => (await serving)[method](argument))
      return last
    },
  })
  return { call, serve, boot: (await call('boot', [])) as Boot }
}

export type PrimaryChannel = Awaited<ReturnType<typeof openPrimaryChannel>>
