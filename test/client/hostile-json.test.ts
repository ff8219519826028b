import assert from 'node:assert/strict'
import { createHash, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { auditHistory } from '@public-api/client-internal/history/audit-history'
import { parseSavedHead } from '@public-api/client-internal/history/head-store'
import { verifyEvidence } from '@public-api/client-internal/history/history-evidence'
import { findIndexFault } from '@public-api/client-internal/history/history-proofs'
import { parseSigningKeys, verifyKeyDocument } from '@public-api/client-internal/signing-keys'
import { formatSignedText } from '@public-api/contract/http/signature'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import * as fc from 'fast-check'
import { TEST_NOW_MS, TEST_SIGNING_KEY } from '../support/running-app.ts'
import { key, fakeResponse, scripted, type Script } from './scripted-client.ts'

// Any JSON can come, also signed by a trusted key. Whatever it is, what is thrown is what the documentation names.

const NAMES = [
  'keys jwk kty crv x notBefore notAfter data ok error code message head hash count entries sequence',
  'snapshotId createdAt previousHash resources format fault responses headers status target bodyBase64',
  'requestId __proto__ constructor toString valueOf hasOwnProperty',
]
  .join(' ')
  .split(' ')
const TEXTS = [
  'OKP Ed25519 BROKEN GET !! svc-history-evidence-v1 e30= VS-0001 2026-11-21T09:00:00.123Z',
  `${READ_PATHS.version} ${READ_PATHS.versions} ${'A'.repeat(43)} ${'0'.repeat(64)}`,
]
  .join(' ')
  .split(' ')
const VALUES: readonly unknown[] = [...TEXTS, 200, 304, 0, 1, -1, 1e308, true, null]

/** JSON as text: an object literal would take `__proto__` for something else than a member. */
const text: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.constantFrom(...VALUES), fc.string()).map((value) => JSON.stringify(value)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie('value')), {
        maxLength: 6,
      })
      .map((members) => {
        const pairs = members.map(([name, value]) => `${JSON.stringify(name)}:${value}`)
        return `{${pairs.join()}}`
      }),
  ),
})).value
const json = text.map((value) => JSON.parse(value) as unknown)

async function throwsOnly(names: readonly string[], work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Error) || !names.includes(error.name)) throw error
  }
}

const jwk = fc.record({
  kty: fc.constant('OKP'),
  crv: fc.constant('Ed25519'),
  x: fc.oneof(
    json,
    fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('base64url')),
  ),
})
const keyDocument = fc.record({
  keys: fc.array(fc.record({ jwk, notBefore: json, notAfter: json }, { requiredKeys: ['jwk'] }), {
    maxLength: 4,
  }),
})

/** A response that the trusted key signed. */
function signed(target: string, body: string) {
  const contentDigest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  const signedAt = new Date(TEST_NOW_MS).toISOString()
  const lines = formatSignedText({ method: 'GET', target, status: 200, signedAt, contentDigest })
  return fakeResponse(
    200,
    {
      'Content-Digest': contentDigest,
      'X-SVC-Signed-At': signedAt,
      'X-SVC-Signature': sign(null, Buffer.from(lines), TEST_SIGNING_KEY).toString('base64'),
    },
    body,
  )
}

/** A service whose keys are right, and whose n-th other response is the n-th of these. */
function saying(bodies: readonly string[]): Script {
  let count = 0
  return ({ target }) => {
    if (target.startsWith(READ_PATHS.signingKey)) return undefined
    count += 1
    return signed(target, bodies[(count - 1) % bodies.length] ?? '')
  }
}

