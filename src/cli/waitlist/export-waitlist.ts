import { createOpener } from '../../crypto/sealed-box.ts'
import type { WaitlistStore } from '../../storage/waitlist-store.ts'
import { CSV_HEADER, type ExportFormat } from './export-rows.ts'
import { createRowPool, workOnRows } from './row-pool.ts'
import type { RowProblem } from './row-work.ts'

/** What an export works with. */
export interface ExportParts {
  readonly store: WaitlistStore
  /** age identities, at least one. */
  readonly identities: readonly string[]
  readonly format: ExportFormat
  /** Most threads that open rows, at least 1. */
  readonly jobs: number
  /** Takes the next part of the file. Resolves when it may be called again; with `false` nobody reads on. */
  readonly write: (part: Uint8Array) => Promise<boolean>
  /** Told after each page how many rows it had. */
  readonly onProgress?: (rows: number) => void
  /** Told of each row that is left out, in the order of the list. */
  readonly onProblem?: (problem: RowProblem) => void
}

/** How an export went. */
export interface ExportResult {
  readonly exported: number
  /** Rows that did not open, or hold what belongs elsewhere. */
  readonly leftOut: number
  /** False where the reader had enough before the end. */
  readonly isComplete: boolean
}

/**
 * Opens the whole list and writes it out in the order of registering, through threads, with a few pages in memory. Rows
 * that do not open are told and left out. Rejects with a SealError for an identity that is none, and with whatever the
 * store or `write` reject with.
 */
export async function exportWaitlist(parts: ExportParts): Promise<ExportResult> {
  const { store, identities, format, jobs, write, onProgress, onProblem } = parts
  // The threads would say it too, but not in a class that crosses over from them.
  await createOpener(identities)
  const pool = createRowPool(jobs, identities, { kind: 'export', format })
  let [exported, leftOut] = [0, 0]
  try {
    let isComplete = format === 'csv' ? await write(Buffer.from(CSV_HEADER)) : true
    if (!isComplete) return { exported, leftOut, isComplete }
    for await (const { read, done } of workOnRows(store, pool)) {
      exported += done.count
      leftOut += done.problems.length
      for (const problem of done.problems) onProblem?.(problem)
      isComplete = done.text.length === 0 || (await write(done.text))
      onProgress?.(read.length)
      if (!isComplete) break
    }
    return { exported, leftOut, isComplete }
  } finally {
    await pool.close()
  }
}
