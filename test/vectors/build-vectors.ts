import { LIMITS } from '@public-api/contract/terms/limits'
import type { VectorOutcome, Vector, VectorResponse } from '../support/vector.ts'
import { ed25519Vectors } from './ed25519-vectors.ts'
import { httpVectors } from './http-vectors.ts'
import {
  describeKey,
  headerOf,
  recordResponse,
  type RecordedRequest,
} from './recorded-responses.ts'
import {
  digestOf,
  revalidationTextOf,
  signedTextOf,
  withHeader,
  withoutHeaders,
  withTamperedBody,
} from './response-changes.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from './signing-key.ts'

const ASKED_MS = Date.UTC(2026, 10, 21, 9, 0, 0, 123)
const WEEK_MS = 7 * 24 * 3600 * 1000
const MAX_AGE_MS = LIMITS.signatureMaxAgeSeconds * 1000
const STATUS = '/api/v1/status'

/** A case whose file equals the server's response. */
export interface RecordedCase {
  readonly name: string
  readonly description: string
  readonly request: RecordedRequest
  readonly expected: VectorOutcome
  /** The verifier looks so long after the response; five seconds unless given. */
  readonly delayMs?: number
}

function plain(name: string, description: string, request: Partial<RecordedRequest>): RecordedCase {
  return {
    name,
    description,
    request: { method: 'GET', target: STATUS, atMs: ASKED_MS, ...request },
    expected: 'ok',
  }
}

const notModified: RecordedRequest = {
  method: 'GET',
  target: STATUS,
  headers: [['If-None-Match', '*']],
  atMs: ASKED_MS + WEEK_MS,
}

/** What the real app answers, unchanged. */
export const RECORDED: readonly RecordedCase[] = [
  plain('good-read', 'A plain read.', {}),
  plain('good-query', 'The query is signed as it was sent: order, repetition and escapes.', {
    target: `${STATUS}?b=2&a=1&a=%C3%A9&c=%2f`,
  }),
  plain('good-empty-query', 'A question mark with nothing behind it is part of what is signed.', {
    target: `${STATUS}?`,
  }),
  plain('good-percent-encoding', 'Escapes in path and query are signed as they were sent.', {
    target: '/api/v1/%73tatus/caf%C3%A9?q=%7e~',
  }),
  plain('good-error', 'An error is signed like any other response.', { target: '/api/v1/nowhere' }),
  plain('good-post', 'The response to a write, here a refusal, is bound to its method.', {
    method: 'POST',
    target: '/api/v1/keys',
  }),
  {
    ...plain('good-at-age-limit', 'A signature that is exactly as old as it may be.', {}),
    delayMs: MAX_AGE_MS,
  },
  {
    ...plain(
      'head',
      'A response to HEAD has no body and no signature: there is nothing to go by.',
      {
        method: 'HEAD',
      },
    ),
    expected: 'UNSIGNED',
  },
  {
    ...plain('good-not-modified', 'A 304 on its own: its proof holds for the ETag it names.', {}),
    request: notModified,
  },
  {
    ...plain('stale', 'The signature is a millisecond older than it may be.', {}),
    expected: 'STALE',
    delayMs: MAX_AGE_MS + 1,
  },
]

async function recordedVector(recorded: RecordedCase): Promise<Vector> {
  const { description, expected, request, delayMs = 5000 } = recorded
  const response = await recordResponse(request)
  const texts =
    response.status === 304
      ? { revalidationText: revalidationTextOf(request, response) }
      : { signedText: expected === 'UNSIGNED' ? '' : signedTextOf(request, response) }
  const key = describeKey(TEST_SIGNING_KEY)
  return {
    description,
    expected,
    now: new Date(request.atMs + delayMs).toISOString(),
    maxAgeSeconds: LIMITS.signatureMaxAgeSeconds,
    publicKey: key,
    pinnedKeyId: key.keyId,
    request: { method: request.method, target: request.target, headers: request.headers ?? [] },
    response,
    ...(expected === 'ok' ? texts : {}),
  }
}

/** Changes one bit at the start of base64. */
function withFlippedBit(base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return bytes.toString('base64')
}

function flippedProof(proof: string): string {
  const [signedAt = '', signature = ''] = proof.split('; ')
  return `${signedAt}; ${withFlippedBit(signature)}`
}

