import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import { verifyKeyDocument, parseSigningKeys } from '@public-api/client-internal/signing-keys'
import { targetOf, verifyResponse } from '@public-api/client-internal/verify-response'
import { assert as assertProperty, asyncProperty, constantFrom, nat, pre } from 'fast-check'
import { serve } from '../support/loopback-server.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from '../vectors/signing-key.ts'
import { askApp, ASKED_MS, fieldOf, verificationKeyOf } from './requested-responses.ts'

const key = await verificationKeyOf(TEST_SIGNING_KEY)
const otherKey = await verificationKeyOf(OTHER_TEST_SIGNING_KEY)
const expectations = { keys: [key], pinnedKeyIds: [key.keyId], nowMs: ASKED_MS + 5000 }

function pairsOf({ headers }: HttpResponse): readonly (readonly [string, string])[] {
  return headers as readonly (readonly [string, string])[]
}

describe('the verified result', () => {
  test('the data, its tag, the key and the time of a plain read', async () => {
    const response = await askApp()
    const verified = await verifyResponse({ ...response, ...expectations })
    const content = JSON.parse(Buffer.from(response.body).toString()) as { data: unknown }
    assert.deepEqual(verified, {
      status: 200,
      content,
      data: content.data,
      etag: fieldOf(response, 'ETag'),
      keyId: key.keyId,
      provedAtMs: ASKED_MS,
      warnings: [],
    })
  })

  test('the whole document without an envelope', async () => {
    const response = await askApp({ target: '/api/v1/openapi.json?q' })
    const { data, content, etag } = await verifyResponse({ ...response, ...expectations })
    assert.equal(data, content)
    assert.equal(etag, fieldOf(response, 'ETag'))
  })

  test('an error has neither data nor tag', async () => {
    const response = await askApp({ target: '/api/v1/nowhere' })
    const { status, data, etag } = await verifyResponse({ ...response, ...expectations })
    assert.deepEqual([status, data, etag], [404, undefined, undefined])
  })
})

describe('header fields of any HTTP library', () => {
  for (const [name, convert] of [
    ['Headers', (pairs) => new Headers(pairs.map(([field, value]) => [field, value]))],
    ['a Map', (pairs) => new Map(pairs)],
    ['an object', (pairs) => Object.fromEntries(pairs)],
    [
      'lists by name',
      (pairs) => Object.fromEntries(pairs.map(([field, value]) => [field, [value]])),
    ],
    [
      'something that only has get',
      (pairs) => {
        const headers = new Headers(pairs.map(([field, value]) => [field, value]))
        return { get: (field: string) => headers.get(field) }
      },
    ],
  ] as readonly [
    string,
    (pairs: readonly (readonly [string, string])[]) => HttpResponse['headers'],
  ][]) {
    test(name, async () => {
      const response = await askApp()
      const headers = convert(pairsOf(response))
      const { provedAtMs } = await verifyResponse({ ...response, headers, ...expectations })
      assert.equal(provedAtMs, ASKED_MS)
    })
  }
})

describe('keys', () => {
  test('no key, no result', async () => {
    const input = { ...(await askApp()), ...expectations }
    const { pinnedKeyIds: _, ...unpinned } = input
    await assert.rejects(verifyResponse({ ...unpinned, keys: [] }), { code: 'UNKNOWN_KEY' })
    await assert.rejects(verifyResponse({ ...input, keys: [] }), { code: 'UNKNOWN_KEY' })
    await assert.rejects(verifyResponse({ ...input, pinnedKeyIds: [] }), {
      code: 'UNKNOWN_KEY',
    })
  })

  test('a published key with valid signatures that is not pinned', async () => {
    const input = { ...(await askApp()), ...expectations, keys: [key, otherKey] }
    await assert.rejects(verifyResponse({ ...input, pinnedKeyIds: [otherKey.keyId] }), {
      code: 'UNKNOWN_KEY',
      message: `UNKNOWN_KEY: signed by ${key.keyId}`,
    })
  })

  test('a stored body of the key before, renewed by the key after', async () => {
    const weekLaterMs = ASKED_MS + 7 * 86_400_000
    const response = await askApp()
    const notModified = await askApp({
      headers: [['If-None-Match', '*']],
      atMs: weekLaterMs,
      signingKey: OTHER_TEST_SIGNING_KEY,
    })
    const until = new Date(ASKED_MS + 1).toISOString()
    const retired = await verificationKeyOf(TEST_SIGNING_KEY, { notAfter: until })
    const input = {
      ...response,
      revalidated: notModified.headers,
      keys: [otherKey, retired],
      nowMs: weekLaterMs,
    }
    const { keyId, provedAtMs } = await verifyResponse(input)
    assert.equal(keyId, key.keyId)
    assert.equal(provedAtMs, weekLaterMs)
    await assert.rejects(verifyResponse({ ...input, pinnedKeyIds: [retired.keyId] }), {
      code: 'UNKNOWN_KEY',
    })
  })
})

