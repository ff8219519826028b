import { Worker } from 'node:worker_threads'

import type { StoredRegistration, WaitlistStore } from '../../storage/waitlist-store.ts'
import { readPages } from '../read-pages.ts'
import type { RowsDone, RowTask } from './row-work.ts'
import type { RowWorkerData } from './row-worker.ts'

/** Worker threads that open rows. */
export interface RowPool {
  /** How many batches it takes to keep all threads busy while one is read or written. */
  readonly depth: number
  /** Works on some rows in the next thread that is free. Rejects where the thread failed. */
  run(rows: readonly StoredRegistration[]): Promise<RowsDone>
  close(): Promise<void>
}

interface Job {
  readonly rows: readonly StoredRegistration[]
  readonly resolve: (done: RowsDone) => void
  readonly reject: (error: unknown) => void
}

/** The library takes 64 kB for each row; a small young generation gives them back soon, at no cost in time. */
const YOUNG_GENERATION_MB = 4

/** A pool of up to `jobs` threads. One is started only when there is work for it: a short list needs one. */
export function createRowPool(jobs: number, identities: readonly string[], task: RowTask): RowPool {
  const workers = new Map<Worker, Job | undefined>()
  const queue: Job[] = []

  function give(worker: Worker, job: Job | undefined): void {
    workers.set(worker, job)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    if (job !== undefined) worker.postMessage(job.rows)
  }

  function start(): Worker {
    const data: RowWorkerData = { identities, task }
    const worker = new Worker(new URL('row-worker.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    })
    const fail = (error: unknown): void => {
      workers.get(worker)?.reject(error)
      workers.delete(worker)
      // Another thread would fail alike, and nobody would take these up.
      for (const job of queue.splice(0)) job.reject(error)
    }
    worker.on('message', (done: RowsDone) => {
      workers.get(worker)?.resolve(done)
      give(worker, queue.shift())
    })
    worker.on('error', fail)
    worker.on('exit', () => fail(new Error('a worker thread ended before its work did')))
    return worker
  }

  return {
    depth: jobs * 2 + 1,
    run(rows) {
      const { promise, resolve, reject } = Promise.withResolvers<RowsDone>()
      const job: Job = { rows, resolve, reject }
      const idle = [...workers].find(([, current]) => current === undefined)?.[0]
      if (idle !== undefined) give(idle, job)
      else if (workers.size < jobs) give(start(), job)
      else queue.push(job)
      return promise
    },
    async close() {
      await Promise.all([...workers.keys()].map((worker) => worker.terminate()))
    },
  }
}

/** Rows of one page: enough to be worth a message, few enough that a short list is shared out and memory stays small. */
const PAGE_ROWS = 128

/**
 * Reads the whole list in pages, each by a query of its own, and gives the work done on each, in the order of the list.
 * `pick` may leave rows out. No more pages are in memory than the pool needs; leaving the loop stops the reading.
 */
export async function* workOnRows(
  store: WaitlistStore,
  pool: RowPool,
  pick: (row: StoredRegistration) => boolean = () => true,
): AsyncGenerator<{ readonly read: readonly StoredRegistration[]; readonly done: RowsDone }> {
  interface Page {
    readonly read: readonly StoredRegistration[]
    readonly done: Promise<RowsDone>
  }
  const pages: Page[] = []
  const source = readPages({
    readAfter: (position, limit) => store.readAfter(position, limit),
    keyOf: ({ position }) => position,
    start: 0,
    pageRows: PAGE_ROWS,
  })
  let hasMore = true
  while (hasMore || pages.length > 0) {
    while (hasMore && pages.length < pool.depth) {
      const { value: read } = await source.next()
      hasMore = read !== undefined
      if (read === undefined) break
      const done = pool.run(read.filter(pick))
      // Awaited below; meanwhile a failure must not count as unheard.
      done.catch(() => undefined)
      pages.push({ read, done })
    }
    const page = pages.shift()
    if (page !== undefined) yield { read: page.read, done: await page.done }
  }
}
