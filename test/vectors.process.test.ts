import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { test } from 'node:test'
import { VERIFICATION_FAULTS } from '@public-api/client-internal/verification-error'
import { findVectorDrift } from '../scripts/write-vectors.ts'
import { madeHistory } from './support/made-releases.ts'
import { runApp } from './support/running-app.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import {
  type HeaderPair,
  type VectorOutcome,
  type Vector,
  type VectorResponse,
} from './support/vector.ts'
import { RECORDED } from './vectors/build-vectors.ts'
import { REQUEST_ID } from './vectors/recorded-responses.ts'

const FOLDER = new URL('vectors/', import.meta.url)

const VECTORS: ReadonlyMap<string, Vector> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [
      file.slice(0, -'.json'.length),
      JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Vector,
    ]),
)

// What follows up to the first test is written from README.md and takes nothing from src: it is the second opinion.

/** A signature as found: its text, its bytes, and whether node:crypto accepts it. */
interface FoundSignature {
  readonly text: string
  readonly signature: Buffer
  readonly isValid: boolean
}

interface Verdict {
  readonly outcome: VectorOutcome
  readonly warnings?: readonly string[]
  readonly signatures: readonly FoundSignature[]
}

function header({ headers }: VectorResponse, name: string): string | undefined {
  const lines = headers.filter(([each]) => each.toLowerCase() === name)
  return lines.length === 0 ? undefined : lines.map(([, value]) => value.trim()).join(', ')
}

function sha256(bytes: Buffer | string, encoding: 'base64' | 'base64url'): string {
  return createHash('sha256').update(bytes).digest(encoding)
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

/** Encodings of the points whose order divides 8, without the sign. */
const SMALL_ORDER = new Set([
  `00${'00'.repeat(31)}`,
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
])

function isPoint(bytes: Buffer): boolean {
  const positive = Buffer.from(bytes)
  positive[31] = (positive[31] ?? 0) & 127
  const isReduced = !/^(?:ed|ee|ef|f.)(?:ff){30}7f$/.test(positive.toString('hex'))
  return isReduced && !SMALL_ORDER.has(positive.toString('hex'))
}

/** The order of the group, most significant byte first: hexadecimal of one length compares like the numbers. */
const ORDER = '1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed'

function isSignatureForm(text: string, bytes: Buffer): boolean {
  const isExact = bytes.length === 64 && bytes.toString('base64') === text
  return (
    isExact &&
    isPoint(bytes.subarray(0, 32)) &&
    Buffer.from(bytes.subarray(32).toReversed()).toString('hex') < ORDER
  )
}

function isTime(text: string): boolean {
  const at = new Date(text)
  return !Number.isNaN(at.getTime()) && at.toISOString() === text
}

function parseJson(
  body: Buffer,
): { readonly requestId?: string | null; readonly data?: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    let members = 0
    const content = JSON.parse(text, function (this: unknown, _, value: unknown) {
      const isText = typeof value !== 'string' || value.isWellFormed()
      if (!isText || value === Infinity) throw new TypeError('no canonical form')
      if (!Array.isArray(this)) members += 1
      return value
    }) as { requestId?: string | null; data?: unknown }
    const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    // The outermost value counts as a member, and has no colon.
    if (bare.split(':').length !== members) throw new TypeError('a name twice')
    let [deepest, depth] = [0, 0]
    for (const character of bare) {
      if (character === '[' || character === '{') deepest = Math.max(deepest, (depth += 1))
      if (character === ']' || character === '}') depth -= 1
    }
    return deepest > 128 ? undefined : content
  } catch {
    return undefined
  }
}

