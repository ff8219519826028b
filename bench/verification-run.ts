import { createPublicKey, hash, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { verifyResponse } from '../packages/client/src/verify-response.ts'
import { importKey } from '../packages/client/src/verification-key.ts'
import { HEADERS } from '../src/contract/headers.ts'
import { formatSignedText } from '../src/contract/signature.ts'
import { spreadOf } from './statistics.ts'
import type { CheckSample } from './verification-report.ts'
import type { ResponseToCheck } from './verification.ts'

// Measures the verification of one response, alternating with the cryptography alone. Arguments: a file with the response,
// and the number of checks of each kind.

/** Both kinds alternate in blocks, so that a disturbance affects both. */
const BLOCKS = 8

const [file = '', checks] = process.argv.slice(2)
const { method, target, status, headers, body, key, nowMs } = JSON.parse(
  readFileSync(file, 'utf8'),
) as ResponseToCheck
const perBlock = Math.ceil(Number(checks) / BLOCKS)

function header(wanted: string): string {
  const found = headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())
  if (found === undefined) throw new Error(`expected ${wanted} in the response`)
  return found[1]
}

/** Bytes in their own buffer, as fetch returns them. */
function bytesOf(text: string, encoding: BufferEncoding): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, encoding))
}

const contentDigest = header(HEADERS.contentDigest)
const signedAt = header(HEADERS.signedAt)
const signedText = bytesOf(
  formatSignedText({ method, target, status, signedAt, contentDigest }),
  'latin1',
)
const signature = bytesOf(header(HEADERS.signature), 'base64')
const bodyBytes = bytesOf(body, 'utf8')
const keys = [await importKey(key)]
const verification = { method, target, status, headers, body: bodyBytes, keys, nowMs }
const nodeKey = createPublicKey(key.publicKeyPem)

function checkCryptographyAlone(): void {
  const digest = hash('sha256', bodyBytes, 'buffer')
  if (!verify(null, signedText, nodeKey, signature) || digest.length !== 32) {
    throw new Error('expected a valid signature')
  }
}

/** CPU time per check, all threads. */
async function measureBlock(check: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  for (let number = 0; number < perBlock; number += 1) await check()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / perBlock
}

const client: number[] = []
const cryptography: number[] = []
// The first block is the warm-up.
for (let block = 0; block <= BLOCKS; block += 1) {
  client.push(await measureBlock(() => verifyResponse(verification)))
  cryptography.push(await measureBlock(checkCryptographyAlone))
}
const sample: CheckSample = {
  clientMicros: spreadOf(client.slice(1)).median,
  cryptographyMicros: spreadOf(cryptography.slice(1)).median,
}
process.stdout.write(`${JSON.stringify(sample)}\n`)
