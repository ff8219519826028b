import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { findVectorDrift } from '../scripts/write-vectors.ts'
import { loadReleases } from '../src/service/releases.ts'
import { makeReleases } from './support/made-releases.ts'
import { runApp } from './support/running-app.ts'
import { RECORDED } from './vectors/build-vectors.ts'
import { REQUEST_ID } from './vectors/recorded-answers.ts'
import {
  OUTCOMES,
  type HeaderPair,
  type Outcome,
  type Vector,
  type VectorResponse,
} from './vectors/vector.ts'

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
  readonly outcome: Outcome
  readonly signatures: readonly FoundSignature[]
}

function header({ headers }: VectorResponse, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1]
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

function checkVector(vector: Vector): Verdict {
  const { publicKey, pinnedKeyId, response, revalidation } = vector
  const { method, target } = vector.request
  const signatures: FoundSignature[] = []
  const end = (outcome: Outcome): Verdict => ({ outcome, signatures })
  const { crv, kty, x } = publicKey.jwk
  if (sha256(JSON.stringify({ crv, kty, x }), 'base64url') !== pinnedKeyId)
    return end('UNKNOWN_KEY')
  const key: KeyObject = createPublicKey({ key: { crv, kty, x }, format: 'jwk' })
  const isFresh = (at: string) =>
    Date.parse(vector.now) - Date.parse(at) <= vector.maxAgeSeconds * 1000
  const isSigned = (lines: readonly string[], base64: string): boolean => {
    const text = lines.join('\n')
    const signature = Buffer.from(base64, 'base64')
    const isValid = verify(null, Buffer.from(text, 'latin1'), key, signature)
    signatures.push({ text, signature, isValid })
    return isValid
  }
  const checkProof = (answer: VectorResponse, absent: Outcome): Outcome => {
    const proof = header(answer, 'x-svc-revalidated')
    if (proof === undefined) return absent
    const [at = '', signature = ''] = proof.split('; ')
    const etag = header(answer, 'etag') ?? ''
    if (!isSigned(['svc-revalidation-v1', method, target, '304', at, etag], signature)) {
      return 'REVALIDATION'
    }
    return isFresh(at) ? 'ok' : 'STALE'
  }

  if (response.status === 304) return end(checkProof(response, 'UNSIGNED'))
  const digest = header(response, 'content-digest')
  const signedAt = header(response, 'x-svc-signed-at')
  const signature = header(response, 'x-svc-signature')
  if (digest === undefined || signedAt === undefined || signature === undefined) {
    return end('UNSIGNED')
  }
  const body = Buffer.from(response.bodyBase64 ?? '', 'base64')
  if (digest !== `sha-256=:${sha256(body, 'base64')}:`) return end('DIGEST')
  const lines = ['svc-response-v1', method, target, String(response.status), signedAt, digest]
  if (!isSigned(lines, signature)) return end('SIGNATURE')
  if (isFresh(signedAt)) return end('ok')
  if (revalidation === undefined) return end('STALE')
  const proved = checkProof(revalidation, 'STALE')
  if (proved !== 'ok') return end(proved)
  const { data } = JSON.parse(body.toString()) as { data: unknown }
  const etag = `W/"${sha256(canonical(data), 'base64url')}"`
  return end(header(revalidation, 'etag') === etag ? 'ok' : 'ETAG')
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

function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-vectors-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the files are what the app answers now', async () => {
  assert.deepEqual([...(await findVectorDrift()).keys()], [])
})

test('a check that shares no code with the service comes to the expected outcome in every case', () => {
  assert.ok(VECTORS.size >= 30)
  for (const [name, vector] of VECTORS) {
    const { outcome, signatures } = checkVector(vector)
    assert.equal(outcome, vector.expected, `${name}: ${vector.description}`)
    if (outcome !== 'ok') continue
    const texts = [vector.signedText, vector.revalidationText].filter((text) => text !== undefined)
    assert.deepEqual(
      signatures.map(({ text }) => text),
      texts,
      name,
    )
  }
})

test('every outcome has a case', () => {
  const expected = new Set([...VECTORS.values()].map((vector) => vector.expected))
  assert.deepEqual(expected, new Set(OUTCOMES))
})

test('OpenSSL agrees on every signature, the right ones and the wrong ones', (t) => {
  const { missing } = findOpenssl()
  if (missing !== undefined) {
    t.skip(missing)
    return
  }
  const folder = scratchFolder(t)
  let checked = 0
  for (const [name, vector] of VECTORS) {
    for (const found of checkVector(vector).signatures) {
      assert.equal(opensslAccepts(folder, vector.publicKey.pem, found), found.isValid, name)
      checked += 1
    }
  }
  assert.ok(checked > VECTORS.size / 2)
})

/** The answer as the socket gave it, without what Node adds for the connection. */
function fetchRaw(
  port: number,
  { method, target, headers = [] }: (typeof RECORDED)[number]['question'],
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

for (const { name, question } of RECORDED) {
  test(`the running service answers ${name} byte for byte`, async (t) => {
    const app = await runApp(t, {
      baseUrl: 'https://api.example.test',
      releases: loadReleases(makeReleases(question.versions ?? 1).store),
      clock: { nowMs: () => question.atMs },
      newRequestId: () => REQUEST_ID,
    })
    assert.deepEqual(await fetchRaw(app.port, question), VECTORS.get(name)?.response)
  })
}

test('an answer that curl fetched is accepted by OpenSSL with the published key', async (t) => {
  const { missing } = findOpenssl()
  if (missing !== undefined || spawnSync('curl', ['--version']).error !== undefined) {
    t.skip(missing ?? 'the curl program is not installed')
    return
  }
  const app = await runApp(t)
  const folder = scratchFolder(t)
  const [headFile, bodyFile] = [path.join(folder, 'head'), path.join(folder, 'body')]
  const target = '/api/v1/roadmap?from=curl&&empty='
  const curl = ['--silent', '--path-as-is', '--noproxy', '*', '--dump-header', headFile]
  const args = [...curl, '--output', bodyFile, `${app.origin}${target}`]
  // Not synchronously, since the app answers from this process.
  await new Promise<void>((resolve, reject) => {
    execFile('curl', args, (error) => (error === null ? resolve() : reject(error)))
  })
  const head = readFileSync(headFile, 'latin1')
  const field = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(head)?.[1] ?? ''
  const digest = execFileSync('openssl', ['dgst', '-sha256', '-binary', bodyFile])
  assert.equal(field('Content-Digest'), `sha-256=:${digest.toString('base64')}:`)
  const lines = ['svc-response-v1', 'GET', target, '200', field('X-SVC-Signed-At')]
  const text = [...lines, field('Content-Digest')].join('\n')
  const signature = Buffer.from(field('X-SVC-Signature'), 'base64')

  const keys = (await (await app.fetch('/api/v1/keys/signing-key')).json()) as {
    data: { keys: { publicKeyPem: string }[] }
  }
  const pem = keys.data.keys[0]?.publicKeyPem ?? ''
  assert.equal(opensslAccepts(folder, pem, { text, signature }), true)
  assert.equal(opensslAccepts(folder, pem, { text: `${text}\n`, signature }), false)
})
