// The service, whose threads end at random moments within seconds of their start.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'

async function cut(thread: Worker): Promise<void> {
  await sleep(500 + Math.random() * 3000, undefined, { ref: false })
  await thread.terminate()
}

process.on('worker', (thread) => void cut(thread))
await import('../../src/main.ts')
