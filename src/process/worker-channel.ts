import type { Worker } from 'node:cluster'
import { on } from 'node:events'
import type { SecretTexts } from '../config.ts'
import type { ChainHead, ReleaseUpdate } from '../service/releases/read-releases.ts'
import type { MetricFigures } from './metrics.ts'
import type { NotReadyReason } from './store-health.ts'

export interface ProcessStatus {
  readonly reasons: readonly NotReadyReason[]
  readonly metrics: MetricFigures
}

/** The first message to a worker. Not in its environment, because other programs can read that of a process. */
interface BootMessage {
  readonly tag: 'svc.boot'
  readonly secrets: SecretTexts
  /** The newest version that the other workers serve. */
  readonly head: ChainHead
}

/** Messages of the primary. The channel also carries other messages; these have a tag. */
export type PrimaryMessage =
  | BootMessage
  | { readonly tag: 'svc.release'; readonly update: ReleaseUpdate }
  | { readonly tag: 'svc.signing'; readonly secrets: SecretTexts }
  | { readonly tag: 'svc.status' }

function tagOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'tag' in message
    ? message.tag
    : undefined
}

/** Sends a message to a worker, unless it has ended. */
export function sendToWorker(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message, undefined, () => {})
}

/**
 * Waits for the first message of the primary. `messages` yields the later ones, from the beginning. Called before anything
 * else listens to the channel: Node delivers early messages once.
 */
export async function openWorkerChannel() {
  async function* receive(): AsyncGenerator<PrimaryMessage, undefined> {
    // Messages of other senders have another tag or none.
    for await (const [message] of on(process, 'message')) {
      if (String(tagOf(message)).startsWith('svc.')) yield message as PrimaryMessage
    }
  }
  const messages = receive()
  const { value: boot } = await messages.next()
  if (boot?.tag !== 'svc.boot') throw new Error('Expected the start message of the primary')
  return { boot, messages }
}

export type WorkerChannel = Awaited<ReturnType<typeof openWorkerChannel>>

/** A worker that takes longer does not get to its messages. */
const STATUS_TIMEOUT_MS = 1000

/** The status of a worker; null if it has ended, undefined if it did not respond in time. */
type FoundStatus = ProcessStatus | null | undefined

/** Requests without a response. Later callers share them, so that a slow worker does not collect listeners. */
const pending = new WeakMap<Worker, Promise<FoundStatus>>()

export function requestStatus(worker: Worker): Promise<FoundStatus> {
  const request = pending.get(worker) ?? askForStatus(worker).finally(() => pending.delete(worker))
  pending.set(worker, request)
  return request
}

async function askForStatus(worker: Worker): Promise<FoundStatus> {
  if (!worker.isConnected()) return null
  const signal = AbortSignal.timeout(STATUS_TIMEOUT_MS)
  const messages: AsyncIterable<unknown[]> = on(worker, 'message', { signal, close: ['exit'] })
  sendToWorker(worker, { tag: 'svc.status' })
  try {
    for await (const [message] of messages) {
      if (tagOf(message) === 'svc.status') return (message as { status: ProcessStatus }).status
    }
    return null
  } catch {
    return undefined
  }
}
