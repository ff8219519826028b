import { rmSync } from 'node:fs'
import path from 'node:path'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { appendVersions } from './history-fixture.ts'
import { AUDITED_VERSIONS, type BenchOptions } from './options.ts'
import { runForJson, startService } from './processes.ts'
import {
  type Bound,
  judge,
  medianOf,
  ratiosOf,
  showProgress,
  spreadCells,
  twoDigits,
  whole,
  type Table,
} from './report.ts'
import type { Workspace } from './workspace.ts'

/** CPU times of one check, all threads; figures of one round have the same index. */
export interface Checked {
  /** The check by the client. */
  readonly clientMicros: readonly number[]
  /** Ed25519 and SHA-256 of the body with the library of the language. */
  readonly cryptographyMicros: readonly number[]
}

/** The checks of one response. */
export interface CheckedResponse extends Checked {
  readonly target: string
  readonly bodyBytes: number
}

/** One audit in a new process. */
export interface AuditRun {
  readonly versions: number
  readonly seconds: number
}

/** The response of the other parts, which has the target, and the longest one. */
export const CHECKED_TARGETS = [ENDPOINTS.status.path, ENDPOINTS.openapi.path]
export const CHECKED_HEADING =
  'response|bytes|client CPU µs|spread|cryptography µs|ratio|spread|target|'
const RATIO_TARGET = { atMost: 1.3 }
const AUDIT_TARGET_SECONDS = { atMost: 3 }

/** The row of a response under CHECKED_HEADING. */
export function checkedRow(
  name: string,
  { bodyBytes, clientMicros, cryptographyMicros }: CheckedResponse,
  ratioTarget: Bound | undefined,
): Table['rows'][number] {
  const ratios = ratiosOf(clientMicros, cryptographyMicros)
  const what = `verifying ${name}, relative to the cryptography alone`
  return [
    name,
    whole(bodyBytes),
    ...spreadCells(clientMicros, whole),
    whole(medianOf(cryptographyMicros)),
    ...spreadCells(ratios, twoDigits),
    ...(ratioTarget === undefined
      ? ['', '']
      : [judge(what, medianOf(ratios), ratioTarget, twoDigits)]),
  ]
}

/** The report of the verification part; the first response has the target. Throws a RangeError without figures. */
export function verificationTables(
  checksPerRound: number,
  responses: readonly CheckedResponse[],
  audits: readonly AuditRun[],
): readonly Table[] {
  const versions = audits[0]?.versions ?? 0
  const seconds = audits.map((run) => run.seconds)
  const what = `an audit of ${whole(versions)} versions`
  const target =
    versions === AUDITED_VERSIONS
      ? [judge(what, medianOf(seconds), AUDIT_TARGET_SECONDS, twoDigits)]
      : ['', '']
  return [
    {
      title: `Verifying a response (${responses[0]?.clientMicros.length ?? 0} rounds of ${whole(checksPerRound)} checks)`,
      heading: CHECKED_HEADING,
      rows: responses.map((response, index) =>
        checkedRow(response.target, response, index === 0 ? RATIO_TARGET : undefined),
      ),
    },
    {
      title: 'Auditing a history from a server on the same machine',
      heading: 'versions|runs|seconds|spread|target|',
      rows: [
        [whole(versions), String(audits.length), ...spreadCells(seconds, twoDigits), ...target],
      ],
    },
  ]
}

/** Runs verification-run.ts in a process of its own. */
function runProgram<Found>({ place }: Workspace, ...args: string[]): Promise<Found> {
  const program = `${import.meta.dirname}/verification-run.ts`
  return runForJson(place([process.execPath, program, ...args], 'load'))
}

/** Measures the verification of responses and the audit of a long history, each in processes of their own. */
export async function measureVerification(
  workspace: Workspace,
  options: BenchOptions,
): Promise<readonly Table[]> {
  const { rounds, verificationChecks: checks } = options
  const service = await startService(workspace)
  const responses: CheckedResponse[] = []
  for (const target of CHECKED_TARGETS) {
    showProgress(`verification: ${target}`)
    const url = `http://127.0.0.1:${service.port}${target}`
    responses.push(await runProgram(workspace, 'check', url, String(rounds), String(checks)))
  }
  await service.end()

  const releasesDir = path.join(workspace.folder, 'long-history')
  showProgress(`verification: creating a history of ${options.auditVersions} versions`)
  appendVersions(workspace.releasesDir, releasesDir, options.auditVersions)
  const server = await startService(workspace, { SVC_RELEASES_DIR: releasesDir })
  const audits: AuditRun[] = []
  while (audits.length < options.auditRuns) {
    showProgress(`verification: audit ${audits.length + 1} of ${options.auditRuns}`)
    audits.push(await runProgram(workspace, 'audit', `http://127.0.0.1:${server.port}`))
  }
  await server.end()
  rmSync(releasesDir, { recursive: true })
  return verificationTables(checks, responses, audits)
}
