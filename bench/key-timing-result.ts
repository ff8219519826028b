import type { KeyCounts } from './made-keys.ts'
import { quantileOf, welchT } from './welch.ts'

/** How long the requests of one class took. */
export interface TimedClass {
  readonly title: string
  readonly nanos: readonly number[]
}

/** What is told of a class. */
export interface ClassResult {
  readonly title: string
  readonly requests: number
  readonly medianNanos: number
  readonly meanNanos: number
  /** Of what was not cropped. */
  readonly croppedMeanNanos: number
  readonly croppedRequests: number
}

/** Two classes against each other. */
export interface PairResult {
  readonly one: string
  readonly other: string
  /** The first cropped mean less the second. */
  readonly differenceNanos: number
  /** Welch's t of all requests. */
  readonly t: number
  /** Welch's t without the slowest. */
  readonly croppedT: number
  readonly isMet: boolean
}

/** Result of the timing test. */
export interface KeyTimingResult extends KeyCounts {
  readonly requestsPerClass: number
  /** Requests above this quantile of all classes together are left out of what is cropped. */
  readonly keptShare: number
  readonly classes: readonly ClassResult[]
  readonly pairs: readonly PairResult[]
  /** Both |t| of a pair have to be less. */
  readonly target: number
}

/** As dudect and the leakage tests before it have it: a t beyond this comes by chance once in a hundred thousand. */
const TARGET = 4.5
const KEPT_SHARE = 0.95

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Compares each class with each other. Both ways of looking decide: each finds differences that the other hides. */
export function summarizeTiming(
  { active, dead }: KeyCounts,
  classes: readonly TimedClass[],
): KeyTimingResult {
  const limit = quantileOf(
    classes.flatMap(({ nanos }) => nanos),
    KEPT_SHARE,
  )
  const timed = classes.map(({ title, nanos }) => ({
    title,
    nanos,
    cropped: nanos.filter((each) => each <= limit),
  }))
  return {
    active,
    dead,
    requestsPerClass: timed[0]?.nanos.length ?? 0,
    keptShare: KEPT_SHARE,
    classes: timed.map(({ title, nanos, cropped }) => ({
      title,
      requests: nanos.length,
      medianNanos: quantileOf(nanos, 0.5),
      meanNanos: meanOf(nanos),
      croppedMeanNanos: meanOf(cropped),
      croppedRequests: cropped.length,
    })),
    pairs: timed.flatMap((one, index) =>
      timed.slice(index + 1).map((other) => {
        const t = welchT(one.nanos, other.nanos)
        const croppedT = welchT(one.cropped, other.cropped)
        return {
          one: one.title,
          other: other.title,
          differenceNanos: meanOf(one.cropped) - meanOf(other.cropped),
          t,
          croppedT,
          isMet: Math.abs(t) < TARGET && Math.abs(croppedT) < TARGET,
        }
      }),
    ),
    target: TARGET,
  }
}
