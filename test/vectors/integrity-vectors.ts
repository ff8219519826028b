import { createPublicKey, sign } from 'node:crypto'
import { LIMITS } from '@public-api/contract/terms/limits'
import type { HeaderPair, VectorResponse } from '../support/vector.ts'
import { recordResponse, headerOf } from './recorded-responses.ts'
import { digestOf, withHeader, withoutHeaders, withTamperedBody } from './response-changes.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from './signing-key.ts'

/** Results of the check that a browser makes of `fetch(url, { integrity })`. It reports each failure as a network error. */
export type IntegrityOutcome =
  | 'ok'
  | 'UNSIGNED'
  | 'UNKNOWN_KEY'
  | 'EXPIRED'
  | 'SIGNATURE'
  | 'DIGEST'

/** One case of the folder `integrity`, as its JSON file has it. */
export interface IntegrityVector {
  readonly description: string
  readonly expected: IntegrityOutcome
  /** The verifier's clock: ISO 8601 UTC. */
  readonly now: string
  /** The trusted keys, as a page passes them to fetch. */
  readonly integrity: string
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly HeaderPair[]
  }
  readonly response: VectorResponse
  /** The signed text, in valid vectors. */
  readonly signatureBase?: string
}

const STATUS = '/api/v1/status'
const FIELDS = ['Unencoded-Digest', 'Signature-Input', 'Signature']

const rawKeyOf = (privateKey: typeof TEST_SIGNING_KEY): string =>
  Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url').toString(
    'base64',
  )
const OURS = rawKeyOf(TEST_SIGNING_KEY)
const OTHER = rawKeyOf(OTHER_TEST_SIGNING_KEY)
/** What Chromium sends for an integrity with these keys. */
const askFor = (keys: readonly string[]): string =>
  keys
    .map((key, nth) => `sig${nth}=("unencoded-digest";sf);keyid="${key}";tag="ed25519-integrity"`)
    .join(', ')
const integrityOf = (keys: readonly string[]): string =>
  keys.map((key) => `ed25519-${key}`).join(' ')

