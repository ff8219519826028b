import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PublishedKey } from '../packages/client/src/verification-key.ts'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import type { DataOf } from '../src/contract/schemas.ts'
import { startChild } from './children.ts'
import { boundTo } from './cores.ts'
import type { BenchContext } from './cost.ts'
import { writeHistory } from './history-fixture.ts'
import type { PartReport } from './report.ts'
import { fetchOnce } from './response-equality.ts'
import { startService } from './server.ts'
import { verificationReport, type AuditRun, type CheckSample } from './verification-report.ts'

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

/** The response of the other parts, which has the target, and the longest one. */
const TARGETS = [ENDPOINTS.status.path, ENDPOINTS.openapi.path]

const CHECK_PROGRAM = new URL('verification-run.ts', import.meta.url)
const AUDIT_PROGRAM = new URL('audit-run.ts', import.meta.url)

/** Fetches each target from the service, with its signing key. */
async function fetchResponses({
  workspace,
  cores,
}: BenchContext): Promise<readonly ResponseToCheck[]> {
  const server = await startService(workspace, cores.server)
  try {
    const { body: keysBody } = await fetchOnce(server.port, ENDPOINTS.signingKey.path)
    const [key] = (JSON.parse(keysBody.toString()) as { readonly data: DataOf<'SigningKeys'> }).data
      .keys
    if (key === undefined) throw new Error('expected the service to publish its signing key')
    const responses: ResponseToCheck[] = []
    for (const target of TARGETS) {
      const { status, fields, body } = await fetchOnce(server.port, target)
      const response = { method: 'GET', target, status, headers: fields, body: body.toString() }
      responses.push({ ...response, key, nowMs: Date.now() })
    }
    return responses
  } finally {
    await server.end()
  }
}

/** Runs a program on a processor and parses the line of JSON that it prints. */
async function runProgram<Found>(
  core: number | undefined,
  program: URL,
  args: readonly string[],
): Promise<Found> {
  const command = [process.execPath, fileURLToPath(program), ...args]
  const child = startChild(boundTo(core, command), { ipc: false })
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
  cores,
  options,
  progress,
}: BenchContext): Promise<readonly AuditRun[]> {
  const releasesDir = path.join(workspace.folder, 'long-history')
  progress(`verification: creating a history of ${options.auditVersions} versions`)
  writeHistory(workspace.env['SVC_RELEASES_DIR'] ?? '', releasesDir, options.auditVersions)
  const env = { ...workspace.env, SVC_RELEASES_DIR: releasesDir }
  const server = await startService({ ...workspace, env }, cores.server)
  try {
    const runs: AuditRun[] = []
    while (runs.length < options.auditRuns) {
      progress(`verification: audit ${runs.length + 1} of ${options.auditRuns}`)
      const origin = `http://127.0.0.1:${server.port}`
      runs.push(await runProgram<AuditRun>(cores.generator, AUDIT_PROGRAM, [origin]))
    }
    return runs
  } finally {
    await server.end()
    rmSync(releasesDir, { recursive: true, force: true })
  }
}

/** Measures the verification of one response, in a new process per round, and the audit of a long history. */
export async function measureVerification(context: BenchContext): Promise<PartReport> {
  const { workspace, cores, options, progress } = context
  const file = path.join(workspace.folder, 'response-to-check.json')
  const checked = (await fetchResponses(context)).map((response) => ({
    response,
    samples: [] as CheckSample[],
  }))
  for (let round = 1; round <= options.verificationRounds; round += 1) {
    for (const { response, samples } of checked) {
      progress(`verification: round ${round} of ${options.verificationRounds}, ${response.target}`)
      writeFileSync(file, JSON.stringify(response))
      const args = [file, String(options.verificationChecks)]
      samples.push(await runProgram<CheckSample>(cores.server, CHECK_PROGRAM, args))
    }
  }
  return verificationReport(
    options.verificationChecks,
    checked.map(({ response: { target, body }, samples }) => ({
      target,
      bodyBytes: Buffer.byteLength(body),
      samples,
    })),
    await auditAll(context),
  )
}
