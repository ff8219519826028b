import { createPublicKey, hash, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { verifyResponse } from '../src/client/verify-response.ts'
import { importKey } from '../src/client/verification-key.ts'
import { HEADERS } from '../src/contract/headers.ts'
import { formatSignedText } from '../src/contract/signature.ts'
import { spreadOf } from './statistics.ts'
import type { CheckSample, CheckTimes, VerificationWay } from './verification-result.ts'
import type { AnswerToCheck } from './verification.ts'

// What it costs to check one answer, in a process that does nothing else: with the client, and with nothing but the
// cryptography in it, the ways in turn. Arguments: a file with the answer, and how many checks of a kind are measured.

/** The checks of a kind go in blocks, so that what else the machine does meets all kinds alike. */
const BLOCKS = 8

const [file = '', checks] = process.argv.slice(2)
const { method, target, status, headers, body, key, nowMs } = JSON.parse(
  readFileSync(file, 'utf8'),
) as AnswerToCheck
const perBlock = Math.ceil(Number(checks) / BLOCKS)

function header(wanted: string): string {
  const found = headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())
  if (found === undefined) throw new Error(`expected ${wanted} in the answer`)
  return found[1]
}

/** Bytes in memory of their own, as a fetch gives them. */
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
const question = {
  method,
  target,
  status,
  headers,
  body: bodyBytes,
  keys: [await importKey(key)],
  nowMs,
}
const rawKey = bytesOf(key.jwk.x, 'base64url')
const webKey = await crypto.subtle.importKey('raw', rawKey, 'Ed25519', false, ['verify'])
const nodeKey = createPublicKey(key.publicKeyPem)

function requireRight(isRight: boolean): void {
  if (!isRight) throw new Error('expected the answer to hold')
}

const WAYS: { readonly [Way in VerificationWay]: () => unknown } = {
  client: () => verifyResponse(question),
  async webCrypto() {
    const [isRight, digest] = await Promise.all([
      crypto.subtle.verify('Ed25519', webKey, signature, signedText),
      crypto.subtle.digest('SHA-256', bodyBytes),
    ])
    requireRight(isRight && digest.byteLength === 32)
  },
  nodeCrypto() {
    const digest = hash('sha256', bodyBytes, 'buffer')
    requireRight(verify(null, signedText, nodeKey, signature) && digest.length === 32)
  },
}

async function measureBlock(check: () => unknown): Promise<CheckTimes> {
  const beganMs = performance.now()
  const before = process.cpuUsage()
  for (let number = 0; number < perBlock; number += 1) await check()
  const { user, system } = process.cpuUsage(before)
  return {
    cpuMicros: (user + system) / perBlock,
    waitMicros: ((performance.now() - beganMs) * 1000) / perBlock,
  }
}

const blocks: Record<VerificationWay, CheckTimes[]> = { client: [], webCrypto: [], nodeCrypto: [] }
// The first block is there for V8.
for (let block = 0; block <= BLOCKS; block += 1) {
  for (const way of Object.keys(WAYS) as VerificationWay[]) {
    const times = await measureBlock(WAYS[way])
    if (block > 0) blocks[way].push(times)
  }
}

function middleOf(way: VerificationWay): CheckTimes {
  return {
    cpuMicros: spreadOf(blocks[way].map(({ cpuMicros }) => cpuMicros)).median,
    waitMicros: spreadOf(blocks[way].map(({ waitMicros }) => waitMicros)).median,
  }
}

const sample: CheckSample = {
  client: middleOf('client'),
  webCrypto: middleOf('webCrypto'),
  nodeCrypto: middleOf('nodeCrypto'),
}
process.stdout.write(`${JSON.stringify(sample)}\n`)
