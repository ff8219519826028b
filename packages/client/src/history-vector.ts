import type { VersionEntry } from '#contract/history/version-chain'

/** Results of checking a chain of entries. */
export type HistoryOutcome = 'ok' | 'BROKEN' | 'CHANGES_FALSE'

/** One case of the folder `history`, as its JSON file has it. */
export interface HistoryVector {
  readonly description: string
  readonly expected: HistoryOutcome
  /** Id of the first entry, oldest first, that is wrong; missing if `expected` is `ok`. */
  readonly at?: string
  /** The whole chain, oldest first. */
  readonly entries: readonly VersionEntry[]
}