const summary = fc.record({
  snapshotId: fc.constantFrom('VS-0001', 'VS-0002', '../x'),
  sequence: fc.constantFrom(1, 2, 0, -1),
  createdAt: fc.constantFrom('2026-11-21T09:00:00.123Z', ''),
  previousHash: fc.constantFrom('0'.repeat(64), 'a'),
  hash: fc.constantFrom('0'.repeat(64), 'a'),
  resources: json,
})
const envelope = fc
  .oneof(
    fc.record({ ok: json, error: json, data: json }),
    fc.record({
      ok: fc.constant(false),
      error: fc.record({ code: json, message: json, status: json, retryAfterSeconds: json }),
    }),
    fc.record({ ok: fc.constant(true), data: summary }),
    fc.record({
      ok: fc.constant(true),
      data: fc.record({ entries: fc.array(summary, { maxLength: 3 }), count: json, head: summary }),
    }),
  )
  .map((value) => JSON.stringify(value))
const FAILURES = ['VerificationError', 'ApiResponseError']

describe('arbitrary JSON', () => {
  test('as a key document is keys or a VerificationError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, keyDocument), (value) =>
        throwsOnly(['VerificationError'], async () => {
          for (const each of await parseSigningKeys(value)) {
            each.wasInUse(TEST_NOW_MS)
            await each.isSignatureOf('a', Buffer.alloc(64, 9).toString('base64'))
          }
        }),
      ),
    )
    const names = ['Content-Digest', 'X-SVC-Signature', 'X-SVC-Signed-At', 'X-SVC-Revalidated']
    const fields = fc.array(fc.tuple(fc.constantFrom('ETag', ...names), fc.string()))
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(text, fc.string()),
        fields,
        fc.constantFrom(200, 304, 0),
        (body, headers, status) =>
          throwsOnly(['VerificationError'], () =>
            verifyKeyDocument({
              method: 'GET',
              target: '/x',
              status,
              headers,
              body: Buffer.from(body),
              nowMs: TEST_NOW_MS,
            }),
          ),
      ),
    )
  })

  test('as evidence proves nothing, and as a saved head is invalid', async () => {
    const evidence = fc.record({
      format: fc.constant('svc-history-evidence-v1'),
      fault: fc.oneof(fc.constantFrom('BROKEN', 'REWRITTEN'), json),
      keys: fc.array(fc.record({ jwk }), { maxLength: 2 }),
      responses: fc.oneof(
        json,
        fc.array(
          fc.record({
            method: fc.string(),
            target: fc.string(),
            status: fc.constantFrom(200, 304),
            bodyBase64: fc.string(),
            headers: fc.array(fc.oneof(json, fc.tuple(fc.string(), fc.string()))),
          }),
          { maxLength: 3 },
        ),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, evidence), (value) =>
        assert.rejects(
          verifyEvidence(value as never, { pinnedKeyIds: [key.keyId] }),
          ({ name }: Error) => name === 'VerificationError' || name === 'EvidenceError',
        ),
      ),
    )
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (value) => {
        assert.throws(() => parseSavedHead(value, 'x'), /^TypeError: x: expected the JSON/)
      }),
    )
  })

  test('as the index has a fault that can be reported', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { at, expected, found } = findIndexFault(value) ?? assert.fail('it is an index')
        assert.deepEqual([typeof at, typeof expected, typeof found], ['string', 'string', 'string'])
      }),
    )
    const count = { toString: 0, valueOf: 0 }
    assert.equal(findIndexFault({ count, entries: [null] })?.expected, '{"toString":0,"valueOf":0}')
  })

  test('signed by the trusted key is data or a named error', async () => {
    await fc.assert(
      fc.asyncProperty(envelope, (body) =>
        throwsOnly(FAILURES, () => scripted(saying([body]), { maxRetries: 0 }).client.status()),
      ),
    )
    const error = { code: { toString: 0 }, message: 'x' }
    const { client } = scripted(saying([JSON.stringify({ ok: false, error })]))
    await assert.rejects(client.status(), { code: 'MALFORMED' })
  })

  test('signed by the trusted key ends an audit with a named result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(envelope, { minLength: 2, maxLength: 5 }), (bodies) => {
        const { client } = scripted(saying(bodies), { maxRetries: 0 })
        const names = [...FAILURES, 'HistoryError', 'UnsettledError']
        return throwsOnly(names, () => auditHistory({ client }))
      }),
    )
  })
})
