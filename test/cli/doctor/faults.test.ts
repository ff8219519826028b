import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FindingId } from '@public-api/cli/src/doctor/finding-catalog.ts'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { useFileScope } from '../../support/test-scope.ts'
import {
  deployBehindProxy,
  examine,
  idsOf,
  type Examination,
  type Mischief,
  type Passing,
} from './proxied-deployment.ts'

const { status, time, register, openapi, signingKey } = ENDPOINTS

/** Whether the API responded, and not a page. */
function isApi({ path }: Passing): boolean {
  return path.startsWith('/api/')
}

function remove(...names: readonly string[]): Mischief {
  return (passing) => {
    if (isApi(passing)) for (const name of names) passing.headers.delete(name)
  }
}

function set(name: string, value: string, isFor: (passing: Passing) => boolean = isApi): Mischief {
  return (passing) => {
    if (isFor(passing)) passing.headers.set(name, value)
  }
}

/** A cache without rules: the first response is sent forever. `key` says what it takes for the same. */
function cacheOf(
  isFor: (passing: Passing) => boolean,
  key: (passing: Passing) => string = ({ method, target }) => `${method} ${target}`,
): Mischief {
  const stored = new Map<string, Pick<Passing, 'status' | 'headers' | 'body'>>()
  return (passing) => {
    if (!isFor(passing)) return
    const known = stored.get(key(passing))
    if (known !== undefined) Object.assign(passing, known, { headers: new Map(known.headers) })
    else stored.set(key(passing), { ...passing, headers: new Map(passing.headers) })
  }
}

