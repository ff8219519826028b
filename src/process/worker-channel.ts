import type { Worker } from 'node:cluster'
import type { SecretTexts } from '../config.ts'
import type { ChainHead, ReleaseUpdate } from '../service/read-releases.ts'
import type { NotReadyReason } from './store-health.ts'

export interface ProcessStatus {
  readonly reasons: readonly NotReadyReason[]
  /** Its metrics as prom-client's `getMetricsAsJSON` returns them. */
  readonly metrics: readonly object[]
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
  | { readonly tag: 'svc.status'; readonly request: number }

interface StatusMessage {
  readonly tag: 'svc.status'
  readonly request: number
  readonly status: ProcessStatus
}

const PRIMARY_TAGS: ReadonlySet<unknown> = new Set<PrimaryMessage['tag']>([
  'svc.boot',
  'svc.release',
  'svc.signing',
  'svc.status',
])

function tagOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'tag' in message
    ? message.tag
    : undefined
}

/** Sends a message to a worker, unless it has ended. */
export function sendToWorker(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message, undefined, () => {})
}

export interface WorkerHandlers {
  takeUp(update: ReleaseUpdate): void
  applySigning(secrets: SecretTexts): void
  readStatus(): Promise<ProcessStatus>
}

export interface WorkerChannel {
  readonly boot: Promise<WorkerBoot>
  /** Handles messages from now on, beginning with those that arrived before. */
  serve(handlers: WorkerHandlers): void
}

/** Opens the channel of this worker. Called before anything else listens to it: Node delivers early messages once. */
export function openWorkerChannel(): WorkerChannel {
  const { promise: boot, resolve } = Promise.withResolvers<WorkerBoot>()
  const early: PrimaryMessage[] = []
  let handlers: WorkerHandlers | undefined

  function handle(
    message: PrimaryMessage,
    { takeUp, applySigning, readStatus }: WorkerHandlers,
  ): void {
    switch (message.tag) {
      case 'svc.boot':
        return
      case 'svc.release':
        takeUp(message.update)
        return
      case 'svc.signing':
        applySigning(message.secrets)
        return
      case 'svc.status': {
        const { tag, request } = message
        void readStatus().then((status) =>
          process.send?.({ tag, request, status } satisfies StatusMessage),
        )
      }
    }
  }

  process.on('message', (received: unknown) => {
    if (!PRIMARY_TAGS.has(tagOf(received))) return
    const message = received as PrimaryMessage
    if (message.tag === 'svc.boot') resolve(message.boot)
    else if (handlers === undefined) early.push(message)
    else handle(message, handlers)
  })
  return {
    boot,
    serve(newHandlers) {
      handlers = newHandlers
      for (const message of early.splice(0)) handle(message, newHandlers)
    },
  }
}

/** A worker that takes longer does not get to its messages. */
const STATUS_TIMEOUT_MS = 1000

let lastRequest = 0

/** The status of a worker; null if it has ended, undefined if it did not respond in time. */
export function requestStatus(worker: Worker): Promise<ProcessStatus | null | undefined> {
  lastRequest += 1
  const request = lastRequest
  return new Promise((resolve) => {
    function settle(status: ProcessStatus | null | undefined): void {
      clearTimeout(timeout)
      worker.off('message', onMessage)
      worker.off('exit', onExit)
      resolve(status)
    }
    function onMessage(message: unknown): void {
      if (tagOf(message) !== 'svc.status') return
      const response = message as StatusMessage
      if (response.request === request) settle(response.status)
    }
    const onExit = () => settle(null)
    const timeout = setTimeout(() => settle(undefined), STATUS_TIMEOUT_MS)
    worker.on('message', onMessage)
    worker.once('exit', onExit)
    worker.send({ tag: 'svc.status', request } satisfies PrimaryMessage, (error) => {
      if (error !== null) onExit()
    })
  })
}
