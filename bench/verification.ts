import { createPublicKey, hash, verify } from 'node:crypto'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@public-api/client-internal/client'
import { auditHistory } from '@public-api/client-internal/history/audit-history'
import { importKey } from '@public-api/client-internal/verification-key'
import { verifyResponse } from '@public-api/client-internal/verify-response'
import { formatSignedText } from '@public-api/contract/http/signature'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import type { DataOf } from '@public-api/contract/registry/schemas'
import { HEADERS } from '@public-api/contract/terms/headers'
import { Bench } from 'tinybench'
import { appendVersions } from './history-fixture.ts'
import { AUDITED_VERSIONS, type BenchOptions } from './options.ts'
import { startService } from './processes.ts'
import {
  judge,
  medianOf,
  showProgress,
  spreadCells,
  twoDigits,
  whole,
  type Table,
} from './report.ts'
import type { Workspace } from './workspace.ts'

/** The response of the other parts, which has the target, and the longest one. */
const CHECKED_TARGETS = [ENDPOINTS.status.path, ENDPOINTS.openapi.path]
const RATIO_TARGET = { atMost: 1.3 }
const AUDIT_TARGET_SECONDS = { atMost: 3 }
const micros = (ms: number): string => whole(ms * 1000)

async function fetchSigningKey(origin: string) {
  const response = await fetch(origin + ENDPOINTS.signingKey.path)
  const { data } = (await response.json()) as { readonly data: DataOf<'SigningKeys'> }
  const [key] = data.keys
  if (key === undefined) throw new Error('expected the service to publish its signing key')
  return key
}

/** The latency of each call in milliseconds, one after the other. Rejects if a call fails. */
async function timeCalls(calls: readonly (() => unknown)[], iterations: number) {
  const limits = { iterations, time: 0, warmupIterations: iterations, warmupTime: 0 }
  const bench = new Bench({ ...limits, throws: true })
  for (const [index, call] of calls.entries()) bench.add(String(index), call)
  await bench.run()
  return bench.tasks.map(({ result }) => {
    if (result.state !== 'completed') throw new Error('expected a measurement')
    return result.latency
  })
}

/** The row of one response: its verification next to the cryptography alone. */
async function checkedRow(origin: string, target: string, checks: number) {
  const key = await fetchSigningKey(origin)
  const response = await fetch(origin + target)
  const body = new Uint8Array(await response.arrayBuffer())
  const { status } = response
  const header = (name: string) => response.headers.get(name) ?? ''
  const contentDigest = header(HEADERS.contentDigest)
  const signedAt = header(HEADERS.signedAt)
  const text = formatSignedText({ method: 'GET', target, status, signedAt, contentDigest })
  const signedText = Uint8Array.from(Buffer.from(text, 'latin1'))
  const signature = Uint8Array.from(Buffer.from(header(HEADERS.signature), 'base64'))
  const verification = {
    method: 'GET',
    target,
    status,
    headers: [...response.headers],
    body,
    keys: [await importKey(key)],
    nowMs: Date.now(),
  }
  const nodeKey = createPublicKey(key.publicKeyPem)
  const verifyAlone = () => {
    const digest = hash('sha256', body, 'buffer')
    if (!verify(null, signedText, nodeKey, signature) || digest.length !== 32) {
      throw new Error('expected a valid signature')
    }
  }
  const times = await timeCalls([() => verifyResponse(verification), verifyAlone], checks)
  const [client = Number.NaN, cryptography = Number.NaN] = times.map(({ p50 }) => p50)
  const ratio = client / cryptography
  const what = `verifying ${target}, relative to the cryptography alone`
  const isJudged = target === CHECKED_TARGETS[0]
  return [
    target,
    whole(body.length),
    ...[client, times[0]?.p75 ?? 0, times[0]?.p99 ?? 0, cryptography].map(micros),
    twoDigits(ratio),
    ...(isJudged ? [judge(what, ratio, RATIO_TARGET, twoDigits)] : ['', '']),
  ]
}

/** Measures the verification of responses and the audit of a long history. */
export async function measureVerification(
  workspace: Workspace,
  { verificationChecks: checks, auditVersions, auditRuns }: BenchOptions,
): Promise<readonly Table[]> {
  const service = await startService(workspace)
  const rows: Table['rows'][number][] = []
  for (const target of CHECKED_TARGETS) {
    showProgress(`verification: ${target}`)
    rows.push(await checkedRow(`http://127.0.0.1:${service.port}`, target, checks))
  }
  await service.end()

  const releasesDir = path.join(workspace.folder, 'long-history')
  showProgress(`verification: creating a history of ${auditVersions} versions`)
  appendVersions(workspace.releasesDir, releasesDir, auditVersions)
  const server = await startService(workspace, { SVC_RELEASES_DIR: releasesDir })
  const seconds: number[] = []
  while (seconds.length < auditRuns) {
    showProgress(`verification: audit ${seconds.length + 1} of ${auditRuns}`)
    const beganMs = performance.now()
    await auditHistory({ client: createClient({ baseUrl: `http://127.0.0.1:${server.port}` }) })
    seconds.push((performance.now() - beganMs) / 1000)
  }
  await server.end()
  rmSync(releasesDir, { recursive: true })
  const what = `an audit of ${whole(auditVersions)} versions`
  const target =
    auditVersions === AUDITED_VERSIONS
      ? [judge(what, medianOf(seconds), AUDIT_TARGET_SECONDS, twoDigits)]
      : ['', '']
  return [
    {
      title: `Verifying a response (${whole(checks)} checks)`,
      heading: `response|bytes|client µs: median|75th of 100|99th of 100|cryptography µs|ratio|target|`,
      rows,
    },
    {
      title: 'Auditing a history from a server on the same machine',
      heading: 'versions|runs|seconds|spread|target|',
      rows: [
        [whole(auditVersions), String(auditRuns), ...spreadCells(seconds, twoDigits), ...target],
      ],
    },
  ]
}
