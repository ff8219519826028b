import { createDecryptor } from '../../crypto/age-file.ts'
import type { WaitlistStore } from '../../storage/waitlist-store.ts'
import { CSV_HEADER, type ExportFormat, formatExportRow } from './export-rows.ts'
import { openRows, type RowProblem } from './open-rows.ts'

/** What to export, and where to write it. */
export interface ExportOptions {
  readonly store: Pick<WaitlistStore, 'readAfter'>
  /** age identities, at least one. */
  readonly identities: readonly string[]
  readonly format: ExportFormat
  /** Takes the next part of the file. Resolves with `false` when the reader has closed. */
  readonly write: (part: Uint8Array) => Promise<boolean>
  /** Called after each page with its number of rows. */
  readonly onProgress?: (rows: number) => void
  /** Called for each skipped row, in the order of the list. */
  readonly onProblem?: (problem: RowProblem) => void
}

/** The result of an export. */
export interface ExportResult {
  readonly exported: number
  /** Rows that could not be decrypted or do not match their columns. */
  readonly leftOut: number
  /** False when the reader closed before the end. */
  readonly isComplete: boolean
}

/**
 * Decrypts the whole list and writes it in order of registration, one page in memory at a time. Rows that cannot be
 * decrypted are reported and skipped. Rejects with an AgeError for an invalid identity, and with errors of the store
 * and of `write`.
 */
export async function exportWaitlist(options: ExportOptions): Promise<ExportResult> {
  const { store, identities, format, write, onProgress, onProblem } = options
  const decryptor = await createDecryptor(identities)
  let [exported, leftOut] = [0, 0]
  if (format === 'csv' && !(await write(Buffer.from(CSV_HEADER)))) {
    return { exported, leftOut, isComplete: false }
  }
  for await (const { read, opened, problems } of openRows(store, decryptor)) {
    for (const problem of problems) onProblem?.(problem)
    const text = opened.map(({ entry }) => formatExportRow(entry, format)).join('')
    exported += opened.length
    leftOut += problems.length
    const isRead = text === '' || (await write(Buffer.from(text)))
    onProgress?.(read)
    if (!isRead) return { exported, leftOut, isComplete: false }
  }
  return { exported, leftOut, isComplete: true }
}
