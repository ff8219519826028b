import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { createEncryptor } from '../src/crypto/age-file.ts'
import type { SealedRegistration } from '../src/storage/waitlist-store.ts'
import { newTicket } from './made-list.ts'
import { plainEntry } from './registration-body.ts'

// A thread that seals registrations as the service does. Takes numbers, gives a row for each.

const { recipient, beganMs } = workerData as {
  readonly recipient: string
  readonly beganMs: number
}
const encryptor = createEncryptor(recipient)

async function seal(number: number): Promise<SealedRegistration> {
  const ticket = newTicket()
  const registeredAtMs = beganMs + number
  const sealed = await encryptor.encrypt(plainEntry(number, ticket, registeredAtMs))
  // Nothing that reads the list looks at a hash.
  return { ticket, addressHash: randomBytes(32), recipient, sealed, registeredAtMs }
}

async function answer(numbers: readonly number[]): Promise<void> {
  const rows: SealedRegistration[] = []
  for (const number of numbers) rows.push(await seal(number))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
  parentPort?.postMessage(rows)
}

parentPort?.on('message', (numbers: readonly number[]) => void answer(numbers))
