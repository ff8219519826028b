import { canonicalJson, type JsonObject } from '@public-api/contract/json/canonical-json'
import { sha256Base64, sha256Base64url } from '../../src/crypto/sha256.ts'
import type {
  HeaderPair,
  VectorOutcome,
  Vector,
  VectorLink,
  VectorResponse,
} from '../support/vector.ts'
import { headerOf, recordResponse, type RecordedRequest } from './recorded-responses.ts'
import {
  digestOf,
  revalidationTextOf,
  signAgain,
  signedTextOf,
  withHeader,
} from './response-changes.ts'
import { TEST_SIGNING_KEY } from './signing-key.ts'

const HOUR_MS = 3_600_000

function withPairs(
  response: VectorResponse,
  change: (pair: HeaderPair) => readonly HeaderPair[],
): VectorResponse {
  return { ...response, headers: response.headers.flatMap(change) }
}

function withRepeated(response: VectorResponse, name: string): VectorResponse {
  return withPairs(response, (pair) => (pair[0] === name ? [pair, pair] : [pair]))
}

/** What a cache keeps after a 304: its fields take the place of the stored ones (RFC 9111 3.2). */
function merged(stored: VectorResponse, notModified: VectorResponse): VectorResponse {
  const renewed = new Set(notModified.headers.map(([name]) => name))
  const kept = stored.headers.filter(([name]) => !renewed.has(name))
  return { ...stored, headers: [...kept, ...notModified.headers] }
}

function atHour(good: Vector, hour: number): RecordedRequest {
  const askedMs = Date.parse(headerOf(good.response, 'X-SVC-Signed-At'))
  return {
    method: good.request.method,
    target: good.request.target,
    headers: [['If-None-Match', '*']],
    atMs: askedMs + hour * HOUR_MS,
  }
}

function linkOf(
  request: RecordedRequest,
  delayMs: number,
  revalidation: VectorResponse,
  expected: VectorOutcome,
): VectorLink {
  return { now: new Date(request.atMs + delayMs).toISOString(), expected, revalidation }
}

/** A day in a cache: a 304 every hour, looked at soon after and again when it is too old; at the end, other data. */
async function dayOfLinks(good: Vector): Promise<readonly VectorLink[]> {
  const maxAgeMs = good.maxAgeSeconds * 1000
  const links: VectorLink[] = []
  for (let hour = 1; hour <= 24; hour += 1) {
    const request = atHour(good, hour)
    const response = await recordResponse(request)
    links.push(linkOf(request, 5000, response, 'ok'))
    if (hour % 8 === 0) links.push(linkOf(request, maxAgeMs + 1, response, 'STALE'))
  }
  const last = atHour(good, 25)
  const other = await recordResponse({ ...last, versions: 2 })
  return [...links, linkOf(last, 5000, other, 'ETAG')]
}

