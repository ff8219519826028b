import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PublishedKey } from '../src/client/verification-key.ts'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import type { DataOf } from '../src/contract/schemas.ts'
import { startChild } from './children.ts'
import { boundTo } from './cores.ts'
import type { CostParts } from './cost.ts'
import { makeHistory } from './made-history.ts'
import { askOnce } from './same-answer.ts'
import { startService } from './server.ts'
import {
  summarizeVerification,
  type AuditRun,
  type CheckSample,
  type VerificationResult,
} from './verification-result.ts'

/** An answer of the service with the key that signed it, as the process that checks it reads it from a file. */
export interface AnswerToCheck {
  readonly method: string
  readonly target: string
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly key: PublishedKey & { readonly publicKeyPem: string }
  /** The verifier's clock. */
  readonly nowMs: number
}

/** What is checked: the answer of the other parts, which is the one that is judged, and the longest there is. */
const TARGETS = [ENDPOINTS.status.path, ENDPOINTS.openapi.path]

const CHECK_PROGRAM = new URL('verification-run.ts', import.meta.url)
const AUDIT_PROGRAM = new URL('audit-run.ts', import.meta.url)

/** Asks a service for an answer to each target, with the key that it signs with. */
async function askForAnswers({ workspace, cores }: CostParts): Promise<readonly AnswerToCheck[]> {
  const server = await startService(workspace, cores.server)
  try {
    const { body: keysBody } = await askOnce(server.port, ENDPOINTS.signingKey.path)
    const [key] = (JSON.parse(keysBody) as { readonly data: DataOf<'SigningKeys'> }).data.keys
    if (key === undefined) throw new Error('expected the service to name its signing key')
    const answers: AnswerToCheck[] = []
    for (const target of TARGETS) {
      const { status, rawHeaders, body } = await askOnce(server.port, target)
      const headers: [string, string][] = []
      for (let index = 0; index < rawHeaders.length; index += 2) {
        headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
      }
      answers.push({ method: 'GET', target, status, headers, body, key, nowMs: Date.now() })
    }
    return answers
  } finally {
    await server.end()
  }
}

/** Runs a program on a processor, and reads the line of JSON that it ends with. */
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

/** Audits a long history, each time by a process that knows nothing of it. */
async function auditAll({
  workspace,
  cores,
  options,
  progress,
}: CostParts): Promise<readonly AuditRun[]> {
  const releasesDir = path.join(workspace.folder, 'long-history')
  progress(`verification: making a history of ${options.auditVersions} versions`)
  makeHistory(workspace.env['SVC_RELEASES_DIR'] ?? '', releasesDir, options.auditVersions)
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

/**
 * Measures what a verifier adds: the check of one answer by the client beside the cryptography in it alone, in a fresh
 * process each round, and the audit of a long history.
 */
export async function measureVerification(parts: CostParts): Promise<VerificationResult> {
  const { workspace, cores, options, progress } = parts
  const file = path.join(workspace.folder, 'answer-to-check.json')
  const checked = (await askForAnswers(parts)).map((answer) => ({
    answer,
    samples: [] as CheckSample[],
  }))
  for (let round = 1; round <= options.verificationRounds; round += 1) {
    for (const { answer, samples } of checked) {
      progress(`verification: round ${round} of ${options.verificationRounds}, ${answer.target}`)
      writeFileSync(file, JSON.stringify(answer))
      const args = [file, String(options.verificationChecks)]
      samples.push(await runProgram<CheckSample>(cores.server, CHECK_PROGRAM, args))
    }
  }
  return summarizeVerification(
    options.verificationChecks,
    checked.map(({ answer: { target, body }, samples }) => ({
      target,
      bodyBytes: Buffer.byteLength(body),
      samples,
    })),
    await auditAll(parts),
  )
}
