import type { KeyCounts } from './made-keys.ts'
import { AUDITED_VERSIONS } from './verification-result.ts'

/** How much a run measures. */
export interface BenchSizes {
  readonly rounds: number
  /** Requests of one subject in one round, before and while it is measured. */
  readonly warmUpRequests: number
  readonly measuredRequests: number
  /** Requests between two readings of the memory, of which there are four under load. */
  readonly memoryStepRequests: number
  /** Lengths of the lists that are registered on, the shortest first. */
  readonly listRows: readonly number[]
  readonly registrationRounds: number
  /** Registrations by one process before it is measured, and in one block that is measured. */
  readonly registrationWarmUpRequests: number
  readonly registrationRequests: number
  /** Length of the list that is exported. */
  readonly exportRows: number
  /** Stores of keys, the one with fewest first. The last has as many revoked keys as active ones, or more. */
  readonly keyStores: readonly KeyCounts[]
  readonly keyRounds: number
  /** Requests to one process before and while it is measured. */
  readonly keyWarmUpRequests: number
  readonly keyRequests: number
  /** Ids of a kind that are looked up. */
  readonly keyLookups: number
  /** Requests of one kind of refused key, before and while they are timed. */
  readonly keyTimingWarmUpRequests: number
  readonly keyTimingRequests: number
  readonly verificationRounds: number
  /** Checks of one kind in one round. */
  readonly verificationChecks: number
  /** Length of the history that is audited, and how often. */
  readonly auditVersions: number
  readonly auditRuns: number
  readonly pageRounds: number
  /** Requests for one page from one process before and while it is measured. */
  readonly pageWarmUpRequests: number
  readonly pageRequests: number
}

/** A rough answer in minutes. */
const QUICK: BenchSizes = {
  rounds: 3,
  warmUpRequests: 30_000,
  measuredRequests: 10_000,
  memoryStepRequests: 25_000,
  listRows: [0, 20_000],
  registrationRounds: 3,
  registrationWarmUpRequests: 6000,
  registrationRequests: 300,
  exportRows: 4000,
  keyStores: [
    { active: 0, dead: 0 },
    { active: 1000, dead: 20_000 },
  ],
  keyRounds: 2,
  keyWarmUpRequests: 10_000,
  keyRequests: 4000,
  keyLookups: 5000,
  keyTimingWarmUpRequests: 3000,
  keyTimingRequests: 5000,
  verificationRounds: 2,
  verificationChecks: 1600,
  auditVersions: 2000,
  auditRuns: 1,
  pageRounds: 2,
  pageWarmUpRequests: 10_000,
  pageRequests: 8000,
}

/** What the targets are measured with. */
const FULL: BenchSizes = {
  rounds: 7,
  // V8 compiles, on the same processor, for the first 25,000 requests or so: what is counted comes after.
  warmUpRequests: 40_000,
  measuredRequests: 40_000,
  memoryStepRequests: 250_000,
  listRows: [0, 1000, 10_000, 100_000, 1_000_000],
  registrationRounds: 5,
  // Both ways through the code, to a new address and to a known one, are compiled in the first 10,000 or so.
  registrationWarmUpRequests: 12_000,
  // So many that the garbage collections of a block are several: one more or less tips a ratio by a tenth of a short one.
  registrationRequests: 1600,
  exportRows: 100_000,
  keyStores: [
    { active: 0, dead: 0 },
    { active: 1000, dead: 0 },
    { active: 10_000, dead: 0 },
    { active: 10_000, dead: 1_000_000 },
  ],
  keyRounds: 4,
  keyWarmUpRequests: 25_000,
  keyRequests: 15_000,
  keyLookups: 20_000,
  keyTimingWarmUpRequests: 10_000,
  keyTimingRequests: 40_000,
  verificationRounds: 5,
  verificationChecks: 8000,
  auditVersions: AUDITED_VERSIONS,
  auditRuns: 3,
  pageRounds: 5,
  pageWarmUpRequests: 25_000,
  pageRequests: 20_000,
}

/** The sizes of a run; `rounds`, where they are given, count for every part that is repeated. */
export function sizesOf(quick: boolean, rounds?: number): BenchSizes {
  const sizes = quick ? QUICK : FULL
  if (rounds === undefined) return sizes
  return {
    ...sizes,
    rounds,
    registrationRounds: rounds,
    keyRounds: rounds,
    verificationRounds: rounds,
    pageRounds: rounds,
  }
}
