import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { StorageError, type StorageFailure } from '../../src/storage/stores/storage-error.ts'
import type {
  SealedRegistration,
  StoredRegistration,
  WaitlistStore,
} from '../../src/storage/stores/waitlist-store.ts'

/** Bytes that look random and are the same in every run. */
export function bytesOf(seed: string, length: number): Uint8Array {
  return new Uint8Array(createHash('shake256', { outputLength: length }).update(seed).digest())
}

/** A registration whose every part follows from its number; `changes` replaces some of them. */
export function makeRegistration(
  number: number,
  changes: Partial<SealedRegistration> = {},
): SealedRegistration {
  return {
    ticket: `EA-${number.toString(16).toUpperCase().padStart(16, '0')}`,
    addressHash: bytesOf(`address ${number}`, 32),
    recipient: 'age1first',
    sealed: bytesOf(`sealed ${number}`, 600 + (number % 7) * 40),
    registeredAtMs: 1_900_000_000_000 + number,
    ...changes,
  }
}

/** A row without its position, with plain arrays of bytes, to be compared with what was added. */
export function withoutPosition(row: StoredRegistration): SealedRegistration {
  const { ticket, addressHash, recipient, sealed, registeredAtMs } = row
  return {
    ticket,
    addressHash: new Uint8Array(addressHash),
    recipient,
    sealed: new Uint8Array(sealed),
    registeredAtMs,
  }
}

/** Every row, in the order of the positions. */
export function readAll(waitlist: WaitlistStore): Promise<readonly StoredRegistration[]> {
  return waitlist.readAfter(0, 100_000)
}

/** Checks that a call rejects with one failure, and with a message that names the place. */
export async function assertProblem(code: StorageFailure, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof StorageError, String(error))
    assert.equal(error.code, code, error.message)
    assert.match(error.message, /^.+: .+/)
    return true
  })
}
