import { createPublicKey, hash, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { auditHistory } from '../packages/client/src/audit-history.ts'
import { createClient } from '../packages/client/src/client.ts'
import { verifyResponse } from '../packages/client/src/verify-response.ts'
import { importKey } from '../packages/client/src/verification-key.ts'
import { HEADERS } from '../src/contract/headers.ts'
import { formatSignedText } from '../src/contract/signature.ts'
import { medianOf } from './report.ts'
import type { AuditRun, CheckSample, ResponseToCheck } from './verification.ts'

// One measurement in a process of its own. Arguments: `check`, a file with a response and the number of checks of each kind;
// or `audit` and the origin of a service.

/** Both kinds of check alternate in blocks, so that a disturbance affects both. */
const BLOCKS = 8

/** CPU time of some work, all threads, in microseconds. */
async function cpuMicrosOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Bytes in their own buffer, as fetch returns them. */
function bytesOf(text: string, encoding: BufferEncoding): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, encoding))
}

/** The verification of one response, alternating with the cryptography alone. */
async function measureChecks(response: ResponseToCheck, checks: number): Promise<CheckSample> {
  const { method, target, status, key } = response
  const headers = response.headers.map(([name, value]): [string, string] => [name, value])
  const header = (name: string) => new Headers(headers).get(name) ?? ''
  const contentDigest = header(HEADERS.contentDigest)
  const signedAt = header(HEADERS.signedAt)
  const text = formatSignedText({ method, target, status, signedAt, contentDigest })
  const signedText = bytesOf(text, 'latin1')
  const signature = bytesOf(header(HEADERS.signature), 'base64')
  const body = bytesOf(response.body, 'utf8')
  const verification = { ...response, body, keys: [await importKey(key)] }
  const nodeKey = createPublicKey(key.publicKeyPem)

  const checkCryptographyAlone = () => {
    const digest = hash('sha256', body, 'buffer')
    if (!verify(null, signedText, nodeKey, signature) || digest.length !== 32) {
      throw new Error('expected a valid signature')
    }
  }
  const perBlock = Math.ceil(checks / BLOCKS)
  const measureBlock = async (check: () => unknown) => {
    const micros = await cpuMicrosOf(async () => {
      for (let number = 0; number < perBlock; number += 1) await check()
    })
    return micros / perBlock
  }
  const client: number[] = []
  const cryptography: number[] = []
  // The first block is the warm-up.
  for (let block = 0; block <= BLOCKS; block += 1) {
    client.push(await measureBlock(() => verifyResponse(verification)))
    cryptography.push(await measureBlock(checkCryptographyAlone))
  }
  return {
    clientMicros: medianOf(client.slice(1)),
    cryptographyMicros: medianOf(cryptography.slice(1)),
  }
}

/** A first audit of a service. */
async function measureAudit(baseUrl: string): Promise<AuditRun> {
  const client = createClient({ baseUrl })
  const beganMs = performance.now()
  let versions = 0
  const cpuMicros = await cpuMicrosOf(async () => {
    versions = (await auditHistory({ client })).versionsRead
  })
  return { versions, seconds: (performance.now() - beganMs) / 1000, cpuSeconds: cpuMicros / 1e6 }
}

const [mode, source = '', checks] = process.argv.slice(2)
const result =
  mode === 'audit'
    ? await measureAudit(source)
    : await measureChecks(
        JSON.parse(readFileSync(source, 'utf8')) as ResponseToCheck,
        Number(checks),
      )
process.stdout.write(`${JSON.stringify(result)}\n`)