/** Compresses as asked, with `change` for what else happens then. */
function compress(change: Mischief = () => {}, vary = true): Mischief {
  return (passing) => {
    const coding = passing.asked['accept-encoding']
    if (passing.status !== 200 || (coding !== 'gzip' && coding !== 'br')) return
    change(passing)
    passing.body =
      coding === 'gzip'
        ? gzipSync(passing.body)
        : brotliCompressSync(passing.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    passing.headers.set('content-encoding', coding)
    const before = passing.headers.get('vary') ?? ''
    if (vary) passing.headers.set('vary', `${before}, Accept-Encoding`)
  }
}

function flipByte(passing: Passing): void {
  // Within the request id: the body stays JSON.
  const at = passing.body.indexOf('"requestId":"') + 20
  passing.body = Buffer.from(passing.body)
  passing.body[at] = passing.body[at] === 0x61 ? 0x62 : 0x61
}

const at =
  (...paths: readonly string[]) =>
  ({ path, method }: Passing): boolean =>
    method === 'GET' && paths.includes(path)

const only =
  (isFor: (passing: Passing) => boolean, mischief: Mischief): Mischief =>
  (passing) => {
    if (isFor(passing)) mischief(passing)
  }

const become =
  (code: number): Mischief =>
  (passing) => {
    passing.status = code
  }

function refuse(passing: Passing): void {
  passing.body = Buffer.from('<h1>Method not allowed</h1>')
  passing.headers.set('content-type', 'text/html')
}

function shorten(passing: Passing): void {
  passing.headers.set('cache-control', 'public, max-age=60')
}

const is304 = (passing: Passing): boolean => passing.status === 304
const isError = (passing: Passing): boolean => isApi(passing) && passing.status >= 400
const isPost = ({ method }: Passing): boolean => method === 'POST'
const isHead = ({ method }: Passing): boolean => method === 'HEAD'

/** A fault of a proxy, and exactly the findings that it leads to, in any order. */
type Fault = readonly [
  name: string,
  mischief: Mischief | undefined,
  expected: readonly FindingId[],
  options?: {
    readonly examination?: Examination
    readonly deployment?: 'primary' | 'preview'
  },
]

const FAULTS: readonly Fault[] = [
  // Endpoints
  [
    'a row that is gone',
    only(at(status.path), (passing) => {
      passing.status = 502
      passing.body = Buffer.from('Bad gateway')
      passing.headers = new Map([['content-type', 'text/plain']])
    }),
    ['unexpected-status'],
  ],
  [
    'errors replaced by pages of the proxy',
    only(isError, (passing) => {
      if (passing.method !== 'GET') return
      passing.body = Buffer.from('<h1>Error</h1>')
      passing.headers.set('content-type', 'text/html')
    }),
    ['error-replaced'],
  ],
  ['another media type', set('content-type', 'application/json'), ['content-type']],
  ['no API version', remove('x-svc-api-version'), ['api-version-missing']],
  ['no Allow', remove('allow'), ['allow-missing']],
  ['no challenge', remove('www-authenticate'), ['challenge-missing']],
  ['no request id', remove('x-request-id'), ['request-id-missing']],
  [
    'a request id of the proxy',
    only(
      ({ method, status: code }) => method === 'GET' && code !== 304,
      set('x-request-id', 'abc'),
    ),
    ['request-id-wrong'],
  ],
  // Signatures
  [
    'a sha-512 digest that a proxy adds',
    (passing) => {
      const digest = passing.headers.get('content-digest')
      if (digest !== undefined) {
        passing.headers.set('content-digest', `${digest}, sha-512=:${'A'.repeat(86)}==:`)
      }
    },
    ['digest-changed'],
  ],
  [
    'a parameter that a proxy adds to the digest',
    (passing) => {
      const digest = passing.headers.get('content-digest')
      if (digest !== undefined) passing.headers.set('content-digest', `${digest};a=1`)
    },
    ['digest-changed'],
  ],
  [
    'one changed byte',
    only(at(status.path), (passing) => {
      if (passing.status === 200) flipByte(passing)
    }),
    ['body-changed'],
  ],
  ['Content-Digest dropped', remove('content-digest'), ['digest-dropped']],
  [
    'the signature dropped',
    remove('x-svc-signature', 'x-svc-signed-at', 'content-digest'),
    ['signature-dropped'],
  ],
  [
    'a signature for something else',
    only(at(status.path), (passing) => {
      if (passing.status === 200) passing.headers.set('x-svc-signed-at', '2026-11-21T09:00:00.001Z')
    }),
    ['signature-wrong'],
  ],
  [
    'a cache that leaves the query out of its key',
    cacheOf(
      (passing) =>
        at(status.path)(passing) &&
        passing.asked['if-none-match'] === undefined &&
        passing.asked['accept-signature'] === undefined,
      ({ path }) => path,
    ),
    ['query-ignored'],
  ],
  ['such a cache for the time', cacheOf(at(time.path), ({ path }) => path), ['short-lived-cached']],
  ['no ETag', remove('etag'), ['etag-missing']],
  [
    'a strong ETag',
    (passing) => {
      const etag = passing.headers.get('etag')
      if (etag !== undefined && !is304(passing)) passing.headers.set('etag', etag.slice(2))
    },
    ['etag-strong'],
  ],
  [
    'an ETag of the proxy',
    only(({ status: code }) => code === 200, set('etag', '"5f3c-12"')),
    ['etag-changed'],
  ],
  // Keys
  [
    'a pin of another key',
    undefined,
    ['pin-mismatch'],
    { examination: { pinnedKeyIds: ['A'.repeat(43)] } },
  ],
  ['no pin', undefined, ['not-pinned'], { examination: { pinnedKeyIds: undefined } }],
  [
    'no key record in DNS',
    undefined,
    ['keys-not-published'],
    { examination: { hasKeyRecord: false } },
  ],
  [
    'an invalid key document',
    only(at(signingKey.path), (passing) => {
      passing.status = 404
      passing.body = Buffer.from('{}')
    }),
    ['unexpected-status'],
  ],
  // Clocks
  [
    'a clock an hour ahead of the service',
    undefined,
    ['clock-skew'],
    { examination: { aheadMs: 3_600_000 } },
  ],
  [
    'a clock an hour behind the service',
    undefined,
    ['clock-skew'],
    { examination: { aheadMs: -3_600_000 } },
  ],
  ['a skewed Date', set('date', 'Sat, 21 Nov 2026 09:05:00 GMT'), ['date-skew']],
  // HEAD
  [
    'HEAD made into GET',
    only((passing) => isHead(passing) && passing.status === 200, set('content-digest', 'x')),
    ['head-proof'],
  ],
  ['HEAD refused', only(isHead, (passing) => void (passing.status = 405)), ['head-status']],
  ['HEAD without ETag', only(isHead, remove('etag')), ['head-etag']],
  // Compression
  ['compression done well', compress(), []],
  ['compression without Vary', compress(undefined, false), ['coding-vary']],
  [
    'unrequested compression',
    only(at(status.path), (passing) => {
      if (passing.status !== 200) return
      passing.body = gzipSync(passing.body)
      passing.headers.set('content-encoding', 'gzip')
    }),
    ['coding-unrequested'],
  ],
  [
    'compression without Content-Encoding',
    only(at(status.path), (passing) => {
      if (passing.status === 200) passing.body = gzipSync(passing.body)
    }),
    ['body-changed'],
  ],
  ['compression that breaks the body', compress((passing) => flipByte(passing)), ['coding-body']],
  [
    'bytes that are not in their coding',
    (passing) => {
      if (passing.asked['accept-encoding'] === 'gzip')
        passing.headers.set('content-encoding', 'gzip')
    },
    ['coding-broken'],
  ],
  [
    'compression that makes the ETag strong',
    compress(({ headers }) => headers.set('etag', headers.get('etag')?.slice(2) ?? '')),
    ['coding-etag'],
  ],
  [
    'compression that removes the ETag',
    compress(({ headers }) => headers.delete('etag')),
    ['coding-etag'],
  ],
  [
    'compression that drops the digest',
    compress(({ headers }) => headers.delete('content-digest')),
    ['coding-headers'],
  ],
  // 304
  [
    '200 where 304 was due',
    only(is304, (passing) => {
      passing.status = 200
      passing.body = Buffer.from('{"stale":true}')
    }),
    ['revalidation-ignored'],
  ],
  [
    'a proxy that drops If-None-Match, with the whole response',
    (() => {
      const copies = new Map<string, Pick<Passing, 'headers' | 'body'>>()
      return (passing: Passing) => {
        const { path, method, headers, body } = passing
        if (method !== 'GET' || passing.target !== path) return
        if (passing.status === 200) copies.set(path, { headers: new Map(headers), body })
        else if (is304(passing)) Object.assign(passing, copies.get(path), { status: 200 })
      }
    })(),
    ['revalidation-whole'],
  ],
  [
    '304 to everything',
    (passing) => {
      if (!isApi(passing) || passing.asked['if-none-match'] === undefined) return
      if (passing.status === 200) Object.assign(passing, { status: 304, body: Buffer.alloc(0) })
    },
    ['revalidation-wrong'],
  ],
  ['a 304 with a signature', only(is304, set('x-svc-signature', 'x')), ['not-modified-signed']],
  [
    'a cache that makes a 304 from its copy',
    (() => {
      const copies = new Map<string, Map<string, string>>()
      return (passing: Passing) => {
        if (passing.method !== 'GET') return
        if (passing.status === 200) copies.set(passing.target, passing.headers)
        const copy = copies.get(passing.target)
        if (!is304(passing) || copy === undefined) return
        passing.headers = new Map(copy)
        passing.headers.delete('content-length')
      }
    })(),
    ['not-modified-from-cache'],
  ],
  ['a 304 without its proof', remove('x-svc-revalidated'), ['not-modified-unproved']],
  [
    'a 304 with the proof of another',
    cacheOf(is304, () => 'one for all'),
    ['not-modified-proof-wrong'],
  ],
  ['a 304 without Cache-Control', only(is304, remove('cache-control')), ['not-modified-headers']],
  // Caching
  [
    'Cache-Control of the CDN',
    only(
      ({ status: code, asked }) => code === 200 && asked['accept-signature'] === undefined,
      set('cache-control', 'public, max-age=14400'),
    ),
    ['cache-control'],
  ],
  [
    'errors that may be stored',
    only(isError, set('cache-control', 'public, max-age=5')),
    ['error-cacheable'],
  ],
  ['errors that are stored', cacheOf(isError), ['no-store-cached']],
  ['the time from a cache', cacheOf(at(time.path)), ['short-lived-cached']],
  ['no Vary', remove('vary'), ['vary-missing']],
  // CORS
  [
    'no CORS',
    (passing) => {
      if (passing.method === 'GET') remove('access-control-allow-origin')(passing)
    },
    ['cors-missing'],
  ],
  [
    'CORS for one origin',
    only(
      ({ headers, method }) => method === 'GET' && headers.has('access-control-allow-origin'),
      set('access-control-allow-origin', 'https://example.org'),
    ),
    ['cors-origin'],
  ],
  [
    'CORS with credentials',
    only(
      ({ headers, method }) => method === 'GET' && headers.has('access-control-allow-origin'),
      set('access-control-allow-credentials', 'true'),
    ),
    ['cors-credentials'],
  ],
  ['headers that are not exposed', remove('access-control-expose-headers'), ['cors-expose']],
  // What a cache makes of what it stored
  ['a cache that cuts', only(({ asked }) => asked.range !== undefined, become(206)), ['range-cut']],
  [
    'a cache that compares dates',
    only(({ asked }) => asked['if-modified-since'] !== undefined, become(304)),
    ['date-compared'],
  ],
  ['an invitation to cut', set('accept-ranges', 'bytes'), ['accept-ranges']],
  ['an edge that refuses POST', only(isPost, refuse), ['post-refused']],
  ['the name of a machine', set('cache-status', 'cache1.corp.example;hit'), ['machine-named']],
  ['Squid 7 on cache1', set('cache-status', 'cache1;hit;detail=match'), ['machine-named']],
  ['Squid 7 without its version', set('via', '1.1 cache1 (squid)'), ['machine-named']],
  ['Vinyl Cache 9 on vm', set('via', '1.1 vm (Vinyl-Cache/9.0)'), ['machine-named']],
  ['the name of a product', set('cache-status', 'ExampleCache; hit; ttl=30'), []],
  ['a Via with a version', set('via', '1.1 varnish (Varnish/7.1)'), ['machine-named']],
  [
    'a cache that uses stale-while-revalidate up',
    only(({ headers }) => (headers.get('cache-control') ?? '').includes('stale'), shorten),
    [],
  ],
  ['CORS on POST', only(isPost, set('access-control-allow-origin', '*')), ['cors-on-write']],
  [
    'CORS where a registration goes',
    set('access-control-allow-origin', '*', ({ path }) => path === register.path),
    ['cors-on-write'],
  ],
  [
    'a preflight that the proxy responds to',
    only(
      ({ method, path }) => method === 'OPTIONS' && path === status.path,
      (passing) => void (passing.headers = new Map()),
    ),
    ['preflight-wrong'],
  ],
  [
    'a preflight that offers POST',
    only(
      ({ method, path }) => method === 'OPTIONS' && path === status.path,
      set('access-control-allow-methods', 'GET, HEAD, OPTIONS, POST'),
    ),
    ['preflight-offers'],
  ],
  // Indexing
  [
    'a preview without X-Robots-Tag',
    remove('x-robots-tag'),
    ['robots-tag-missing'],
    { deployment: 'preview' },
  ],
  [
    'the same, with --deployment preview',
    remove('x-robots-tag'),
    ['robots-tag-missing'],
    { deployment: 'preview', examination: { deployment: 'preview' } },
  ],
  [
    'a preview that is meant to be the primary one',
    undefined,
    ['robots-txt', 'robots-tag-unwanted'],
    { deployment: 'preview', examination: { deployment: 'primary' } },
  ],
  [
    'a preview whose pages have no X-Robots-Tag',
    only(
      ({ path }) => path === '/en/reference',
      ({ headers }) => void headers.delete('x-robots-tag'),
    ),
    ['robots-tag-missing'],
    { deployment: 'preview' },
  ],
  ['a primary deployment that hides', set('x-robots-tag', 'noindex'), ['robots-tag-unwanted']],
  [
    'a robots.txt that is a page',
    set('content-type', 'text/html', at('/robots.txt')),
    ['robots-txt'],
  ],
  // Documents and links
  [
    'an invalid OpenAPI document',
    only(at(openapi.path), (passing) => {
      if (passing.status === 200) passing.body = passing.body.subarray(0, 100)
    }),
    ['body-changed'],
  ],
  ['no Link', remove('link'), ['link-missing']],
  [
    'no page behind a link',
    only(at('/en/reference'), (passing) => void (passing.status = 404)),
    ['link-broken'],
  ],
  // Transport
  ['a version number', set('server', 'nginx/1.22.1'), ['server-version']],
  ['a cookie', set('set-cookie', '__cf_bm=abc'), ['cookie']],
]

const scope = useFileScope()
const deployments = new Map<string, ReturnType<typeof deployBehindProxy>>()
let current: Mischief | undefined

/** One deployment of each kind serves all tests; its proxy does what the running test says. */
function deployOnce(deployment: 'primary' | 'preview', mischief: Mischief | undefined) {
  current = mischief
  const known = deployments.get(deployment)
  const deployed =
    known ?? deployBehindProxy(scope, (passing) => current?.(passing), { deployment })
  deployments.set(deployment, deployed)
  return deployed
}

for (const [name, mischief, expected, { examination, deployment = 'primary' } = {}] of FAULTS) {
  test(`${name}: ${expected.join(', ') || 'no finding'}`, async (t) => {
    const deployed = await deployOnce(deployment, mischief)
    const diagnosis = await examine(t, deployed, examination)
    assert.deepEqual(
      idsOf(diagnosis).toSorted(),
      expected.toSorted(),
      JSON.stringify(
        diagnosis.checks.flatMap(({ findings }) => findings),
        null,
        1,
      ),
    )
  })
}
