import { spreadOf, type Spread } from './statistics.ts'

/** The ways to check an answer that are held against each other, with what they do. */
export const VERIFICATION_WAYS = {
  client: 'verifyResponse of the client',
  webCrypto: 'WebCrypto alone: Ed25519 and SHA-256 of the body',
  nodeCrypto: 'node:crypto alone: the same on one thread',
} as const

export type VerificationWay = keyof typeof VERIFICATION_WAYS

/** What one check took in one process, in microseconds. */
export interface CheckTimes {
  /** All threads, user and system. */
  readonly cpuMicros: number
  /** Until its result was there; one check after the other. */
  readonly waitMicros: number
}

/** What one process found, the ways in turn on one answer. */
export type CheckSample = { readonly [Way in VerificationWay]: CheckTimes }

/** All samples of one answer. */
export interface CheckedAnswer {
  readonly target: string
  readonly bodyBytes: number
  readonly samples: readonly CheckSample[]
}

/** One audit by a process that did nothing before. */
export interface AuditRun {
  readonly versions: number
  readonly seconds: number
  /** CPU time of the auditing process, all threads. */
  readonly cpuSeconds: number
}

/** What the ways cost on one answer. */
export interface AnswerChecks {
  readonly target: string
  readonly bodyBytes: number
  readonly ways: readonly {
    readonly way: VerificationWay
    readonly cpuMicros: Spread
    readonly waitMicros: Spread
    /** CPU time to that of node:crypto alone, the cheaper one of the bare ways, in the same process. */
    readonly toBare: Spread
  }[]
  /** Whether the client's is within the target; undefined where it is not judged. */
  readonly isMet: boolean | undefined
}

/** Result of the verification part. */
export interface VerificationResult {
  readonly rounds: number
  readonly checksPerRound: number
  /** CPU time of `verifyResponse` to that of node:crypto alone stays below this, on the first answer. */
  readonly ratioTarget: number
  readonly answers: readonly AnswerChecks[]
  readonly audit: {
    readonly versions: number
    readonly runs: number
    readonly seconds: Spread
    readonly cpuSeconds: Spread
    readonly targetSeconds: number
    /** Undefined on a history of another length than the target is for. */
    readonly isMet: boolean | undefined
  }
}

const RATIO_TARGET = 1.3
/** Versions of the history that the target of the audit is for, and how many seconds it may take less than. */
export const AUDITED_VERSIONS = 10_000
const AUDIT_TARGET_SECONDS = 3

function checksOf({ target, bodyBytes, samples }: CheckedAnswer, isJudged: boolean): AnswerChecks {
  const ways = (Object.keys(VERIFICATION_WAYS) as VerificationWay[]).map((way) => ({
    way,
    cpuMicros: spreadOf(samples.map((sample) => sample[way].cpuMicros)),
    waitMicros: spreadOf(samples.map((sample) => sample[way].waitMicros)),
    toBare: spreadOf(samples.map((sample) => sample[way].cpuMicros / sample.nodeCrypto.cpuMicros)),
  }))
  const client = ways.find(({ way }) => way === 'client')
  return {
    target,
    bodyBytes,
    ways,
    isMet: isJudged ? (client?.toBare.median ?? Number.NaN) < RATIO_TARGET : undefined,
  }
}

/** Makes the result of all samples; the first answer is the one that is judged. Throws a RangeError without any. */
export function summarizeVerification(
  checksPerRound: number,
  answers: readonly CheckedAnswer[],
  audits: readonly AuditRun[],
): VerificationResult {
  const versions = audits[0]?.versions ?? 0
  const seconds = spreadOf(audits.map((run) => run.seconds))
  return {
    rounds: answers[0]?.samples.length ?? 0,
    checksPerRound,
    ratioTarget: RATIO_TARGET,
    answers: answers.map((answer, index) => checksOf(answer, index === 0)),
    audit: {
      versions,
      runs: audits.length,
      seconds,
      cpuSeconds: spreadOf(audits.map((run) => run.cpuSeconds)),
      targetSeconds: AUDIT_TARGET_SECONDS,
      isMet: versions === AUDITED_VERSIONS ? seconds.median < AUDIT_TARGET_SECONDS : undefined,
    },
  }
}