function checkVector(vector: Vector): Verdict {
  const { publicKey, pinnedKeyId, response, revalidation } = vector
  const { method, target } = vector.request
  const signatures: FoundSignature[] = []
  const end = (outcome: VectorOutcome): Verdict => ({ outcome, signatures })
  const { crv, kty, x } = publicKey.jwk
  const point = Buffer.from(x, 'base64url')
  const isExactKey = point.length === 32 && point.toString('base64url') === x
  if (!isExactKey || !isPoint(point)) return end('UNKNOWN_KEY')
  if (sha256(JSON.stringify({ crv, kty, x }), 'base64url') !== pinnedKeyId)
    return end('UNKNOWN_KEY')
  const key: KeyObject = createPublicKey({ key: { crv, kty, x }, format: 'jwk' })
  const nowMs = Date.parse(vector.now)
  const isFresh = (at: string) => nowMs - Date.parse(at) <= vector.maxAgeSeconds * 1000
  const faultOf = (
    lines: readonly string[],
    base64: string,
    at: string,
    wrong: VectorOutcome,
  ): VectorOutcome | undefined => {
    const text = lines.join('\n')
    const signature = Buffer.from(base64, 'base64')
    const isRightForm = isSignatureForm(base64, signature)
    const isValid = isRightForm && verify(null, Buffer.from(text, 'latin1'), key, signature)
    if (isRightForm) signatures.push({ text, signature, isValid })
    if (!isValid) return wrong
    if (!isTime(at)) return 'MALFORMED'
    const atMs = Date.parse(at)
    if (atMs - nowMs > 300_000) return 'FUTURE'
    const { notBefore = at, notAfter = at } = publicKey
    return atMs < Date.parse(notBefore) || atMs > Date.parse(notAfter) ? 'KEY_PERIOD' : undefined
  }
  const checkProof = (
    proved: VectorResponse,
    absent: VectorOutcome,
    own: readonly string[],
  ): VectorOutcome => {
    const proof = header(proved, 'x-svc-revalidated')
    if (proof === undefined) return absent
    const [, at = '', signature = ''] = /^(.*?); (.*)$/.exec(proof) ?? []
    const textOf = (etag: string) => ['svc-revalidation-v1', method, target, '304', at, etag]
    const isOf = (etag: string) =>
      verify(null, Buffer.from(textOf(etag).join('\n')), key, Buffer.from(signature, 'base64'))
    const stated = header(proved, 'etag') ?? ''
    const etag = own.find(isOf) ?? stated
    const fault = faultOf(textOf(etag), signature, at, 'REVALIDATION')
    if (fault !== undefined || !isFresh(at)) return fault ?? 'STALE'
    return own.includes(etag) ? 'ok' : 'ETAG'
  }
  const warningsOf = (own: string | undefined, requestId: string | null | undefined) => [
    ...((header(response, 'etag') ?? own) === own ? [] : ['ETAG']),
    ...(requestId === undefined || (header(response, 'x-request-id') ?? requestId) === requestId
      ? []
      : ['REQUEST_ID']),
  ]

  if (response.status === 304) {
    const named = header({ ...response, headers: vector.request.headers }, 'if-none-match') ?? ''
    const tags = named === '' ? [] : named.split(', ').map((tag) => `W/${tag.replace('W/', '')}`)
    const stated = header(response, 'etag') ?? ''
    const own = named === '*' ? [stated] : tags
    const outcome = checkProof(response, 'UNSIGNED', own)
    return { outcome, signatures, warnings: warningsOf(own.includes(stated) ? stated : own[0], '') }
  }
  const digest = header(response, 'content-digest')
  const signedAt = header(response, 'x-svc-signed-at')
  const signature = header(response, 'x-svc-signature')
  if (digest === undefined || signedAt === undefined || signature === undefined) {
    return end('UNSIGNED')
  }
  const body = Buffer.from(response.bodyBase64 ?? '', 'base64')
  const stated = digest.split(', ').findLast((member) => member.startsWith('sha-256='))
  if (stated !== `sha-256=:${sha256(body, 'base64')}:`) return end('DIGEST')
  const lines = ['svc-response-v1', method, target, String(response.status), signedAt, digest]
  const fault = faultOf(lines, signature, signedAt, 'SIGNATURE')
  if (fault !== undefined) return end(fault)
  const renewal = isFresh(signedAt) ? undefined : (revalidation ?? response)
  const content = parseJson(body)
  const own =
    content?.data === undefined ? undefined : `W/"${sha256(canonical(content.data), 'base64url')}"`
  const proved = renewal === undefined ? 'ok' : checkProof(renewal, 'STALE', own ? [own] : [])
  if (proved !== 'ok') return end(proved)
  if (content === undefined) return end('MALFORMED')
  return { outcome: 'ok', signatures, warnings: warningsOf(own, content.requestId) }
}

