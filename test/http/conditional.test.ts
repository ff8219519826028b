import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { matchesIfNoneMatch } from '../../src/http/conditional.ts'
import { createPayload, createCanonicalPayload } from '../../src/service/releases/payload.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'
import { cpuMs } from '../support/cpu-time.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { converse } from '../support/raw-connection.ts'
import { rawRequest, sendRaw, type RawResponse } from '../support/raw-http.ts'
import {
  toResponse,
  assertRevalidated,
  etagOf,
  publishedKey,
} from '../support/received-response.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { EXPOSED_HEADERS } from '../support/successful-read.ts'

/** The opaque part of an entity tag: anything printable but a quote, commas and what looks like other tags included. */
const opaque = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(',', ' ', '*', 'W/', '\\', "'"),
      fc
        .oneof(fc.integer({ min: 0x23, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
        .map((code) => String.fromCharCode(code)),
    ),
    maxLength: 12,
  })
  // A tag contains no space (RFC 9110 8.8.3).
  .map((text) => text.replaceAll(' ', ''))

const OURS = 'ours,'
const ETAG = `W/"${OURS}"`

const weakness = fc.constantFrom('', 'W/')
const gap = fc.constantFrom(',', ', ', ' ,', '\t,\t', ',,', ' , ,  ,')
const otherTag = fc
  .tuple(weakness, opaque)
  .filter(([, text]) => text !== OURS)
  .map(([weak, text]) => `${weak}"${text}"`)
const ourTag = weakness.map((weak) => `${weak}"${OURS}"`)

/** Tags in a list, with any legal space and empty members. */
const listOf = (tags: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom('', ',', ' , ', '\t'),
      fc.array(fc.tuple(tags, gap), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('', ',', ' , ,', ' '),
    )
    .map(([before, members, after]) => {
      const list = members.map(([tag, comma], index) => (index === 0 ? tag : comma + tag))
      return before + list.join('') + after
    })

test('a list matches if it contains our tag, weak or strong, at any position', () => {
  fc.assert(
    fc.property(listOf(otherTag), (list) => {
      assert.equal(matchesIfNoneMatch(list, ETAG), false, list)
    }),
  )
  fc.assert(
    fc.property(listOf(otherTag), ourTag, listOf(otherTag), (before, tag, after) => {
      assert.equal(matchesIfNoneMatch(`${before},${tag},${after}`, ETAG), true)
      assert.equal(matchesIfNoneMatch(tag, ETAG), true)
    }),
  )
})

test("a tag's content is never parsed as a list", () => {
  fc.assert(
    fc.property(opaque, opaque, (before, after) => {
      assert.equal(matchesIfNoneMatch(`"${before},${OURS},${after}"`, ETAG), false)
      assert.equal(matchesIfNoneMatch(`W/"${before}*"`, ETAG), false)
    }),
  )
})

test('a malformed list never matches, even if it contains our tag', () => {
  for (const value of [
    OURS,
    `"${OURS}`,
    `${OURS}"`,
    `w/"${OURS}"`,
    `W/ "${OURS}"`,
    `W"${OURS}"`,
    `"${OURS}" "other"`,
    `"${OURS}", other`,
    `"${OURS}"; "other"`,
    `'${OURS}'`,
    `*, "${OURS}"`,
    `"${OURS}", *`,
    '**',
    '"*"',
    ',*',
    `"a b", "${OURS}"`,
    '',
    ',',
    ' , ,',
  ]) {
    assert.equal(matchesIfNoneMatch(value, ETAG), false, JSON.stringify(value))
  }
})

test('accepts any text, and only * matches everything', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT }), opaque, (value, tag) => {
      const matched = matchesIfNoneMatch(value, `W/"${tag}"`)
      if (matched) assert.ok(value.trim() === '*' || value.includes(`"${tag}"`), value)
    }),
  )
  for (const value of ['*', ' * ', '\t*']) assert.equal(matchesIfNoneMatch(value, ETAG), true)
})

