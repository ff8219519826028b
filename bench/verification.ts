import { createPublicKey, hash, verify } from 'node:crypto'
import { importKey } from '@public-api/client-internal/verification-key'
import { verifyResponse } from '@public-api/client-internal/verify-response'
import { formatSignedText } from '@public-api/contract/http/signature'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import type { DataOf } from '@public-api/contract/registry/schemas'
import { HEADERS } from '@public-api/contract/terms/headers'
import { Bench } from 'tinybench'
import type { BenchOptions } from './options.ts'
import { startService } from './processes.ts'
import { judge, showProgress, twoDigits, whole, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

/** The response of the other parts, and the longest one. */
const CHECKED_TARGETS = [ENDPOINTS.status.path, ENDPOINTS.openapi.path]
const RATIO_TARGETS = [{ atMost: 1.3 }, { atMost: 6 }] as const
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
  const bound = RATIO_TARGETS[target === CHECKED_TARGETS[0] ? 0 : 1]
  return [
    target,
    whole(body.length),
    ...[client, times[0]?.p75 ?? 0, times[0]?.p99 ?? 0, cryptography].map(micros),
    twoDigits(ratio),
    judge(what, ratio, bound, twoDigits),
  ]
}

/** Measures the verification of responses. */
export async function measureVerification(
  workspace: Workspace,
  { verificationChecks: checks }: BenchOptions,
): Promise<readonly Table[]> {
  const service = await startService(workspace)
  const rows: Table['rows'][number][] = []
  for (const target of CHECKED_TARGETS) {
    showProgress(`verification: ${target}`)
    rows.push(await checkedRow(`http://127.0.0.1:${service.port}`, target, checks))
  }
  await service.end()
  return [
    {
      title: `Verifying a response (${whole(checks)} checks)`,
      heading: `response|bytes|client µs: median|75th of 100|99th of 100|cryptography µs|ratio|target|`,
      rows,
    },
  ]
}
