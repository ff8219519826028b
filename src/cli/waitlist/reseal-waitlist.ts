import { createOpener, createSealer } from '../../crypto/sealed-box.ts'
import type { Reseal, StoredRegistration, WaitlistStore } from '../../storage/waitlist-store.ts'
import { CommandFailure } from '../command-failure.ts'
import { createRowPool, workOnRows } from './row-pool.ts'
import type { RowProblem } from './row-work.ts'

/** What a resealing works with. */
export interface ResealParts {
  readonly store: WaitlistStore
  /** age identities that open the rows, at least one. */
  readonly identities: readonly string[]
  /** The age recipient that all rows are to be sealed to. */
  readonly recipient: string
  /** Most threads, at least 1. */
  readonly jobs: number
  /** Told after each page how many of its rows had another recipient. */
  readonly onProgress?: (rows: number) => void
  /** Told of each row that is left as it was. */
  readonly onProblem?: (problem: RowProblem) => void
}

/** How a resealing went. */
export interface ResealResult {
  readonly resealed: number
  /** Rows that were sealed to the recipient before. */
  readonly already: number
  /** Rows that someone erased or resealed between reading and writing. */
  readonly changedMeanwhile: number
  /** Rows that did not open, or hold what belongs elsewhere; they are as they were. */
  readonly leftAlone: number
}

/** Reads back what a page became, and compares it with what was to be written and with what nothing was to change. */
async function verifyKept(
  store: WaitlistStore,
  read: readonly StoredRegistration[],
  seals: readonly Reseal[],
): Promise<void> {
  const before = new Map(read.map((row) => [row.position, row]))
  const written = new Map(seals.map((seal) => [seal.position, seal]))
  const first = read[0]?.position ?? 1
  for (const row of await store.readAfter(first - 1, read.length)) {
    const [old, seal] = [before.get(row.position), written.get(row.position)]
    if (old === undefined || seal === undefined) continue
    const isKept =
      row.recipient === seal.recipient &&
      Buffer.from(row.sealed).equals(seal.sealed) &&
      row.ticket === old.ticket &&
      row.registeredAtMs === old.registeredAtMs &&
      Buffer.from(row.addressHash).equals(old.addressHash)
    if (isKept) continue
    throw new CommandFailure(
      'NOT_KEPT',
      `position ${row.position}, ticket ${row.ticket}: the database does not hold what was written; stopped there`,
    )
  }
}

/**
 * Seals every row that has another recipient to this one: page by page, each page written in one transaction and read
 * back. A row is at any moment under its old seal or under its new one, so it may be stopped anywhere and run again.
 * Rejects with a SealError for a recipient or an identity that is none, with a CommandFailure where what was written is
 * not there, and with a StorageError.
 */
export async function resealWaitlist(parts: ResealParts): Promise<ResealResult> {
  const { store, identities, recipient, jobs, onProgress, onProblem } = parts
  createSealer(recipient)
  await createOpener(identities)
  const pool = createRowPool(jobs, identities, { kind: 'reseal', recipient })
  let [resealed, already, changedMeanwhile, leftAlone] = [0, 0, 0, 0]
  const isOther = (row: StoredRegistration): boolean => row.recipient !== recipient
  try {
    for await (const { read, done } of workOnRows(store, pool, isOther)) {
      const others = done.count + done.problems.length
      const kept = done.seals.length === 0 ? 0 : await store.reseal(done.seals)
      // With rows that changed meanwhile it cannot be told which of the seals ought to be there.
      if (kept > 0 && kept === done.seals.length) await verifyKept(store, read, done.seals)
      resealed += kept
      changedMeanwhile += done.seals.length - kept
      leftAlone += done.problems.length
      already += read.length - others
      for (const problem of done.problems) onProblem?.(problem)
      onProgress?.(others)
    }
  } finally {
    await pool.close()
  }
  return { resealed, already, changedMeanwhile, leftAlone }
}