/** Cases in which responses of the app were changed or mixed up. */
function forgedVectors(good: Vector): ReadonlyMap<string, Vector> {
  const { response, request } = good
  const { signedText: _, ...base } = good
  const forged = (
    expected: VectorOutcome,
    description: string,
    change: Partial<Vector>,
  ): Vector => ({
    ...base,
    description,
    expected,
    ...change,
  })
  const signature = headerOf(response, 'X-SVC-Signature')
  const digest = headerOf(response, 'Content-Digest')
  const tampered = withTamperedBody(response)
  const other = describeKey(OTHER_TEST_SIGNING_KEY)
  return new Map([
    [
      'tampered-body',
      forged('DIGEST', 'One digit of the data was changed.', { response: tampered }),
    ],
    [
      'tampered-body-and-digest',
      forged('SIGNATURE', 'The data was changed and Content-Digest made to fit.', {
        response: withHeader(tampered, 'Content-Digest', digestOf(tampered)),
      }),
    ],
    [
      'tampered-digest',
      forged('DIGEST', 'Content-Digest was changed; the body is the one that was signed.', {
        response: withHeader(response, 'Content-Digest', digestOf(tampered)),
      }),
    ],
    [
      'unknown-digest-algorithm',
      forged('DIGEST', 'Content-Digest states no sha-256.', {
        response: withHeader(response, 'Content-Digest', digest.replace('sha-256', 'md5')),
      }),
    ],
    [
      'tampered-signature',
      forged('SIGNATURE', 'One bit of the signature was changed.', {
        response: withHeader(response, 'X-SVC-Signature', withFlippedBit(signature)),
      }),
    ],
    [
      'malformed-signature',
      forged('SIGNATURE', 'The signature is shorter than an Ed25519 signature.', {
        response: withHeader(response, 'X-SVC-Signature', signature.slice(0, 44)),
      }),
    ],
    [
      'stripped-signature',
      forged(
        'UNSIGNED',
        'The three headers were taken away; that must not pass for unsigned mode.',
        {
          response: withoutHeaders(response, [
            'Content-Digest',
            'X-SVC-Signed-At',
            'X-SVC-Signature',
          ]),
        },
      ),
    ],
    [
      'refreshed',
      forged('SIGNATURE', 'An old response whose X-SVC-Signed-At was set to now.', {
        now: new Date(ASKED_MS + WEEK_MS).toISOString(),
        response: withHeader(
          response,
          'X-SVC-Signed-At',
          new Date(ASKED_MS + WEEK_MS).toISOString(),
        ),
      }),
    ],
    [
      'wrong-method',
      forged('SIGNATURE', 'The response to a GET, given to a POST.', {
        request: { ...request, method: 'POST' },
      }),
    ],
    [
      'wrong-target',
      forged('SIGNATURE', 'The response to another path.', {
        request: { ...request, target: '/api/v1/roadmap' },
      }),
    ],
    [
      'wrong-query',
      forged('SIGNATURE', 'The response to the path without the query of the request.', {
        request: { ...request, target: `${request.target}?` },
      }),
    ],
    [
      'wrong-status',
      forged('SIGNATURE', 'A success passed off as another status.', {
        response: { ...response, status: 201 },
      }),
    ],
    [
      'unpinned-key',
      forged('UNKNOWN_KEY', 'A clone of the origin signs well, with a key of its own.', {
        publicKey: other,
      }),
    ],
    [
      'forged-key-id',
      forged('UNKNOWN_KEY', 'A clone offers its own key under the key ID that is trusted.', {
        publicKey: { ...other, keyId: good.pinnedKeyId },
      }),
    ],
  ])
}

