import cluster, { type Worker } from 'node:cluster'
import type { Log } from './service/log.ts'

/** Several serving processes on one port. */
export interface Workers {
  /** Whether at least one of them takes requests. */
  isAccepting(): boolean
  /** Resolves with the port once the first one listens; rejects when none manages to. */
  readonly listening: Promise<number>
  /** Asks every worker to finish; resolves when the last one has ended. */
  close(): Promise<void>
}

/** A worker that dies is replaced after a pause, which grows while they keep dying early. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** A worker that served this long did start well. */
const SETTLED_MS = 10_000

/** Starts the workers and replaces those that die. */
export function openWorkers(count: number, log: Log): Workers {
  let closing = false
  let pauseMs = FIRST_PAUSE_MS
  const accepting = new Set<number>()
  const pauses = new Set<NodeJS.Timeout>()
  const { promise: listening, resolve, reject } = Promise.withResolvers<number>()

  function start(): void {
    const worker: Worker = cluster.fork()
    const startedMs = performance.now()
    worker.on('listening', ({ port }) => {
      accepting.add(worker.id)
      resolve(port)
    })
    worker.on('exit', (code, signal) => {
      accepting.delete(worker.id)
      if (closing) return
      const lived = performance.now() - startedMs
      if (lived < SETTLED_MS && accepting.size === 0 && code === 1) {
        reject(new Error('The first worker did not start; its own line above says why'))
      }
      pauseMs = lived < SETTLED_MS ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS
      log.error({ code, signal, pauseMs }, 'A worker died; another one is started')
      const pause = setTimeout(() => {
        pauses.delete(pause)
        start()
      }, pauseMs)
      pauses.add(pause)
    })
  }

  for (let each = 0; each < count; each += 1) start()
  return {
    listening,
    isAccepting: () => accepting.size > 0,
    async close() {
      closing = true
      for (const pause of pauses) clearTimeout(pause)
      const living = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      const ends = living.map(
        (worker) =>
          new Promise<void>((ended) => {
            worker.once('exit', () => ended())
            worker.process.kill('SIGTERM')
          }),
      )
      await Promise.all(ends)
    },
  }
}
