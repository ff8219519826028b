import { createPublicKey, hash, verify } from 'node:crypto'
import { auditHistory } from '@public-api/client-internal/audit-history'
import { createClient } from '@public-api/client-internal/client'
import { importKey } from '@public-api/client-internal/verification-key'
import { verifyResponse } from '@public-api/client-internal/verify-response'
import { HEADERS } from '@public-api/contract/http/headers'
import { formatSignedText } from '@public-api/contract/http/signature'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import type { DataOf } from '@public-api/contract/schemas/schemas'
import type { AuditRun, CheckedResponse } from './verification.ts'

// Measurements in a process of their own. Arguments: `check`, the URL of a response, the number of rounds and of checks in
// each; or `audit` and the origin of a service.

/** Bytes in their own buffer, as fetch returns them. */
function bytesOf(text: string, encoding: BufferEncoding): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, encoding))
}

async function fetchSigningKey(origin: string) {
  const response = await fetch(origin + ENDPOINTS.signingKey.path)
  const { data } = (await response.json()) as { readonly data: DataOf<'SigningKeys'> }
  const [key] = data.keys
  if (key === undefined) throw new Error('expected the service to publish its signing key')
  return key
}

/** The verification of one response, alternating with the cryptography alone. The first round is the warm-up. */
async function measureChecks(
  url: string,
  rounds: number,
  checks: number,
): Promise<CheckedResponse> {
  const { origin, pathname: target } = new URL(url)
  const key = await fetchSigningKey(origin)
  const response = await fetch(url)
  const body = new Uint8Array(await response.arrayBuffer())
  const { status } = response
  const header = (name: string) => response.headers.get(name) ?? ''
  const contentDigest = header(HEADERS.contentDigest)
  const signedAt = header(HEADERS.signedAt)
  const text = formatSignedText({ method: 'GET', target, status, signedAt, contentDigest })
  const signedText = bytesOf(text, 'latin1')
  const signature = bytesOf(header(HEADERS.signature), 'base64')
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
  const checkCryptographyAlone = () => {
    const digest = hash('sha256', body, 'buffer')
    if (!verify(null, signedText, nodeKey, signature) || digest.length !== 32) {
      throw new Error('expected a valid signature')
    }
  }
  /** CPU time of one check in microseconds, all threads. */
  const measureRound = async (check: () => unknown) => {
    const before = process.cpuUsage()
    for (let number = 0; number < checks; number += 1) await check()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / checks
  }
  const clientMicros: number[] = []
  const cryptographyMicros: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    clientMicros.push(await measureRound(() => verifyResponse(verification)))
    cryptographyMicros.push(await measureRound(checkCryptographyAlone))
  }
  return {
    target,
    bodyBytes: body.length,
    clientMicros: clientMicros.slice(1),
    cryptographyMicros: cryptographyMicros.slice(1),
  }
}

/** A first audit of a service. */
async function measureAudit(baseUrl: string): Promise<AuditRun> {
  const client = createClient({ baseUrl })
  const beganMs = performance.now()
  const { versionsRead: versions } = await auditHistory({ client })
  return { versions, seconds: (performance.now() - beganMs) / 1000 }
}

const [mode, url = '', rounds, checks] = process.argv.slice(2)
const result =
  mode === 'audit'
    ? await measureAudit(url)
    : await measureChecks(url, Number(rounds), Number(checks))
process.stdout.write(`${JSON.stringify(result)}\n`)
