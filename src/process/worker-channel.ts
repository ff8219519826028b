import type { Worker } from 'node:cluster'
import { on } from 'node:events'
import type { SecretTexts } from '../config.ts'
import type { ChainHead, ReleaseUpdate } from '../service/read-releases.ts'
import type { MetricFigures } from './metrics.ts'
import type { NotReadyReason } from './store-health.ts'

export interface ProcessStatus {
  readonly reasons: readonly NotReadyReason[]
  readonly metrics: MetricFigures
}

/** A worker's start data. Sent over its channel, because other programs can read the environment of a process. */
export interface WorkerBoot {
  readonly secrets: SecretTexts
  /** The newest version that the other workers serve. */
  readonly head: ChainHead
}

/** Messages of the primary. The channel also carries other messages; these have a tag. */
export type PrimaryMessage =
  | { readonly tag: 'svc.boot'; readonly boot: WorkerBoot }
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

interface WorkerHandlers {
  takeUp(update: ReleaseUpdate): void
  applySigning(secrets: SecretTexts): void
  readStatus(): Promise<ProcessStatus>
}

/** Opens the channel of this worker. Called before anything else listens to it: Node delivers early messages once. */
export function openWorkerChannel() {
  const { promise: boot, resolve } = Promise.withResolvers<WorkerBoot>()
  const { promise: serving, resolve: serve } = Promise.withResolvers<WorkerHandlers>()

  async function handle(message: PrimaryMessage): Promise<void> {
    if (message.tag === 'svc.boot') return resolve(message.boot)
    const { takeUp, applySigning, readStatus } = await serving
    switch (message.tag) {
      case 'svc.release':
        return takeUp(message.update)
      case 'svc.signing':
        return applySigning(message.secrets)
      case 'svc.status':
        process.send?.({ tag: message.tag, status: await readStatus() })
    }
  }

  process.on('message', (received: unknown) => {
    // Messages of other senders have another tag or none, and match no case.
    if (tagOf(received) !== undefined) void handle(received as PrimaryMessage)
  })
  return {
    boot,
    /** Handles messages from now on, beginning with those that arrived before. */
    serve,
  }
}

export type WorkerChannel = ReturnType<typeof openWorkerChannel>

/** A worker that takes longer does not get to its messages. */
const STATUS_TIMEOUT_MS = 1000

/** The status of a worker; null if it has ended, undefined if it did not respond in time. */
export async function requestStatus(worker: Worker): Promise<ProcessStatus | null | undefined> {
  if (!worker.isConnected()) return null
  const signal = AbortSignal.timeout(STATUS_TIMEOUT_MS)
  const messages: AsyncIterable<unknown[]> = on(worker, 'message', { signal, close: ['exit'] })
  sendToWorker(worker, { tag: 'svc.status' })
  try {
    // Any status that arrives from now on is current, also one that another call requested.
    for await (const [message] of messages) {
      if (tagOf(message) === 'svc.status') return (message as { status: ProcessStatus }).status
    }
    return null
  } catch {
    return undefined
  }
}