test('parses long values in linear time', () => {
  const started = cpuMs()
  for (const value of [
    `${' '.repeat(60_000)}x`,
    `${','.repeat(60_000)}x`,
    `${', '.repeat(30_000)}x`,
    `"a"${' '.repeat(60_000)}x`,
    `"a"${' ,'.repeat(30_000)}x`,
    '"a",'.repeat(15_000),
    `"${'a'.repeat(60_000)}`,
    'W/'.repeat(30_000),
  ]) {
    assert.equal(matchesIfNoneMatch(value, ETAG), false)
  }
  // Each takes about a millisecond; anything quadratic would take many seconds.
  assert.ok(cpuMs() - started < 2000)
})

/** JSON objects as a publisher may write them. */
const data = fc
  .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: ANY_CODE_POINT }))
  .filter((value) => !JSON.stringify(value).includes('__proto__'))

test('the ETag depends on the data, not on member order or white space', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, member]) => [name, shuffled(member)]),
    )
  }
  fc.assert(
    fc.property(data, fc.integer({ min: 0, max: 4 }), (value, indent) => {
      const text = JSON.stringify(shuffled(value), undefined, indent)
      const read = JSON.parse(text) as object
      const payload = createPayload(read)
      assert.equal(payload.etag, etagOf(value))
      assert.equal(payload.etag, createPayload(value as object).etag)
      assert.deepEqual(createCanonicalPayload(payload.json), payload)
    }),
  )
})

test('different data has a different ETag', () => {
  fc.assert(
    fc.property(data, data, (one, other) => {
      const same = etagOf(one) === etagOf(other)
      assert.equal(createPayload(one as object).etag === createPayload(other as object).etag, same)
    }),
  )
})

async function revalidate(
  app: RunningApp,
  target: string,
  headers: readonly string[] = [],
  method = 'GET',
): Promise<RawResponse> {
  return sendRaw(app.port, rawRequest(method, target, ['Host: a', ...headers]))
}

async function etagAt(app: RunningApp, target: string): Promise<string> {
  return (await app.fetch(target)).headers.get('etag') ?? ''
}

const ANY = 'If-None-Match: *'

test('a matching ETag gets a 304 with its proof and no header that a cache must not merge', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  for (const [target, cacheControl] of [
    ['/api/v1/status?a=1', 'public, max-age=60, stale-while-revalidate=300'],
    ['/api/v1', 'public, max-age=60, stale-while-revalidate=300'],
    ['/api/v1/openapi.json', 'public, max-age=60, stale-while-revalidate=300'],
    ['/api/v1/time', 'public, max-age=0, must-revalidate'],
    ['/api/v1/versions/VS-0001', 'public, max-age=60, stale-while-revalidate=300'],
  ] as const) {
    const etag = await etagAt(app, target)
    for (const method of ['GET', 'HEAD']) {
      const raw = await revalidate(app, target, [`If-None-Match: "x", ${etag}`], method)
      assert.deepEqual([raw.status, raw.body], [304, ''], target)
      // Every name that came, in any case: the list of contract decisions 3.3 and not one more.
      assert.deepEqual(raw.headerNames.map((name) => name.toLowerCase()).toSorted(), [
        'access-control-allow-origin',
        'access-control-expose-headers',
        'cache-control',
        'date',
        'etag',
        'vary',
        'x-svc-api-version',
        'x-svc-revalidated',
      ])
      assert.equal(raw.headers.get('etag'), etag)
      assert.equal(raw.headers.get('cache-control'), cacheControl)
      assert.equal(raw.headers.get('vary'), 'Authorization, X-SVC-Key, Accept-Signature')
      assert.equal(raw.headers.get('access-control-allow-origin'), '*')
      assert.equal(raw.headers.get('access-control-expose-headers'), EXPOSED_HEADERS)
      const signedAt = assertRevalidated(toResponse(method, target, raw), key)
      assert.equal(signedAt, new Date(app.clock.ms).toISOString())
    }
  }
})

