import cluster, { type Worker } from 'node:cluster'
import { createServer } from 'node:http'
import { SECRET_VARIABLES } from '../config.ts'
import { listen } from '../http/listener.ts'
import type { Log } from '../service/log.ts'
import { sendToWorker, type PrimaryMessage, type WorkerBoot } from './worker-channel.ts'

/** A worker that crashes is restarted after a pause, which grows while workers keep crashing early. */
const INITIAL_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 10_000
/** A worker that ran this long started well. */
const STABLE_AFTER_MS = 10_000

/** A port that is free now. With port 0, a worker that starts after all others crashed would get a different port. */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer()
  const port = await listen(server, 0, host)
  await server[Symbol.asyncDispose]()
  return port
}

interface WorkersOptions {
  readonly count: number
  readonly port: number
  /** A worker that has not ended this long after the request to stop is killed. */
  readonly killAfterMs: number
  readonly log: Log
  readonly boot: () => WorkerBoot
}

/** Secrets reach a worker over its channel, because other programs can read the environment of a process. */
const WITHOUT_SECRETS: { readonly [variable: string]: undefined } = Object.fromEntries(
  Object.values(SECRET_VARIABLES).map(({ variable }) => [variable, undefined]),
)

/** Starts the workers, all on one port, and restarts those that crash. */
export function openWorkers({ count, port, killAfterMs, log, boot }: WorkersOptions) {
  let closing = false
  let backoffMs = INITIAL_BACKOFF_MS
  let crashes = 0
  const living = new Set<Worker>()
  const accepting = new Set<Worker>()
  const pauses = new Set<NodeJS.Timeout>()
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
  // Preserves the byte arrays of the counters.
  cluster.setupPrimary({ serialization: 'advanced' })

  function start(): void {
    const worker = cluster.fork({ ...WITHOUT_SECRETS, PORT: String(port) })
    living.add(worker)
    sendToWorker(worker, { tag: 'svc.boot', boot: boot() })
    const startedMs = performance.now()
    worker.on('listening', () => {
      accepting.add(worker)
      log.info({ worker: worker.id, pid: worker.process.pid }, 'Worker ready')
      resolve()
    })
    worker.on('exit', (code, signal) => {
      living.delete(worker)
      accepting.delete(worker)
      if (closing) return
      crashes += 1
      const ranMs = performance.now() - startedMs
      if (ranMs < STABLE_AFTER_MS && accepting.size === 0 && code === 1) {
        reject(new Error('The first worker did not start; its own log line says why'))
      }
      backoffMs =
        ranMs < STABLE_AFTER_MS ? Math.min(backoffMs * 2, MAX_BACKOFF_MS) : INITIAL_BACKOFF_MS
      log.error(
        { worker: worker.id, code, signal, backoffMs },
        'Worker exited unexpectedly; restarting',
      )
      const pause = setTimeout(() => {
        pauses.delete(pause)
        start()
      }, backoffMs)
      pauses.add(pause)
    })
  }

  function stop(worker: Worker): Promise<void> {
    return new Promise((ended) => {
      const kill = setTimeout(() => {
        log.error(
          { worker: worker.id, pid: worker.process.pid, killAfterMs },
          'Worker did not stop in time; killing it',
        )
        worker.process.kill('SIGKILL')
      }, killAfterMs).unref()
      worker.once('exit', () => {
        clearTimeout(kill)
        ended()
      })
      worker.process.kill('SIGTERM')
    })
  }

  for (let each = 0; each < count; each += 1) start()
  return {
    /** Resolves when the first worker listens. Rejects if no worker can listen. */
    listening,
    /** Whether at least one of them accepts requests, and no stop was requested. */
    isAccepting: () => !closing && accepting.size > 0,
    /** The workers that accept requests, without those that start or end. */
    accepting: (): readonly Worker[] => [...accepting],
    crashes: () => crashes,
    /** Sends a message to every worker, also to those that are starting. */
    broadcast(message: PrimaryMessage): void {
      for (const worker of living) sendToWorker(worker, message)
    },
    /** Asks every worker to stop, and kills those that do not in time. Resolves when the last one has ended. */
    async close(): Promise<void> {
      closing = true
      for (const pause of pauses) clearTimeout(pause)
      await Promise.all([...living].map(stop))
    },
  }
}

export type Workers = ReturnType<typeof openWorkers>
