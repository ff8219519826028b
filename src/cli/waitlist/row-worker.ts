import { type MessagePort, parentPort, workerData } from 'node:worker_threads'

import type { StoredRegistration } from '../../storage/waitlist-store.ts'
import { createRowWork, type RowTask } from './row-work.ts'

/** What a worker thread is started with. */
export interface RowWorkerData {
  readonly identities: readonly string[]
  readonly task: RowTask
}

function requireParent(): MessagePort {
  if (parentPort === null) throw new Error('expected to be run as a worker thread')
  return parentPort
}

const parent = requireParent()

const { identities, task } = workerData as RowWorkerData
const work = await createRowWork(identities, task)

async function answer(rows: readonly StoredRegistration[]): Promise<void> {
  const done = await work(rows)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
  parent.postMessage(done)
}

// One batch at a time. What `work` does not expect ends the thread, and so the pool learns of it.
parent.on('message', (rows: readonly StoredRegistration[]) => void answer(rows))