/** The version of the OpenSSL program where it can verify Ed25519 (3.0 and later), else why not. */
function findOpenssl(): { readonly missing?: string } {
  const { stdout, error } = spawnSync('openssl', ['version'], { encoding: 'utf8' })
  if (error !== undefined) return { missing: 'the openssl program is not installed' }
  const major = Number(/^OpenSSL (\d+)\./.exec(stdout)?.[1])
  return major >= 3 ? {} : { missing: `expected OpenSSL 3 or later, found ${stdout.trim()}` }
}

function opensslAccepts(
  folder: string,
  pem: string,
  { text, signature }: Pick<FoundSignature, 'text' | 'signature'>,
): boolean {
  const [keyFile, textFile, signatureFile] = ['key.pem', 'text', 'signature'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string]
  writeFileSync(keyFile, pem)
  writeFileSync(textFile, text, 'latin1')
  writeFileSync(signatureFile, signature)
  const args = ['-verify', '-pubin', '-inkey', keyFile, '-rawin', '-in', textFile]
  const { status } = spawnSync('openssl', ['pkeyutl', ...args, '-sigfile', signatureFile])
  return status === 0
}

test("the committed files match the app's current responses", async () => {
  assert.deepEqual(await findVectorDrift(), [])
})

test('an independent verifier returns the expected outcome for every case', () => {
  assert.ok(VECTORS.size >= 80)
  for (const [name, vector] of VECTORS) {
    const { outcome, signatures, warnings } = checkVector(vector)
    assert.equal(outcome, vector.expected, `${name}: ${vector.description}`)
    if (outcome !== 'ok') continue
    assert.deepEqual(warnings, vector.warnings ?? [], name)
    const texts = [vector.signedText, vector.revalidationText].filter((text) => text !== undefined)
    assert.deepEqual(
      signatures.map(({ text }) => text),
      texts,
      name,
    )
    for (const { now, expected, revalidation } of vector.chain ?? []) {
      const link = checkVector({ ...vector, now, revalidation })
      assert.equal(link.outcome, expected, `${name} at ${now}`)
    }
  }
})

test('every outcome has a test case', () => {
  const expected = new Set([...VECTORS.values()].map((vector) => vector.expected))
  const { KEY_MALFORMED: _, ...faults } = VERIFICATION_FAULTS
  assert.deepEqual(expected, new Set(['ok', ...Object.keys(faults)]))
})

test('OpenSSL agrees on every valid and invalid signature', (t) => {
  const { missing } = findOpenssl()
  if (missing !== undefined) {
    t.skip(missing)
    return
  }
  const folder = temporaryFolder(t)
  let checked = 0
  for (const [name, vector] of VECTORS) {
    for (const found of checkVector(vector).signatures) {
      assert.equal(opensslAccepts(folder, vector.publicKey.pem, found), found.isValid, name)
      checked += 1
    }
  }
  assert.ok(checked > 40)
})

/** The response as the socket gave it, without what Node adds for the connection. */
function fetchRaw(
  port: number,
  { method, target, headers = [] }: (typeof RECORDED)[number]['request'],
): Promise<VectorResponse> {
  const connectionFields = new Set(['date', 'connection', 'keep-alive'])
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, host: '127.0.0.1', method, path: target, headers: Object.fromEntries(headers) },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const pairs: HeaderPair[] = []
          for (let index = 0; index < response.rawHeaders.length; index += 2) {
            const name = response.rawHeaders[index] ?? ''
            if (connectionFields.has(name.toLowerCase())) continue
            pairs.push([name, response.rawHeaders[index + 1] ?? ''])
          }
          const body = Buffer.concat(chunks)
          const bodyBase64 = body.length === 0 ? null : body.toString('base64')
          resolve({ status: response.statusCode ?? 0, headers: pairs, bodyBase64 })
        })
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

for (const { name, request: recorded } of RECORDED) {
  test(`the running service answers ${name} byte for byte`, async (t) => {
    const app = await runApp(t, {
      baseUrl: 'https://api.example.test',
      releases: madeHistory(recorded.versions ?? 1),
      clock: { nowMs: () => recorded.atMs },
      newRequestId: () => REQUEST_ID,
    })
    assert.deepEqual(await fetchRaw(app.port, recorded), VECTORS.get(name)?.response)
  })
}