/** The text that the signature with this label covers (RFC 9421 section 2.5). */
function signatureBaseOf(
  method: string,
  url: string,
  response: VectorResponse,
  label = 'sig0',
): string {
  const member = headerOf(response, 'Signature-Input')
    .split(/, (?=\w+=\()/)
    .find((each) => each.startsWith(`${label}=`))
  return [
    `"@method";req: ${method}`,
    `"@target-uri";req: ${url}`,
    `"@status": ${response.status}`,
    `"unencoded-digest";sf: ${headerOf(response, 'Unencoded-Digest')}`,
    `"@signature-params": ${member?.slice(label.length + 1)}`,
  ].join('\n')
}

/**
 * Every case of test/vectors/integrity by the name of its file: responses of this origin, signed at this time. A browser
 * verifies them only if both are its own.
 */
export async function buildIntegrityVectors({
  origin = 'https://api.example.test',
  atMs = Date.UTC(2026, 10, 21, 9, 0, 0, 123),
} = {}): Promise<ReadonlyMap<string, IntegrityVector>> {
  const expires = Math.floor(atMs / 1000) + LIMITS.signatureMaxAgeSeconds
  const plain = { method: 'GET', target: STATUS, origin, atMs }
  const record = async (
    target: string,
    keys: readonly string[],
    more = '',
  ): Promise<IntegrityVector> => {
    const headers = [['Accept-Signature', more + askFor(keys)]] as const
    const response = await recordResponse({ ...plain, target, headers })
    return {
      description: '',
      expected: 'ok',
      now: new Date(atMs + 5000).toISOString(),
      integrity: integrityOf(keys),
      request: { method: 'GET', url: origin + target, headers },
      response,
    }
  }
  const good = await record(STATUS, [OURS])
  const { request, response } = good
  const input = headerOf(response, 'Signature-Input')
  const digest = headerOf(response, 'Unencoded-Digest')
  const accepted = (
    vector: IntegrityVector,
    description: string,
    label?: string,
  ): IntegrityVector => ({
    ...vector,
    description,
    signatureBase: signatureBaseOf('GET', vector.request.url, vector.response, label),
  })
  const refused = (
    expected: IntegrityOutcome,
    description: string,
    change: Partial<IntegrityVector>,
  ): IntegrityVector => ({ ...good, description, expected, ...change })
  /** The response signed again as it is, with these parameters of Signature-Input. */
  const signAgain = (changed: VectorResponse, inputValue: string): VectorResponse => {
    const described = withHeader(changed, 'Signature-Input', inputValue)
    const base = Buffer.from(signatureBaseOf('GET', request.url, described))
    const signature = sign(null, base, TEST_SIGNING_KEY).toString('base64')
    return withHeader(described, 'Signature', `sig0=:${signature}:`)
  }
  const tampered = withTamperedBody(response)
  const otherKey = await recordResponse({
    ...plain,
    headers: [['Accept-Signature', askFor([OTHER])]],
    signingKey: OTHER_TEST_SIGNING_KEY,
  })
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  return new Map([
    ['good-read', accepted(good, 'A plain read.')],
    [
      'good-query',
      accepted(
        await record(`${STATUS}?b=2&a=%C3%A9&`, [OURS]),
        'The target URI is signed with the query as it was sent.',
      ),
    ],
    [
      'good-error',
      accepted(
        await record('/api/v1/nowhere', [OURS]),
        'An error is signed like any other response.',
      ),
    ],
    [
      'good-two-keys',
      accepted(
        await record(STATUS, [OTHER, OURS]),
        'Two keys are trusted, as during a rotation. One valid signature is enough.',
        'sig1',
      ),
    ],
    [
      'good-both-sets',
      accepted(
        await record(
          STATUS,
          [OURS],
          'svc=("@method";req "@target-uri";req "@status" "content-digest");created;expires;tag="svc-response", ',
        ),
        'The response has the signature for libraries too.',
      ),
    ],
    ['good-at-expiry', accepted({ ...good, now: at(expires - 1) }, 'A second before it expires.')],
    ['expired', refused('EXPIRED', 'A second after it expired.', { now: at(expires + 1) })],
    [
      'longer-life',
      refused('SIGNATURE', 'The time of expiry was changed.', {
        now: at(expires + 1),
        response: withHeader(
          response,
          'Signature-Input',
          input.replace(`${expires}`, `${expires + 900}`),
        ),
      }),
    ],
    [
      'unsigned',
      refused('UNSIGNED', 'The three fields were removed.', {
        response: withoutHeaders(response, FIELDS),
      }),
    ],
    [
      'not-modified',
      refused('UNSIGNED', 'A 304 never has such a signature.', {
        response: await recordResponse({
          ...plain,
          headers: [...request.headers, ['If-None-Match', '*']],
        }),
      }),
    ],
    [
      'digest-missing',
      refused('UNSIGNED', 'The signed digest was removed.', {
        response: withoutHeaders(response, ['Unencoded-Digest']),
      }),
    ],
    [
      'digest-not-covered',
      refused('UNSIGNED', 'The signature is valid and does not cover the digest.', {
        response: signAgain(response, input.replace(' "unencoded-digest";sf', '')),
      }),
    ],
    ['wrong-key', refused('UNKNOWN_KEY', 'Another key signed.', { response: otherKey })],
    [
      'forged-key',
      refused('SIGNATURE', 'Another key signed and names the trusted one.', {
        response: withHeader(
          otherKey,
          'Signature-Input',
          headerOf(otherKey, 'Signature-Input').replace(OTHER, OURS),
        ),
      }),
    ],
    [
      'tampered-signature',
      refused('SIGNATURE', 'The signature was replaced by zeros.', {
        response: withHeader(
          response,
          'Signature',
          `sig0=:${Buffer.alloc(64).toString('base64')}:`,
        ),
      }),
    ],
    [
      'wrong-host',
      refused('SIGNATURE', 'The response of another host.', {
        request: { ...request, url: `https://other.example.test${STATUS}` },
      }),
    ],
    [
      'wrong-scheme',
      refused('SIGNATURE', 'The response for https, given for http.', {
        request: { ...request, url: request.url.replace('https', 'http') },
      }),
    ],
    [
      'wrong-query',
      refused('SIGNATURE', 'The response without the query of the request.', {
        request: { ...request, url: `${request.url}?` },
      }),
    ],
    [
      'wrong-method',
      refused('SIGNATURE', 'The response to a GET, given to a POST.', {
        request: { ...request, method: 'POST' },
      }),
    ],
    [
      'wrong-status',
      refused('SIGNATURE', 'A success passed off as another status.', {
        response: { ...response, status: 203 },
      }),
    ],
    [
      'tampered-body',
      refused('DIGEST', 'One digit of the data was changed.', { response: tampered }),
    ],
    [
      'tampered-body-and-digest',
      refused('SIGNATURE', 'The data was changed and Unencoded-Digest made to fit.', {
        response: withHeader(tampered, 'Unencoded-Digest', digestOf(tampered)),
      }),
    ],
    [
      'other-digest-algorithm',
      refused('DIGEST', 'The digest is signed and of an algorithm that is not known.', {
        response: signAgain(
          withHeader(response, 'Unencoded-Digest', digest.replace('sha-256', 'md5')),
          input,
        ),
      }),
    ],
  ])
}
