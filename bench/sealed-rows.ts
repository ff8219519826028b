import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SealedRegistration } from '../src/storage/waitlist-store.ts'

const ROWS_PER_MESSAGE = 1000

/** Takes numbers for one message at a time, until there are no more. */
async function* sealInThread(
  recipient: string,
  beganMs: number,
  next: () => readonly number[],
): AsyncGenerator<readonly SealedRegistration[]> {
  const worker = new Worker(new URL('seal-thread.ts', import.meta.url), {
    workerData: { recipient, beganMs },
  })
  try {
    for (let numbers = next(); numbers.length > 0; numbers = next()) {
      // Rejects with what ends the thread early.
      const answered = once(worker, 'message')
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(numbers)
      yield (await answered)[0] as readonly SealedRegistration[]
    }
  } finally {
    await worker.terminate()
  }
}

/** Registrations that are really sealed, each one by itself, by threads on all processors; in no certain order. */
export async function* sealRows(
  recipient: string,
  rows: number,
  onProgress: (sealed: number) => void,
): AsyncGenerator<readonly SealedRegistration[]> {
  const beganMs = Date.now() - rows
  let given = 0
  const next = () => {
    const first = given
    given = Math.min(rows, first + ROWS_PER_MESSAGE)
    return Array.from({ length: given - first }, (_, index) => first + index)
  }
  const threads = Array.from({ length: availableParallelism() }, () =>
    sealInThread(recipient, beganMs, next),
  )
  let sealed = 0
  const pending = new Map(threads.map((thread) => [thread, thread.next()]))
  while (pending.size > 0) {
    const { thread, result } = await Promise.race(
      [...pending].map(async ([each, promise]) => ({ thread: each, result: await promise })),
    )
    if (result.done === true) {
      pending.delete(thread)
      continue
    }
    // The thread works on while what it gave is stored.
    pending.set(thread, thread.next())
    sealed += result.value.length
    onProgress(sealed)
    yield result.value
  }
}
