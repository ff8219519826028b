import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { PublishedKey } from '../packages/client/src/verification-key.ts'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import type { DataOf } from '../src/contract/schemas.ts'
import { appendVersions } from './history-fixture.ts'
import type { BenchContext } from './load.ts'
import { AUDITED_VERSIONS } from './options.ts'
import { startChild, startService } from './processes.ts'
import {
  judge,
  medianOf,
  ratiosOf,
  spreadCells,
  twoDigits,
  whole,
  type PartReport,
} from './report.ts'

/** A response of the service with its signing key, in the file that the checking process reads. */
export interface ResponseToCheck {
  readonly method: string
  readonly target: string
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly key: PublishedKey & { readonly publicKeyPem: string }
  /** The verifier's clock. */
  readonly nowMs: number
}

/** CPU time of one check in one process, all threads. */
export interface CheckSample {
  /** `verifyResponse` of the client. */
  readonly clientMicros: number
  /** Ed25519 and SHA-256 of the body with node:crypto. */
  readonly cryptographyMicros: number
}

/** All samples of one response. */
interface CheckedResponse {
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

/** The response of the other parts, which has the target, and the longest one. */
const TARGETS = [ENDPOINTS.status.path, ENDPOINTS.openapi.path]
const RATIO_TARGET = 1.3
const AUDIT_TARGET_SECONDS = 3

/** The report of the verification part; the first response has the target. Throws a RangeError without samples. */
export function verificationReport(
  checksPerRound: number,
  responses: readonly CheckedResponse[],
  audits: readonly AuditRun[],
): PartReport {
  const checkRow = ({ target, bodyBytes, samples }: CheckedResponse, index: number) => {
    const client = samples.map(({ clientMicros }) => clientMicros)
    const cryptography = samples.map(({ cryptographyMicros }) => cryptographyMicros)
    const ratios = ratiosOf(client, cryptography)
    const what = `verifying a response to ${target}, relative to the cryptography alone`
    return [
      target,
      whole(bodyBytes),
      ...spreadCells(client, whole),
      whole(medianOf(cryptography)),
      ...spreadCells(ratios, twoDigits),
      ...(index === 0
        ? [judge(what, medianOf(ratios), { atMost: RATIO_TARGET }, twoDigits)]
        : ['', '']),
    ]
  }
  const versions = audits[0]?.versions ?? 0
  const seconds = audits.map((run) => run.seconds)
  const what = `an audit of ${whole(versions)} versions`
  return {
    tables: [
      {
        title: `Verifying a response (${responses[0]?.samples.length ?? 0} rounds of ${whole(checksPerRound)} checks)`,
        heading: 'response|bytes|client CPU µs|spread|cryptography µs|ratio|spread|target|',
        rows: responses.map(checkRow),
      },
      {
        title: 'Auditing a history from a server on the same machine',
        heading: 'versions|runs|seconds|spread|CPU seconds|target|',
        rows: [
          [
            whole(versions),
            String(audits.length),
            ...spreadCells(seconds, twoDigits),
            twoDigits(medianOf(audits.map(({ cpuSeconds }) => cpuSeconds))),
            ...(versions === AUDITED_VERSIONS
              ? [judge(what, medianOf(seconds), { atMost: AUDIT_TARGET_SECONDS }, twoDigits)]
              : ['', '']),
          ],
        ],
      },
    ],
  }
}

/** Fetches each target from the service, with its signing key. */
async function fetchResponses({ workspace }: BenchContext): Promise<readonly ResponseToCheck[]> {
  const { port, end } = await startService(workspace)
  const origin = `http://127.0.0.1:${port}`
  const keysResponse = await fetch(origin + ENDPOINTS.signingKey.path)
  const { data } = (await keysResponse.json()) as { readonly data: DataOf<'SigningKeys'> }
  const [key] = data.keys
  if (key === undefined) throw new Error('expected the service to publish its signing key')
  const responses: ResponseToCheck[] = []
  for (const target of TARGETS) {
    const response = await fetch(origin + target)
    const headers = [...response.headers]
    const body = await response.text()
    const { status } = response
    responses.push({ method: 'GET', target, status, headers, body, key, nowMs: Date.now() })
  }
  await end()
  return responses
}

/** Runs verification-run.ts on a processor and parses the line of JSON that it prints. */
async function runProgram<Found>(core: number | undefined, ...args: string[]): Promise<Found> {
  const program = `${import.meta.dirname}/verification-run.ts`
  const child = startChild([process.execPath, program, ...args], { core })
  try {
    return await child.firstLine((line) =>
      line.startsWith('{') ? (JSON.parse(line) as Found) : undefined,
    )
  } finally {
    await child.end()
  }
}

/** Audits a long history several times, each time in a new process. */
async function auditAll({
  workspace,
  options,
  progress,
}: BenchContext): Promise<readonly AuditRun[]> {
  const releasesDir = path.join(workspace.folder, 'long-history')
  progress(`verification: creating a history of ${options.auditVersions} versions`)
  appendVersions(workspace.releasesDir, releasesDir, options.auditVersions)
  const server = await startService(workspace, { SVC_RELEASES_DIR: releasesDir })
  const origin = `http://127.0.0.1:${server.port}`
  const runs: AuditRun[] = []
  while (runs.length < options.auditRuns) {
    progress(`verification: audit ${runs.length + 1} of ${options.auditRuns}`)
    runs.push(await runProgram<AuditRun>(workspace.cores.generator, 'audit', origin))
  }
  await server.end()
  rmSync(releasesDir, { recursive: true })
  return runs
}

/** Measures the verification of one response, in a new process per round, and the audit of a long history. */
export async function measureVerification(context: BenchContext): Promise<PartReport> {
  const { workspace, options, progress } = context
  const file = path.join(workspace.folder, 'response-to-check.json')
  const checks = String(options.verificationChecks)
  const responses = await fetchResponses(context)
  const checked = responses.map(({ target, body }) => ({
    target,
    bodyBytes: Buffer.byteLength(body),
    samples: [] as CheckSample[],
  }))
  for (let round = 1; round <= options.verificationRounds; round += 1) {
    for (const [index, response] of responses.entries()) {
      progress(`verification: round ${round} of ${options.verificationRounds}, ${response.target}`)
      writeFileSync(file, JSON.stringify(response))
      const sample = await runProgram<CheckSample>(workspace.cores.server, 'check', file, checks)
      checked[index]?.samples.push(sample)
    }
  }
  return verificationReport(options.verificationChecks, checked, await auditAll(context))
}
