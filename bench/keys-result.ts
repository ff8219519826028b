import type { Sample } from './cost.ts'
import type { KeyTimingResult } from './key-timing-result.ts'
import type { KeyCounts } from './made-keys.ts'
import { spreadOf, type Spread } from './statistics.ts'

/** What one answer cost. */
export interface AnswerCost {
  readonly cpuMicros: Spread
  readonly requestsPerSecond: Spread
}

/** A ratio to something else of the same round. */
export interface BoundedRatio {
  readonly ratio: Spread
  readonly isMet: boolean
}

/** What the store's `find` took by itself, in microseconds. */
export interface LookupTimes {
  /** Null where there is no key to be found. */
  readonly hitMicros: number | null
  readonly missMicros: number
}

/** Samples of one store, those of one round at the same place everywhere. */
export interface KeyStoreSamples extends KeyCounts {
  /** With a valid key; empty where there is none. */
  readonly keyed: readonly Sample[]
  /** With a key that was never made. */
  readonly refused: readonly Sample[]
  readonly lookups: readonly LookupTimes[]
}

/** All samples of a run, the store with fewest keys first. */
export interface KeySamples {
  readonly connections: number
  readonly requestsPerRound: number
  readonly anonymous: readonly Sample[]
  readonly stores: readonly KeyStoreSamples[]
  readonly timing: KeyTimingResult
}

/** What keys cost where so many are kept. */
export interface KeyStoreResult extends KeyCounts {
  /** Undefined where no key can be presented that is accepted. */
  readonly keyed:
    | (AnswerCost & {
        readonly toAnonymous: BoundedRatio
        /** To the store with the fewest keys that has any. */
        readonly toFewest: BoundedRatio
      })
    | undefined
  readonly refused: AnswerCost & { readonly toFewest: BoundedRatio }
  readonly hitMicros: Spread | undefined
  readonly missMicros: Spread
}

/** Result of the keys part. */
export interface KeysResult {
  readonly connections: number
  readonly rounds: number
  readonly requestsPerRound: number
  readonly anonymous: AnswerCost
  /** Most that a read with a key may cost of one without. */
  readonly keyedTarget: number
  /** Most that an answer may cost of the same with the fewest keys. */
  readonly growthTarget: number
  readonly stores: readonly KeyStoreResult[]
  readonly timing: KeyTimingResult
}

const KEYED_TARGET = 1.5
const GROWTH_TARGET = 1.5

function costOf(samples: readonly Sample[]): AnswerCost {
  return {
    cpuMicros: spreadOf(samples.map(({ cpuMicros }) => cpuMicros)),
    requestsPerSecond: spreadOf(samples.map(({ rate }) => rate)),
  }
}

function ratioOf(
  samples: readonly Sample[],
  others: readonly Sample[],
  target: number,
): BoundedRatio {
  const ratio = spreadOf(
    samples.map(({ cpuMicros }, round) => cpuMicros / (others[round]?.cpuMicros ?? Number.NaN)),
  )
  return { ratio, isMet: ratio.median <= target }
}

function storeResult(
  { active, dead, keyed, refused, lookups }: KeyStoreSamples,
  { anonymous, stores }: KeySamples,
): KeyStoreResult {
  const fewestKeyed = stores.find((store) => store.keyed.length > 0)?.keyed ?? []
  const fewestRefused = stores[0]?.refused ?? []
  const hits = lookups.flatMap(({ hitMicros }) => (hitMicros === null ? [] : [hitMicros]))
  return {
    active,
    dead,
    keyed:
      keyed.length === 0
        ? undefined
        : {
            ...costOf(keyed),
            toAnonymous: ratioOf(keyed, anonymous, KEYED_TARGET),
            toFewest: ratioOf(keyed, fewestKeyed, GROWTH_TARGET),
          },
    refused: { ...costOf(refused), toFewest: ratioOf(refused, fewestRefused, GROWTH_TARGET) },
    hitMicros: hits.length === 0 ? undefined : spreadOf(hits),
    missMicros: spreadOf(lookups.map(({ missMicros }) => missMicros)),
  }
}

/** Makes the result of all samples. Throws a RangeError where there are none. */
export function summarizeKeys(samples: KeySamples): KeysResult {
  const { connections, requestsPerRound, anonymous, stores, timing } = samples
  return {
    connections,
    rounds: anonymous.length,
    requestsPerRound,
    anonymous: costOf(anonymous),
    keyedTarget: KEYED_TARGET,
    growthTarget: GROWTH_TARGET,
    stores: stores.map((store) => storeResult(store, samples)),
    timing,
  }
}
