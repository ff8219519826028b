import cluster, { type Worker } from 'node:cluster'
import { SECRET_VARIABLES } from '../config.ts'
import { listen, ListenError } from '../http/connection/listener.ts'
import { nodeHttp } from '../http/connection/node-http.ts'
import { inspectSecrets } from '../secrets.ts'
import { SYSTEM_CLOCK } from '../service/clock.ts'
import { createMemoryCounters } from '../storage/counters/memory-counters.ts'
import type { ServerOptions, Serving, StopTimes } from './server.ts'
import {
  type Boot,
  type Call,
  openCalls,
  type ProcessStatus,
  type WorkerMethods,
} from './worker-channel.ts'

/** A worker that crashes is restarted after a pause, which grows while workers keep crashing early. */
const INITIAL_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 10_000
/** A worker that takes longer does not get to its messages. */
const STATUS_TIMEOUT_MS = 1000
/** A worker that ran this long started well. */
const STABLE_AFTER_MS = 10_000

/** A port that is free now. With port 0, a worker that starts after all others crashed would get a different port. */
async function findFreePort(host: string): Promise<number> {
  const server = nodeHttp.createServer()
  const port = await listen(server, 0, host)
  await server[Symbol.asyncDispose]()
  return port
}

type WorkersOptions = Pick<ServerOptions, 'config' | 'releases' | 'log' | 'metrics'> &
  Pick<StopTimes, 'killAfterMs'>

/** Secrets reach a worker over its channel, because other programs can read the environment of a process. */
const WITHOUT_SECRETS: { readonly [variable: string]: undefined } = Object.fromEntries(
  Object.values(SECRET_VARIABLES).map(({ variable }) => [variable, undefined]),
)

/** Starts the workers, all on one port, and restarts those that crash. Rejects if none can listen. */
export async function openWorkers(options: WorkersOptions): Promise<Serving> {
  const { config, killAfterMs, log, metrics } = options
  let { releases } = options
  // A restarted worker gets the secrets of the others, even if the files have changed.
  let secrets = inspectSecrets(config, Date.now()).texts
  const counters = createMemoryCounters({ clock: SYSTEM_CLOCK })
  const port = config.port === 0 ? await findFreePort(config.host) : config.port
  let closing = false
  let backoffMs = INITIAL_BACKOFF_MS
  let crashes = 0
  const living = new Set<Worker>()
  /** Workers with the secrets and the release of the others. */
  const booted = new Map<Worker, Call>()
  const accepting = new Set<Worker>()
  const pauses = new Set<NodeJS.Timeout>()
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
  // Preserves the byte arrays of the counters.
  cluster.setupPrimary({ serialization: 'advanced' })

  function start(): void {
    const worker = cluster.fork({ ...WITHOUT_SECRETS, PORT: String(port) })
    living.add(worker)
    const call = openCalls(worker, {
      ...counters,
      boot(): Boot {
        booted.set(worker, call)
        const { snapshotId, hash } = releases.served.head
        return { secrets, head: { snapshotId, hash } }
      },
    })
    const startedMs = performance.now()
    worker.on('listening', () => {
      accepting.add(worker)
      log.info({ worker: worker.id, pid: worker.process.pid }, 'Worker ready')
      resolve()
    })
    worker.on('exit', (code, signal) => {
      living.delete(worker)
      booted.delete(worker)
      const hasAccepted = accepting.delete(worker)
      if (closing) return
      crashes += 1
      const ranMs = performance.now() - startedMs
      // On a busy machine, a start that fails can take longer than STABLE_AFTER_MS.
      if (!hasAccepted && accepting.size === 0 && code === 1) {
        reject(new ListenError('The first worker did not start; its own line says why'))
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

  /** The statuses of the workers that accept requests; undefined for one that does not respond in time. */
  function readStatuses(): Promise<readonly (ProcessStatus | undefined)[]> {
    const statuses = [...accepting].map(async (worker) => {
      const status = booted.get(worker)?.('perform', ['status'], STATUS_TIMEOUT_MS)
      return (await status?.catch(() => undefined)) as ProcessStatus | undefined
    })
    return Promise.all(statuses)
  }

  /** Calls a method of every worker, also of those that are starting. */
  function broadcast(method: keyof WorkerMethods, argument: unknown): void {
    // A worker that ends meanwhile starts again with the same.
    for (const call of booted.values()) call('perform', [method, argument]).catch(() => {})
  }

  for (let each = 0; each < config.workers; each += 1) start()
  metrics?.add({
    svc_worker_crashes_total: { help: 'Workers that exited unexpectedly.', read: () => crashes },
    svc_workers_accepting: { help: 'Workers that accept requests.', read: () => accepting.size },
  })
  metrics?.addWorkers(async () => {
    const statuses = await readStatuses()
    const figures = statuses.flatMap((status) => (status === undefined ? [] : [status.metrics]))
    return figures.length === statuses.length ? figures : undefined
  })
  await listening
  return {
    port,
    // A worker imports them before it listens.
    pagesOpen: Promise.resolve(),
    served: () => releases.served,
    tlog: () => releases.tlog,
    applyUpdate(update) {
      releases = releases.extend(update)
      broadcast('release', update)
      const { snapshotId } = releases.served.head
      log.info({ snapshotId }, `Release ${snapshotId} passed to the workers`)
    },
    async applySigning() {
      // The others are read once.
      const { signingKey, signingKeys } = inspectSecrets(config, Date.now()).texts
      secrets = { ...secrets, signingKey, signingKeys }
      broadcast('signing', secrets)
    },
    async reasons() {
      if (accepting.size === 0) {
        return [{ code: 'NO_WORKER', message: 'No worker accepts requests' }]
      }
      const reasons = (await readStatuses()).flatMap((status) => status?.reasons ?? [])
      // Workers share the store, so all of their reasons are the same one.
      return reasons.slice(0, 1)
    },
    /** Asks every worker to stop, and kills those that do not in time. Resolves when the last one has ended. */
    async close() {
      closing = true
      for (const pause of pauses) clearTimeout(pause)
      await Promise.all([...living].map(stop))
    },
  }
}
