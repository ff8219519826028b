import cluster, { type Worker } from 'node:cluster'
import { createServer } from 'node:http'
import { listen } from '../http/listener.ts'
import type { Log } from '../service/log.ts'

/** Several serving processes on one port. */
export interface Workers {
  /** Whether at least one of them takes requests, and no stop was asked for. */
  readonly isAccepting: () => boolean
  /** The ones that take requests now; those that start or end are left out. */
  readonly accepting: () => readonly Worker[]
  /** How many ended without being asked to, since the start. */
  readonly deaths: () => number
  /** Resolves once the first one listens; rejects when none manages to. */
  readonly listening: Promise<void>
  /** Asks every worker to finish, and kills what does not in time; resolves when the last one has ended. */
  readonly close: () => Promise<void>
}

/** A worker that dies is replaced after a pause, which grows while they keep dying early. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** A worker that served this long did start well. */
const SETTLED_MS = 10_000

/**
 * A port that is free now. Workers are told one and never 0, since a worker that starts when all the others have died
 * would be given another port than they had.
 */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer()
  const port = await listen(server, 0, host)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  return port
}

/** Where and for how long workers run. */
export interface WorkerOptions {
  readonly count: number
  readonly port: number
  /** Variables that each worker has besides those of this process, also one that is started later. */
  readonly env: { readonly [name: string]: string }
  readonly log: Log
  /** A worker that was asked to end and has not for so long is killed: its event loop hangs. */
  readonly killAfterMs: number
}

/** Starts the workers, all on one port, and replaces those that die. */
export function openWorkers({ count, port, env, log, killAfterMs }: WorkerOptions): Workers {
  let closing = false
  let pauseMs = FIRST_PAUSE_MS
  let deaths = 0
  const living = new Set<Worker>()
  const accepting = new Set<Worker>()
  const pauses = new Set<NodeJS.Timeout>()
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>()

  function start(): void {
    const worker = cluster.fork({ ...env, PORT: String(port) })
    living.add(worker)
    const startedMs = performance.now()
    worker.on('listening', () => {
      accepting.add(worker)
      log.info({ worker: worker.id, pid: worker.process.pid }, 'A worker takes requests')
      resolve()
    })
    worker.on('exit', (code, signal) => {
      living.delete(worker)
      accepting.delete(worker)
      if (closing) return
      deaths += 1
      const lived = performance.now() - startedMs
      if (lived < SETTLED_MS && accepting.size === 0 && code === 1) {
        reject(new Error('The first worker did not start; its own line above says why'))
      }
      pauseMs = lived < SETTLED_MS ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS
      log.error(
        { worker: worker.id, code, signal, pauseMs },
        'A worker died; another one is started',
      )
      const pause = setTimeout(() => {
        pauses.delete(pause)
        start()
      }, pauseMs)
      pauses.add(pause)
    })
  }

  function end(worker: Worker): Promise<void> {
    return new Promise((ended) => {
      const kill = setTimeout(() => {
        log.error(
          { worker: worker.id, pid: worker.process.pid, killAfterMs },
          'A worker did not end when it was asked to; it is killed',
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
    listening,
    isAccepting: () => !closing && accepting.size > 0,
    accepting: () => [...accepting],
    deaths: () => deaths,
    close: async () => {
      closing = true
      for (const pause of pauses) clearTimeout(pause)
      await Promise.all([...living].map(end))
    },
  }
}
