import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import type { KeyVector } from '../support/vector.ts'
import type { VectorOutcome, VectorResponse } from '../support/vector.ts'
import { recordResponse } from './recorded-responses.ts'
import { digestOf, signAgain, withHeader, withoutHeaders } from './response-changes.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from './signing-key.ts'

const ASKED_MS = Date.UTC(2026, 10, 21, 9, 0, 0, 123)
const REQUEST = { method: 'GET', target: READ_PATHS.signingKey }
const KEY = derivePublicSigningKey(TEST_SIGNING_KEY)
const OTHER = derivePublicSigningKey(OTHER_TEST_SIGNING_KEY)

/** A key as a document lists it. */
const listed = ({ keyId, jwk, publicKeyPem }: typeof KEY, status: string) => ({
  keyId,
  status,
  jwk,
  publicKeyPem,
  notBefore: null as unknown,
  notAfter: null as unknown,
})
const CURRENT = listed(KEY, 'current')
const NEXT = listed(OTHER, 'next')

/** Every case of test/vectors/keys by the name of its file. */
export async function buildKeyVectors(): Promise<ReadonlyMap<string, KeyVector>> {
  const recorded = await recordResponse({ ...REQUEST, atMs: ASKED_MS })
  const body = Buffer.from(recorded.bodyBase64 ?? '', 'base64').toString()
  const { data, ...envelope } = JSON.parse(body) as { readonly data: object }

  /** The response with another body, correctly signed. */
  function signed(text: string): VectorResponse {
    const { headers } = withoutHeaders(recorded, ['ETag'])
    const edited = { ...recorded, headers, bodyBase64: Buffer.from(text).toString('base64') }
    const digested = withHeader(edited, 'Content-Digest', digestOf(edited))
    return signAgain(REQUEST, digested, TEST_SIGNING_KEY)
  }
  const withData = (changed: unknown) => signed(JSON.stringify({ ...envelope, data: changed }))
  const withKeys = (keys: unknown) => withData({ ...data, keys })
  const made = (
    expected: VectorOutcome,
    description: string,
    response: VectorResponse,
    more: Partial<KeyVector> = {},
  ): KeyVector => ({
    description,
    expected,
    now: new Date(ASKED_MS + 5000).toISOString(),
    pinnedKeyIds: [KEY.keyId],
    keyRequest: REQUEST,
    response,
    ...(expected === 'ok' ? { keyIds: [KEY.keyId] } : {}),
    ...more,
  })

  const withX = (x: unknown) => ({ ...NEXT, jwk: { ...NEXT.jwk, x } })
  return new Map([
    ['good', made('ok', 'The document as the service sends it.', recorded)],
    [
      'good-unpinned',
      made('ok', 'Without a pin, the keys that the document lists are trusted.', recorded, {
        pinnedKeyIds: [],
      }),
    ],
    [
      'good-two-keys',
      made('ok', 'The current and the next key.', withKeys([CURRENT, NEXT]), {
        keyIds: [KEY.keyId, OTHER.keyId],
      }),
    ],
    [
      'good-other-types',
      made(
        'ok',
        'Keys of other types, and items that are not keys, are skipped.',
        withKeys([
          { ...CURRENT, jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } },
          { ...CURRENT, jwk: { ...KEY.jwk, crv: 'X25519' } },
          null,
          7,
          'key',
          [],
          CURRENT,
        ]),
      ),
    ],
    [
      'good-stated-id-ignored',
      made(
        'ok',
        'The ID that the document states is not used: it follows from the key.',
        withKeys([{ ...CURRENT, keyId: OTHER.keyId }]),
      ),
    ],
    [
      'not-pinned',
      made('UNKNOWN_KEY', 'Signed by a key of its own that is not pinned.', recorded, {
        pinnedKeyIds: [OTHER.keyId],
      }),
    ],
    [
      'pinned-key-does-not-sign',
      made(
        'UNKNOWN_KEY',
        'The pinned key is in the document, and another key of it signed.',
        withKeys([CURRENT, NEXT]),
        { pinnedKeyIds: [OTHER.keyId] },
      ),
    ],
    [
      'pinned-key-retired',
      made(
        'UNKNOWN_KEY',
        'The pinned key was retired, and the current key signed.',
        withKeys([CURRENT, { ...NEXT, status: 'retired', notAfter: '2026-11-20T00:00:00.000Z' }]),
        { pinnedKeyIds: [OTHER.keyId] },
      ),
    ],
    [
      'pinned-key-retired-today',
      made(
        'UNKNOWN_KEY',
        'The pinned key was retired a moment ago, and the current key signed.',
        withKeys([CURRENT, { ...NEXT, status: 'retired', notAfter: '2030-01-01T00:00:00.000Z' }]),
        { pinnedKeyIds: [OTHER.keyId] },
      ),
    ],
    [
      'signed-by-no-listed-key',
      made('SIGNATURE', 'The key that signed is not in the document.', withKeys([NEXT]), {
        pinnedKeyIds: [],
      }),
    ],
    [
      'period-over',
      made(
        'KEY_PERIOD',
        'The period of the key ended before it signed.',
        withKeys([{ ...CURRENT, notAfter: '2026-11-20T00:00:00.000Z' }]),
      ),
    ],
    [
      'period-not-a-time',
      made(
        'KEY_PERIOD',
        'The period of the key begins at no time.',
        withKeys([{ ...CURRENT, notBefore: 'yesterday' }]),
      ),
    ],
    ['keys-empty', made('MALFORMED', 'The list has no key.', withKeys([]))],
    ['keys-missing', made('MALFORMED', 'The document has no list.', withData({}))],
    ['keys-null', made('MALFORMED', 'The list is null.', withKeys(null))],
    ['keys-no-list', made('MALFORMED', 'The keys are an object.', withKeys({ 0: CURRENT }))],
    [
      'names-in-another-case',
      made(
        'MALFORMED',
        'The names of the members are in another case.',
        withData({ Keys: [CURRENT], KEYS: [CURRENT] }),
      ),
    ],
    ['data-null', made('MALFORMED', 'The data is null.', withData(null))],
    ['data-a-list', made('MALFORMED', 'The data is a list.', withData([CURRENT]))],
    ['data-a-text', made('MALFORMED', 'The data is text.', withData('keys'))],
    [
      'keys-other-types-only',
      made(
        'MALFORMED',
        'No key is of a known type.',
        withKeys([{ ...CURRENT, jwk: { ...KEY.jwk, kty: 'EC' } }]),
      ),
    ],
    [
      'keys-too-many',
      made(
        'MALFORMED',
        '65 keys: a verifier would spend too long on them.',
        withKeys(Array(65).fill(CURRENT)),
      ),
    ],
    ...(
      [
        ['x-missing', 'A key without its bytes.', withX(undefined)],
        ['x-a-number', 'The bytes of a key are a number.', withX(7)],
        ['x-short', 'A key of 31 bytes.', withX('A'.repeat(42))],
        ['x-padded', 'The bytes of a key are padded.', withX(`${OTHER.jwk.x}=`)],
        [
          'x-small-order',
          'A key of small order, under which anyone can sign.',
          withX(`AQ${'A'.repeat(41)}`),
        ],
      ] as const
    ).map(
      ([name, description, key]) =>
        [name, made('UNKNOWN_KEY', description, withKeys([CURRENT, key]))] as const,
    ),
    [
      'unsigned',
      made(
        'UNSIGNED',
        'The document without its signature.',
        withoutHeaders(recorded, ['Content-Digest', 'X-SVC-Signed-At', 'X-SVC-Signature']),
      ),
    ],
    [
      'no-document-unsigned',
      made('UNSIGNED', 'The page of a proxy.', {
        status: 502,
        headers: [['Content-Type', 'text/html']],
        bodyBase64: Buffer.from('<h1>Bad Gateway</h1>').toString('base64'),
      }),
    ],
    [
      'no-document-signed',
      made('MALFORMED', 'A signed response without data.', signed(JSON.stringify({ ok: true }))),
    ],
    [
      'tampered',
      made('DIGEST', 'A key was added to the document.', {
        ...recorded,
        bodyBase64: withKeys([CURRENT, NEXT]).bodyBase64,
      }),
    ],
    [
      'stale',
      made('STALE', 'An old document.', recorded, {
        now: new Date(ASKED_MS + 901_000).toISOString(),
      }),
    ],
  ])
}
