import { judge, targetCells, type PartReport, type Target } from './report.ts'
import { spreadOf } from './statistics.ts'
import { spreadCells, twoDigits, whole } from './table.ts'

/** CPU time of one check in one process, all threads. */
export interface CheckSample {
  /** `verifyResponse` of the client. */
  readonly clientMicros: number
  /** Ed25519 and SHA-256 of the body with node:crypto. */
  readonly cryptographyMicros: number
}

/** All samples of one response. */
export interface CheckedResponse {
  readonly target: string
  readonly bodyBytes: number
  readonly samples: readonly CheckSample[]
}

/** One audit in a new process. */
export interface AuditRun {
  readonly versions: number
  readonly seconds: number
  /** CPU time of the auditing process, all threads. */
  readonly cpuSeconds: number
}

const RATIO_TARGET = 1.3
/** The history length that the audit's target applies to. */
export const AUDITED_VERSIONS = 10_000
const AUDIT_TARGET_SECONDS = 3

const micros = (value: number) => value.toFixed(0)

/** The cells of a target, empty without one. */
function cellsOf([target]: readonly Target[]): readonly string[] {
  return target === undefined ? ['', ''] : targetCells(target)
}

/** The report of the verification part; the first response has the target. Throws a RangeError without samples. */
export function verificationReport(
  checksPerRound: number,
  responses: readonly CheckedResponse[],
  audits: readonly AuditRun[],
): PartReport {
  const checks = responses.map(({ target, bodyBytes, samples }, index) => {
    const ratio = spreadOf(
      samples.map(({ clientMicros, cryptographyMicros }) => clientMicros / cryptographyMicros),
    )
    const what = `verifying a response to ${target}, relative to the cryptography alone`
    return {
      target,
      bodyBytes,
      client: spreadOf(samples.map(({ clientMicros }) => clientMicros)),
      cryptography: spreadOf(samples.map(({ cryptographyMicros }) => cryptographyMicros)),
      ratio,
      judged: index === 0 ? [judge(what, ratio.median, { atMost: RATIO_TARGET }, twoDigits)] : [],
    }
  })
  const versions = audits[0]?.versions ?? 0
  const seconds = spreadOf(audits.map((run) => run.seconds))
  const cpuSeconds = spreadOf(audits.map((run) => run.cpuSeconds))
  const audit = `an audit of ${whole(versions)} versions`
  const judgedAudit =
    versions === AUDITED_VERSIONS
      ? [judge(audit, seconds.median, { atMost: AUDIT_TARGET_SECONDS }, twoDigits)]
      : []
  return {
    tables: [
      {
        title: `Verifying a response (${responses[0]?.samples.length ?? 0} rounds of ${whole(checksPerRound)} checks)`,
        heading: 'response|bytes|client CPU µs|spread|cryptography µs|ratio|spread|target|',
        rows: checks.map((check) => [
          check.target,
          whole(check.bodyBytes),
          ...spreadCells(check.client, micros),
          micros(check.cryptography.median),
          ...spreadCells(check.ratio, twoDigits),
          ...cellsOf(check.judged),
        ]),
      },
      {
        title: 'Auditing a history from a server on the same machine',
        heading: 'versions|runs|seconds|spread|CPU seconds|target|',
        rows: [
          [
            whole(versions),
            String(audits.length),
            ...spreadCells(seconds, twoDigits),
            twoDigits(cpuSeconds.median),
            ...cellsOf(judgedAudit),
          ],
        ],
      },
    ],
    targets: [...checks.flatMap(({ judged }) => judged), ...judgedAudit],
  }
}