/** Cases of header fields, targets, bodies and times, and of what caches make of them. */
export async function httpVectors(good: Vector): Promise<ReadonlyMap<string, Vector>> {
  const { response, request } = good
  const { signedText: _, ...base } = good
  const vectors = new Map<string, Vector>()
  const add = (
    name: string,
    expected: VectorOutcome,
    description: string,
    change: Partial<Vector>,
  ): void => {
    const vector: Vector = { ...base, description, expected, ...change }
    const isSigned = expected === 'ok' && vector.revalidation === undefined
    vectors.set(
      name,
      isSigned && vector.signedText === undefined
        ? { ...vector, signedText: good.signedText ?? '' }
        : vector,
    )
  }
  /** The same response with parts exchanged, signed for what it then is. */
  const addSigned = (
    name: string,
    expected: VectorOutcome,
    description: string,
    changed: VectorResponse,
    more: Partial<Vector> = {},
  ): void => {
    const signed = signAgain(request, changed, TEST_SIGNING_KEY)
    const texts = expected === 'ok' ? { signedText: signedTextOf(request, signed) } : {}
    add(name, expected, description, { response: signed, ...texts, ...more })
  }

  add('good-upper-case-names', 'ok', 'Names of header fields are in upper case.', {
    response: withPairs(response, ([name, value]) => [[name.toUpperCase(), value]]),
  })
  add('good-lower-case-names', 'ok', 'Names of header fields are in lower case, as in HTTP/2.', {
    response: withPairs(response, ([name, value]) => [[name.toLowerCase(), value]]),
  })
  add(
    'good-blanks-around-values',
    'ok',
    'Whitespace around a value is not part of it (RFC 9110 5.5).',
    {
      response: withPairs(response, ([name, value]) => [[name, ` ${value}\t`]]),
    },
  )
  for (const [name, field] of [
    ['repeated-signature', 'X-SVC-Signature'],
    ['repeated-signed-at', 'X-SVC-Signed-At'],
    ['repeated-digest', 'Content-Digest'],
  ] as const) {
    add(
      name,
      'SIGNATURE',
      `${field} came twice: joined by a comma (RFC 9110 5.2) it is not what was signed.`,
      {
        response: withRepeated(response, field),
      },
    )
  }

  const digest = headerOf(response, 'Content-Digest')
  const wrong = `sha-256=:${sha256Base64('other')}:`
  const withDigest = (value: string) => withHeader(response, 'Content-Digest', value)
  addSigned(
    'good-several-digests',
    'ok',
    'Content-Digest has a member of an unknown algorithm besides.',
    withDigest(`unixsum=:Ag==:, ${digest}`),
  )
  const joined = signAgain(request, withDigest(`unixsum=:Ag==:, ${digest}`), TEST_SIGNING_KEY)
  add('good-digest-on-two-lines', 'ok', 'Content-Digest stands on two lines, which are one list.', {
    response: withPairs(joined, (pair) =>
      pair[0] === 'Content-Digest'
        ? [
            ['Content-Digest', 'unixsum=:Ag==:'],
            ['Content-Digest', digest],
          ]
        : [pair],
    ),
    signedText: signedTextOf(request, joined),
  })
  addSigned(
    'good-last-digest',
    'ok',
    'Of two members of one name the last counts (RFC 8941 3.2).',
    withDigest(`${wrong}, ${digest}`),
  )
  addSigned(
    'last-digest',
    'DIGEST',
    'Of two members of one name the last counts, and that one is wrong.',
    withDigest(`${digest}, ${wrong}`),
  )
  addSigned(
    'digest-without-padding',
    'DIGEST',
    'The digest has no padding.',
    withDigest(digest.replace(/=:$/, ':')),
  )
  addSigned(
    'digest-base64url',
    'DIGEST',
    'The digest uses the base64url alphabet.',
    withDigest(digest.replaceAll('+', '-').replaceAll('/', '_')),
  )
  addSigned(
    'digest-upper-case-name',
    'DIGEST',
    'The name of the algorithm is in upper case, which no member of a dictionary is (RFC 8941 3.1.2).',
    withDigest(digest.replace('sha-256', 'SHA-256')),
  )
  addSigned(
    'digest-last-comma',
    'DIGEST',
    'A comma follows the last member of Content-Digest (RFC 8941 4.2.2).',
    withDigest(`${digest},`),
  )
  addSigned(
    'digest-no-dictionary',
    'DIGEST',
    'A digest in the form of the older header Digest.',
    withDigest(digest.replaceAll(':', '')),
  )

  const ownEtag = headerOf(response, 'ETag')
  for (const [name, description, value] of [
    ['of-other-data', 'is that of other data', `W/"${'A'.repeat(43)}"`],
    ['strong', 'was made strong by a proxy', ownEtag.replace('W/', '')],
    ['of-a-coding', 'names a content coding', ownEtag.replace(/"$/, '-gzip"')],
  ] as const) {
    const changed = withHeader(response, 'ETag', value)
    const warnings = ['ETAG']
    add(`good-etag-${name}`, 'ok', `The ETag, which is not signed, ${description}.`, {
      response: changed,
      warnings,
    })
  }
  add('good-other-request-id', 'ok', 'X-Request-Id, which is not signed, is that of a proxy.', {
    response: withHeader(response, 'X-Request-Id', '00000000-0000-4000-8000-000000000000'),
    warnings: ['REQUEST_ID'],
  })
  addSigned(
    'signed-at-no-time',
    'MALFORMED',
    'The signed time is not a time.',
    withHeader(response, 'X-SVC-Signed-At', '2026-02-30T09:00:00.123Z'),
  )
  for (const [name, description, time] of [
    ['signed-at-leap-second', 'The signed time has a second 60.', '2026-11-21T08:59:60Z'],
    ['signed-at-hour-24', 'The signed time has an hour 24.', '2026-11-20T24:00:00Z'],
    ['signed-at-offset', 'The signed time is not in UTC.', '2026-11-21T10:00:00+01:00'],
    ['signed-at-tenth', 'The signed time has one digit after the point.', '2026-11-21T09:00:00.1Z'],
  ] as const) {
    addSigned(name, 'MALFORMED', description, withHeader(response, 'X-SVC-Signed-At', time))
  }
  const noJson: VectorResponse = {
    ...response,
    bodyBase64: Buffer.from('{"ok":true').toString('base64'),
  }
  addSigned(
    'body-no-json',
    'MALFORMED',
    'The body is signed and ends too early.',
    withHeader(noJson, 'Content-Digest', digestOf(noJson)),
  )
  const goodBody = Buffer.from(response.bodyBase64 ?? '', 'base64').toString()
  const withBytes = (body: Uint8Array): VectorResponse => {
    const changed = { ...response, bodyBase64: Buffer.from(body).toString('base64') }
    return withHeader(changed, 'Content-Digest', `sha-256=:${sha256Base64(body)}:`)
  }
  const withBody = (body: string, etag?: string): VectorResponse => {
    const changed = withBytes(Buffer.from(body))
    return etag === undefined ? changed : withHeader(changed, 'ETag', etag)
  }
  for (const [name, value] of [
    ['null', 'null'],
    ['number', '5'],
  ]) {
    addSigned(
      `good-request-id-${name}`,
      'ok',
      `The requestId of the body is ${value}, which is not that of the header.`,
      withBody(goodBody.replace(/"requestId":"[^"]*"/, `"requestId":${value}`)),
      { warnings: ['REQUEST_ID'] },
    )
  }
  for (const [name, description, body] of [
    ['data', 'two members data', goodBody.replace('"data":', '"data":{},"data":')],
    ['beside', 'two members beside the data', goodBody.replace('"ok":true', '"ok":true,"ok":true')],
    [
      'nested',
      'an object with a name twice',
      goodBody.replace('"data":{', '"data":{"a":{"b":1,"b":1},'),
    ],
    [
      'escaped',
      'a name twice, once with an escape',
      goodBody.replace('"data":{', String.raw`"data":{"a\"b":1,"\u0061\"b":2,`),
    ],
  ] as const) {
    addSigned(
      `repeated-name-${name}`,
      'MALFORMED',
      `The body has ${description} (RFC 7493 2.3).`,
      withBody(body),
    )
  }
  // Members out of order, escapes, numbers in other notations, and names that UTF-8 and UTF-16 order differently.
  const unordered = String.raw`{"\ud83d\ude00":1E21,"\ufb33":[1.0,-0,4.50,1e-7,9007199254740993],"b":"\u000f\/\u20ac:\n\"","a":{"\u0064":null,"c":true}}`
  const data = JSON.parse(unordered) as JsonObject
  const etag = `W/"${sha256Base64url(canonicalJson(data))}"`
  addSigned(
    'good-other-notation',
    'ok',
    'The data is not in its canonical form: order, escapes, numbers and a colon in a text.',
    withBody(
      goodBody.replace(/"data":.*\}$/, () => `"data":${unordered}}`),
      etag,
    ),
  )
  // The tag of the bytes as they were sent, where these are not what the service sends.
  for (const [name, expected, description, sent, rest, more] of [
    ['good-sent-behind', 'ok', 'a member behind the data', '{},"a":1', '}', { warnings: ['ETAG'] }],
    [
      'good-sent-space',
      'ok',
      'a line end behind the body',
      '{"b":1,"a":2}',
      '}\n',
      { warnings: ['ETAG'] },
    ],
    [
      'sent-number',
      'MALFORMED',
      'a number that no double represents',
      '{"b":1e999,"a":2}',
      '}',
      {},
    ],
    [
      'sent-surrogate',
      'MALFORMED',
      'half of a surrogate pair',
      String.raw`{"b":"\ud800","a":2}`,
      '}',
      {},
    ],
    ['sent-repeated', 'MALFORMED', 'a name twice', '{"b":1,"a":2,"b":1}', '}', {}],
  ] as const) {
    addSigned(
      `${name}-tag`,
      expected,
      `The body has ${description}, and the entity tag is that of the data as it was sent.`,
      withBody(
        goodBody.replace(/"data":.*\}$/, () => `"data":${sent}${rest}`),
        `W/"${sha256Base64url(sent)}"`,
      ),
      more,
    )
  }
  addSigned(
    'number-too-large',
    'MALFORMED',
    'The data has a number that no double represents, so it has no canonical form.',
    withBody(goodBody.replace('"data":{', '"data":{"a":1e999,')),
  )
  addSigned(
    'lone-surrogate',
    'MALFORMED',
    'The data has a text that is not Unicode, so it has no canonical form.',
    withBody(goodBody.replace('"data":{', String.raw`"data":{"a":"\ud800",`)),
  )
  addSigned(
    'body-not-a-number',
    'MALFORMED',
    'The data contains NaN, which is not JSON.',
    withBody(goodBody.replace('"data":{', '"data":{"a":NaN,')),
  )
  const hostile = String.raw`{"__proto__":{"a":1},"constructor":[[]],"":"\u007f\u2028<>&"}`
  addSigned(
    'good-names-of-objects',
    'ok',
    'Names that programs may take for something else than a member: __proto__, constructor, and the empty text.',
    withBody(
      goodBody.replace(/"data":.*\}$/, () => `"data":${hostile}}`),
      `W/"${sha256Base64url(String.raw`{"":"${'\u007f\u2028'}<>&","__proto__":{"a":1},"constructor":[[]]}`)}"`,
    ),
  )
  // The body is one object more.
  const nestedBody = (inside: string): VectorResponse =>
    withBody(
      goodBody.replace(/"data":.*\}$/, () => `"data":${inside}}`),
      `W/"${sha256Base64url(inside)}"`,
    )
  const arrays = (count: number) => `${'['.repeat(count)}1.5${']'.repeat(count)}`
  const objects = (count: number) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`
  const emptied = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`
  for (const [name, text] of [
    ['arrays', arrays],
    ['objects', objects],
    ['empty', emptied],
  ] as const) {
    const description = 'arrays and objects inside one another.'
    addSigned(`good-nested-${name}`, 'ok', `128 ${description}`, nestedBody(text(127)))
    addSigned(`nested-${name}`, 'MALFORMED', `129 ${description}`, nestedBody(text(128)))
  }
  addSigned(
    'nested-beside',
    'MALFORMED',
    'Too many arrays inside one another, beside the data.',
    withBody(goodBody.replace('"ok":true', `"ok":true,"more":${arrays(128)}`)),
  )
  for (const [name, description, body] of [
    ['body-byte-order-mark', 'The body begins with a byte order mark.', `\ufeff${goodBody}`],
    ['body-two-texts', 'The body consists of two JSON texts.', `${goodBody}{}`],
    ['body-empty', 'The body is empty.', ''],
    [
      'body-no-break-space',
      'The body ends with a space that is not white space in JSON.',
      `${goodBody}\u00a0`,
    ],
    ['body-control-character', 'A text contains a line break.', goodBody.replace('"ok"', '"o\nk"')],
    [
      'body-leading-zero',
      'A number has a zero before its digits.',
      goodBody.replace('"data":{', '"data":{"a":01,'),
    ],
    ['body-last-comma', 'A comma follows the last member.', goodBody.replace(/\}$/, ',}')],
  ] as const) {
    addSigned(name, 'MALFORMED', description, withBody(body))
  }
  const withoutData = withBody('{"ok":true}', '')
  const noData = signAgain(request, withoutData, TEST_SIGNING_KEY)
  add('good-etag-empty', 'ok', 'The body has no data, and the ETag is empty.', {
    response: noData,
    signedText: signedTextOf(request, noData),
    warnings: ['ETAG'],
  })
  addSigned(
    'body-not-utf-8',
    'MALFORMED',
    'The body is not UTF-8.',
    withBytes(Buffer.concat([Buffer.from('{"data":"'), Buffer.from([0xff]), Buffer.from('"}')])),
  )
  const tomorrow = new Date(Date.parse(good.now) + 24 * HOUR_MS).toISOString()
  addSigned(
    'from-the-future',
    'FUTURE',
    'The response was signed tomorrow.',
    withHeader(response, 'X-SVC-Signed-At', tomorrow),
  )
  add('key-period-over', 'KEY_PERIOD', 'The key was no longer in use when it signed.', {
    publicKey: {
      ...good.publicKey,
      notBefore: '2025-01-01T00:00:00Z',
      notAfter: '2026-01-01T00:00:00Z',
    },
  })
  add('key-period-not-begun', 'KEY_PERIOD', 'The key was not in use yet when it signed.', {
    publicKey: { ...good.publicKey, notBefore: '2027-01-01T00:00:00Z' },
  })

  const escaped = {
    method: 'GET',
    target: '/api/v1/status?q=%C3%A9',
    atMs: Date.parse(headerOf(response, 'X-SVC-Signed-At')),
  }
  const escapedResponse = await recordResponse(escaped)
  add('percent-decoded', 'SIGNATURE', 'The target was decoded before it was put in the text.', {
    request: { ...request, target: '/api/v1/status?q=\u00e9' },
    response: escapedResponse,
  })
  add('percent-lower-case', 'SIGNATURE', 'The digits of an escape were changed to lower case.', {
    request: { ...request, target: '/api/v1/status?q=%c3%a9' },
    response: escapedResponse,
  })
  add(
    'empty-query-dropped',
    'SIGNATURE',
    'The question mark with nothing behind it was left out of the text.',
    {
      response: await recordResponse({ ...escaped, target: '/api/v1/status?' }),
    },
  )

  const dayLater = atHour(good, 24)
  const proof = await recordResponse(dayLater)
  const now = new Date(dayLater.atMs + 5000).toISOString()
  const texts = {
    signedText: good.signedText ?? '',
    revalidationText: revalidationTextOf(request, proof),
  }
  add('good-merged', 'ok', 'A cache merged the fields of a 304 into the response it kept.', {
    now,
    response: merged(response, proof),
    ...texts,
  })
  add('good-merged-other-etag', 'ok', 'As above, and a proxy changed the ETag.', {
    now,
    response: withHeader(merged(response, proof), 'ETag', ownEtag.replace('W/', '')),
    ...texts,
    warnings: ['ETAG'],
  })
  const second = withRepeated(merged(response, proof), 'X-SVC-Revalidated')
  add('merged-repeated-proof', 'REVALIDATION', 'X-SVC-Revalidated came twice.', {
    now,
    response: second,
  })
  add(
    'good-day-of-revalidations',
    'ok',
    'One stored response over a day, renewed by a 304 every hour; then the data changes.',
    {
      chain: await dayOfLinks(good),
    },
  )
  return vectors
}