test('a 304 keeps the connection open and has the preview header', async (t) => {
  const app = await runApp(t, { deployment: 'preview', apiKeys: createFakeApiKeys() })
  const first = await revalidate(app, '/api/v1/status', [ANY, `X-SVC-Key: ${FAKE_KEYS.good}`])
  assert.equal(first.headers.get('x-robots-tag'), 'noindex, nofollow')
  assert.deepEqual(
    ['limit', 'remaining', 'reset'].map((name) => first.headers.get(`x-ratelimit-${name}`)),
    ['600', '599', '42'],
  )
  for (const name of ['x-request-id', 'content-digest', 'x-svc-signed-at', 'x-svc-signature']) {
    assert.equal(first.headers.get(name), undefined, name)
  }
  const request = `GET /api/v1/status HTTP/1.1\r\nHost: a\r\n${ANY}\r\n`
  const { responses } = await converse(
    app.port,
    `${request}\r\n${request}Connection: close\r\n\r\n`,
  )
  assert.deepEqual(
    responses.map(({ status }) => status),
    [304, 304],
  )
})

test('several If-None-Match lines are one list', async (t) => {
  const app = await runApp(t)
  const etag = await etagAt(app, '/api/v1/status')
  const lines = ['If-None-Match: "a"', `If-None-Match: ${etag}`, 'If-None-Match: "b"']
  assert.equal((await revalidate(app, '/api/v1/status', lines)).status, 304)
})

test('another tag or a malformed value gets the full response', async (t) => {
  const app = await runApp(t)
  const etag = await etagAt(app, '/api/v1/status')
  for (const value of [
    '"x"',
    await etagAt(app, '/api/v1/roadmap'),
    etag.toLowerCase(),
    `${etag}x`,
  ]) {
    const response = await revalidate(app, '/api/v1/status', [`If-None-Match: ${value}`])
    assert.equal(response.status, 200, value)
    assert.equal(response.headers.get('x-svc-revalidated'), undefined)
  }
})

test('reuses a proof within its second only', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  const proofAt = async (ms: number, target = '/api/v1/status') => {
    app.clock.ms = ms
    const response = toResponse('GET', target, await revalidate(app, target, [ANY]))
    assertRevalidated(response, key)
    return response.header('x-svc-revalidated')
  }
  const second = Math.ceil(app.clock.ms / 1000) * 1000
  const first = await proofAt(second)
  assert.equal(await proofAt(second + 999), first)
  assert.notEqual(await proofAt(second + 999, '/api/v1/status?x'), first)
  assert.notEqual(await proofAt(second + 999, '/api/v1/roadmap'), first)
  const next = await proofAt(second + 1000)
  assert.notEqual(next, first)
  assert.match(next ?? '', new RegExp(`^${new Date(second + 1000).toISOString()}; `))
})

test('only a read with status 200 becomes a 304', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  for (const [method, target, status] of [
    ['GET', '/api/v1/nothing', 404],
    ['GET', '/api/v1/versions/VS-9999', 404],
    ['GET', '/api/v1/preview', 403],
    ['GET', '/api/v1/keys/self', 401],
    ['PUT', '/api/v1/status', 405],
    ['POST', '/api/v1/keys', 503],
    ['POST', '/api/v1/early-access/register', 415],
    ['OPTIONS', '/api/v1/status', 204],
  ] as const) {
    const response = await revalidate(app, target, [ANY], method)
    assert.equal(response.status, status, `${method} ${target}`)
    assert.equal(response.headers.get('x-svc-revalidated'), undefined)
  }
  const revoking = [ANY, `X-SVC-Key: ${FAKE_KEYS.good}`]
  assert.equal((await revalidate(app, '/api/v1/keys/self', revoking, 'DELETE')).status, 200)
})

test('other conditions and ranges are ignored', async (t) => {
  const app = await runApp(t)
  for (const header of [
    'If-Modified-Since: Fri, 31 Dec 9999 23:59:59 GMT',
    'If-Match: "x"',
    'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
    'Range: bytes=0-1',
  ]) {
    assert.equal((await revalidate(app, '/api/v1/status', [header])).status, 200, header)
  }
})