/** Cases of a stored response that a cache revalidated a week later. */
async function revalidatedVectors(good: Vector): Promise<ReadonlyMap<string, Vector>> {
  const now = new Date(notModified.atMs + 5000).toISOString()
  const { signedText: _, ...base } = { ...good, now }
  const proof = await recordResponse(notModified)
  const made = (
    expected: VectorOutcome,
    description: string,
    revalidation: VectorResponse,
    change: Partial<Vector> = {},
  ): Vector => ({ ...base, description, expected, revalidation, ...change })
  const otherVersion = await recordResponse({ ...notModified, versions: 2 })
  const ownEtag = headerOf(good.response, 'ETag')
  return new Map([
    [
      'good-revalidated',
      made(
        'ok',
        'The body is a week old; the 304 proves that it is still the current one.',
        proof,
        {
          signedText: signedTextOf(notModified, good.response),
          revalidationText: revalidationTextOf(notModified, proof),
        },
      ),
    ],
    [
      'revalidation-other-etag',
      made(
        'ETAG',
        'The proof is right, and is about other data than the stored body.',
        otherVersion,
      ),
    ],
    [
      'revalidation-swapped-etag',
      made(
        'REVALIDATION',
        'The proof of other data, with the ETag of the stored body put in.',
        withHeader(otherVersion, 'ETag', ownEtag),
      ),
    ],
    [
      'revalidation-tampered',
      made(
        'REVALIDATION',
        'One bit of the proof was changed.',
        withHeader(proof, 'X-SVC-Revalidated', flippedProof(headerOf(proof, 'X-SVC-Revalidated'))),
      ),
    ],
    [
      'revalidation-other-target',
      made(
        'REVALIDATION',
        'The proof was given for another target with the same data.',
        await recordResponse({ ...notModified, target: `${STATUS}?other` }),
      ),
    ],
    [
      'revalidation-stale',
      made('STALE', 'Body and proof are both too old.', proof, {
        now: new Date(notModified.atMs + MAX_AGE_MS + 1).toISOString(),
      }),
    ],
    [
      'revalidation-missing',
      made(
        'STALE',
        'The 304 has no proof, so the stored body is as old as it is.',
        withoutHeaders(proof, ['X-SVC-Revalidated']),
      ),
    ],
    [
      'revalidation-of-tampered-body',
      made('DIGEST', 'A fresh proof does not mend a body that was changed.', proof, {
        response: withTamperedBody(good.response),
      }),
    ],
    [
      'revalidation-other-key',
      made(
        'REVALIDATION',
        'The proof was signed by another key.',
        await recordResponse({ ...notModified, signingKey: OTHER_TEST_SIGNING_KEY }),
      ),
    ],
  ])
}

/** Cases of a 304 with a valid signature that does not answer the request. */
function notModifiedVectors(good: Vector | undefined): ReadonlyMap<string, Vector> {
  if (good === undefined) throw new Error('These cases start from good-not-modified')
  const { signedText: _, revalidationText: __, ...base } = good
  const etag = headerOf(good.response, 'ETag')
  const asked = (headers: Vector['request']['headers']) => ({ ...good.request, headers })
  return new Map<string, Vector>([
    [
      'not-modified-unsolicited',
      {
        ...base,
        description: 'A valid 304 to a request that had no If-None-Match.',
        expected: 'ETAG',
        request: asked([]),
      },
    ],
    [
      'not-modified-other-etag',
      {
        ...base,
        description: 'A valid 304 about data that the request did not name.',
        expected: 'ETAG',
        request: asked([['If-None-Match', 'W/"another", "and-another"']]),
      },
    ],
    [
      'good-not-modified-other-etag',
      {
        ...good,
        description: 'A proxy changed the ETag of a 304 to data that the request named.',
        request: asked([['If-None-Match', etag]]),
        response: withHeader(good.response, 'ETag', etag.replace(/"$/, '-gzip"')),
        warnings: ['ETAG'],
      },
    ],
    [
      'not-modified-changed-etag',
      {
        ...base,
        description: 'A proxy changed the ETag of a 304, and the request named other data.',
        expected: 'REVALIDATION',
        request: asked([['If-None-Match', 'W/"another"']]),
        response: withHeader(good.response, 'ETag', etag.replace(/"$/, '-gzip"')),
      },
    ],
    [
      'good-not-modified-list',
      {
        ...good,
        description: 'The request named several entity tags, this one without W/.',
        request: asked([['If-None-Match', `"another", ${etag.replace('W/', '')}`]]),
      },
    ],
  ])
}

/** Every vector by the name of its file, without `.json`. */
export async function buildVectors(): Promise<ReadonlyMap<string, Vector>> {
  const vectors = new Map<string, Vector>()
  for (const recorded of RECORDED) vectors.set(recorded.name, await recordedVector(recorded))
  const good = vectors.get('good-read')
  if (good === undefined) throw new Error('Every other case starts from good-read')
  for (const [name, vector] of forgedVectors(good)) vectors.set(name, vector)
  for (const [name, vector] of await revalidatedVectors(good)) vectors.set(name, vector)
  for (const [name, vector] of ed25519Vectors(good)) vectors.set(name, vector)
  for (const [name, vector] of await httpVectors(good)) vectors.set(name, vector)
  for (const [name, vector] of notModifiedVectors(vectors.get('good-not-modified'))) {
    vectors.set(name, vector)
  }
  const otherKey = await recordResponse({
    method: 'GET',
    target: STATUS,
    atMs: ASKED_MS,
    signingKey: OTHER_TEST_SIGNING_KEY,
  })
  const { signedText: _, ...base } = good
  vectors.set('wrong-key', {
    ...base,
    description: 'The response was signed by an untrusted key.',
    expected: 'SIGNATURE',
    response: otherKey,
  })
  return vectors
}