describe('time', () => {
  test('clocks may differ by a minute', async () => {
    const input = { ...(await askApp()), ...expectations }
    await verifyResponse({ ...input, nowMs: ASKED_MS - 60_000 })
    await assert.rejects(verifyResponse({ ...input, nowMs: ASKED_MS - 60_001 }), {
      code: 'FUTURE',
    })
  })

  test('the age is 900 s unless given', async () => {
    const input = { ...(await askApp()), ...expectations, nowMs: ASKED_MS + 900_001 }
    await assert.rejects(verifyResponse(input), { code: 'STALE' })
    await verifyResponse({ ...input, maxAgeSeconds: 901 })
  })
})

test('detects every single change of the signed parts', async () => {
  const response = await askApp({ target: '/api/v1/time?a=1' })
  const digit = constantFrom('0', 'A', 'z', ' ', '"')
  await assertProperty(
    asyncProperty(
      constantFrom(
        'method',
        'target',
        'body',
        'Content-Digest',
        'X-SVC-Signed-At',
        'X-SVC-Signature',
      ),
      nat(),
      digit,
      async (part, at, character) => {
        const changed = (text: string) => {
          const index = at % text.length
          return text.slice(0, index) + character + text.slice(index + 1)
        }
        const headers = pairsOf(response).map(([name, value]) =>
          name === part ? ([name, changed(value).trim()] as const) : ([name, value] as const),
        )
        const body = Buffer.from(response.body).toString()
        const input: HttpResponse = {
          ...response,
          method: part === 'method' ? changed('GET') : 'GET',
          target: part === 'target' ? changed(response.target) : response.target,
          headers,
          body: part === 'body' ? Buffer.from(changed(body)) : response.body,
        }
        const isSame =
          input.method === 'GET' &&
          input.target === response.target &&
          Buffer.from(input.body).toString() === body &&
          headers.every(([, value], index) => value === pairsOf(response)[index]?.[1])
        pre(!isSame)
        await assert.rejects(verifyResponse({ ...input, ...expectations }), {
          name: 'VerificationError',
        })
      },
    ),
    { seed: 5, numRuns: 400 },
  )
})

describe('the key document', () => {
  const document = () => askApp({ target: '/api/v1/keys/signing-key' })

  test('is verified with its own keys', async () => {
    const { keys, verified } = await verifyKeyDocument({
      ...(await document()),
      nowMs: ASKED_MS,
      pinnedKeyIds: [key.keyId],
    })
    assert.deepEqual(
      keys.map(({ keyId }) => keyId),
      [key.keyId],
    )
    assert.equal(verified.keyId, key.keyId)
  })

  test('with another response in its place', async () => {
    const response = await askApp({ target: '/api/v1/nowhere' })
    await assert.rejects(verifyKeyDocument({ ...response, nowMs: ASKED_MS }), {
      code: 'MALFORMED',
      message: /status 404/,
    })
    await assert.rejects(
      verifyKeyDocument({ ...response, headers: [], body: new Uint8Array(), nowMs: ASKED_MS }),
      { code: 'UNSIGNED' },
    )
  })

  test('may contain keys of other types, which are skipped, but no invalid Ed25519 key', async () => {
    const { published } = key
    const other = { jwk: { kty: 'AKP', alg: 'ML-DSA-44', pub: 'AA' } }
    const [only, ...rest] = await parseSigningKeys({ keys: [other, published] })
    assert.equal(only?.keyId, key.keyId)
    assert.deepEqual(rest, [])
    await assert.rejects(parseSigningKeys({ keys: [other] }), { code: 'MALFORMED' })
    for (const x of ['', 'AAAA', 7, null, [published.jwk.x]]) {
      const broken = { jwk: { kty: 'OKP', crv: 'Ed25519', x } }
      await assert.rejects(parseSigningKeys({ keys: [published, broken] }), {
        code: 'KEY_MALFORMED',
      })
    }
  })
})

test('the target of a URL is everything after the host, without the fragment', () => {
  assert.equal(
    targetOf('https://api.example.test/api/v1/status?b=2&a=%c3%A9#part'),
    '/api/v1/status?b=2&a=%c3%A9',
  )
  assert.equal(targetOf('https://api.example.test/api/v1/status?'), '/api/v1/status?')
  assert.equal(targetOf(new URL('http://[::1]:8080/api/v1')), '/api/v1')
})

test('the target of a URL is what fetch sends', async (t) => {
  const sent: string[] = []
  const origin = await serve(t, (request, response) => {
    sent.push(request.url ?? '')
    response.end()
  })
  const urls = ['', '?', '#', '?#', '/a?', '/a?#', '/a?#b', '/a?#b?', '/a#?', '/a?b#', '/é?é#é']
  for (const url of urls) await (await fetch(origin + url)).arrayBuffer()
  const targets = urls.map((url) => targetOf(origin + url))
  assert.deepEqual(targets, sent)
})
