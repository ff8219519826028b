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

const is304 = (passing: Passing): boolean => passing.status === 304
const isError = (passing: Passing): boolean => isApi(passing) && passing.status >= 400
const isPost = ({ method }: Passing): boolean => method === 'POST'
const isHead = ({ method }: Passing): boolean => method === 'HEAD'

interface Fault {
  readonly name: string
  readonly mischief?: Mischief
  readonly examination?: Examination
  readonly deployment?: 'primary' | 'preview'
  /** Exactly the findings, in any order. */
  readonly expected: readonly FindingId[]
}

const FAULTS: readonly Fault[] = [
  // Endpoints
  {
    name: 'a row that is gone',
    mischief: only(at(status.path), (passing) => {
      passing.status = 502
      passing.body = Buffer.from('Bad gateway')
      passing.headers = new Map([['content-type', 'text/plain']])
    }),
    expected: ['unexpected-status'],
  },
  {
    name: 'errors replaced by pages of the proxy',
    mischief: only(isError, (passing) => {
      if (passing.method !== 'GET') return
      passing.body = Buffer.from('<h1>Error</h1>')
      passing.headers.set('content-type', 'text/html')
    }),
    expected: ['error-replaced'],
  },
  {
    name: 'another media type',
    mischief: set('content-type', 'application/json'),
    expected: ['content-type'],
  },
  {
    name: 'no API version',
    mischief: remove('x-svc-api-version'),
    expected: ['api-version-missing'],
  },
  { name: 'no Allow', mischief: remove('allow'), expected: ['allow-missing'] },
  { name: 'no challenge', mischief: remove('www-authenticate'), expected: ['challenge-missing'] },
  { name: 'no request id', mischief: remove('x-request-id'), expected: ['request-id-missing'] },
  {
    name: 'a request id of the proxy',
    mischief: only(
      ({ method, status: code }) => method === 'GET' && code !== 304,
      set('x-request-id', 'abc'),
    ),
    expected: ['request-id-wrong'],
  },
  // Signatures
  {
    name: 'a sha-512 digest that a proxy adds',
    mischief: (passing) => {
      const digest = passing.headers.get('content-digest')
      if (digest !== undefined) {
        passing.headers.set('content-digest', `${digest}, sha-512=:${'A'.repeat(86)}==:`)
      }
    },
    expected: ['digest-changed'],
  },
  {
    name: 'one changed byte',
    mischief: only(at(status.path), (passing) => {
      if (passing.status === 200) flipByte(passing)
    }),
    expected: ['body-changed'],
  },
  {
    name: 'Content-Digest dropped',
    mischief: remove('content-digest'),
    expected: ['digest-dropped'],
  },
  {
    name: 'the signature dropped',
    mischief: remove('x-svc-signature', 'x-svc-signed-at', 'content-digest'),
    expected: ['signature-dropped'],
  },
  {
    name: 'a signature for something else',
    mischief: only(at(status.path), (passing) => {
      if (passing.status === 200) passing.headers.set('x-svc-signed-at', '2026-11-21T09:00:00.001Z')
    }),
    expected: ['signature-wrong'],
  },
  {
    name: 'a cache that leaves the query out of its key',
    mischief: cacheOf(
      (passing) =>
        at(status.path)(passing) &&
        passing.asked['if-none-match'] === undefined &&
        passing.asked['accept-signature'] === undefined,
      ({ path }) => path,
    ),
    expected: ['query-ignored'],
  },
  {
    name: 'such a cache for the time',
    mischief: cacheOf(at(time.path), ({ path }) => path),
    expected: ['short-lived-cached'],
  },
  { name: 'no ETag', mischief: remove('etag'), expected: ['etag-missing'] },
  {
    name: 'a strong ETag',
    mischief: (passing) => {
      const etag = passing.headers.get('etag')
      if (etag !== undefined && !is304(passing)) passing.headers.set('etag', etag.slice(2))
    },
    expected: ['etag-strong'],
  },
  {
    name: 'an ETag of the proxy',
    mischief: only(({ status: code }) => code === 200, set('etag', '"5f3c-12"')),
    expected: ['etag-changed'],
  },
  // Keys
  {
    name: 'a pin of another key',
    examination: { pinnedKeyIds: ['A'.repeat(43)] },
    expected: ['pin-mismatch'],
  },
  { name: 'no pin', examination: { pinnedKeyIds: undefined }, expected: ['not-pinned'] },
  {
    name: 'no key record in DNS',
    examination: { hasKeyRecord: false },
    expected: ['keys-not-published'],
  },
  {
    name: 'an invalid key document',
    mischief: only(at(signingKey.path), (passing) => {
      passing.status = 404
      passing.body = Buffer.from('{}')
    }),
    expected: ['unexpected-status'],
  },
  // Clocks
  {
    name: 'a clock an hour ahead of the service',
    examination: { aheadMs: 3_600_000 },
    expected: ['clock-skew'],
  },
  {
    name: 'a clock an hour behind the service',
    examination: { aheadMs: -3_600_000 },
    expected: ['clock-skew'],
  },
  {
    name: 'a skewed Date',
    mischief: set('date', 'Sat, 21 Nov 2026 09:05:00 GMT'),
    expected: ['date-skew'],
  },
  // HEAD
  {
    name: 'HEAD made into GET',
    mischief: only(
      (passing) => isHead(passing) && passing.status === 200,
      set('content-digest', 'x'),
    ),
    expected: ['head-proof'],
  },
  {
    name: 'HEAD refused',
    mischief: only(isHead, (passing) => void (passing.status = 405)),
    expected: ['head-status'],
  },
  { name: 'HEAD without ETag', mischief: only(isHead, remove('etag')), expected: ['head-etag'] },
  // Compression
  { name: 'compression done well', mischief: compress(), expected: [] },
  {
    name: 'compression without Vary',
    mischief: compress(undefined, false),
    expected: ['coding-vary'],
  },
  {
    name: 'unrequested compression',
    mischief: only(at(status.path), (passing) => {
      if (passing.status !== 200) return
      passing.body = gzipSync(passing.body)
      passing.headers.set('content-encoding', 'gzip')
    }),
    expected: ['coding-unrequested'],
  },
  {
    name: 'compression without Content-Encoding',
    mischief: only(at(status.path), (passing) => {
      if (passing.status === 200) passing.body = gzipSync(passing.body)
    }),
    expected: ['body-changed'],
  },
  {
    name: 'compression that breaks the body',
    mischief: compress((passing) => flipByte(passing)),
    expected: ['coding-body'],
  },
  {
    name: 'bytes that are not in their coding',
    mischief: (passing) => {
      if (passing.asked['accept-encoding'] === 'gzip')
        passing.headers.set('content-encoding', 'gzip')
    },
    expected: ['coding-broken'],
  },
  {
    name: 'compression that makes the ETag strong',
    mischief: compress(({ headers }) => headers.set('etag', headers.get('etag')?.slice(2) ?? '')),
    expected: ['coding-etag'],
  },
  {
    name: 'compression that removes the ETag',
    mischief: compress(({ headers }) => headers.delete('etag')),
    expected: ['coding-etag'],
  },
  {
    name: 'compression that drops the digest',
    mischief: compress(({ headers }) => headers.delete('content-digest')),
    expected: ['coding-headers'],
  },
  // 304
  {
    name: '200 where 304 was due',
    mischief: only(is304, (passing) => {
      passing.status = 200
      passing.body = Buffer.from('{"stale":true}')
    }),
    expected: ['revalidation-ignored'],
  },
  {
    name: 'a proxy that drops If-None-Match, with the whole response',
    mischief: (() => {
      const copies = new Map<string, Pick<Passing, 'headers' | 'body'>>()
      return (passing: Passing) => {
        const { path, method, headers, body } = passing
        if (method !== 'GET' || passing.target !== path) return
        if (passing.status === 200) copies.set(path, { headers: new Map(headers), body })
        else if (is304(passing)) Object.assign(passing, copies.get(path), { status: 200 })
      }
    })(),
    expected: ['revalidation-whole'],
  },
  {
    name: '304 to everything',
    mischief: (passing) => {
      if (!isApi(passing) || passing.asked['if-none-match'] === undefined) return
      if (passing.status === 200) Object.assign(passing, { status: 304, body: Buffer.alloc(0) })
    },
    expected: ['revalidation-wrong'],
  },
  {
    name: 'a 304 with a signature',
    mischief: only(is304, set('x-svc-signature', 'x')),
    expected: ['not-modified-signed'],
  },
  {
    name: 'a cache that makes a 304 from its copy',
    mischief: (() => {
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
    expected: ['not-modified-from-cache'],
  },
  {
    name: 'a 304 without its proof',
    mischief: remove('x-svc-revalidated'),
    expected: ['not-modified-unproved'],
  },
  {
    name: 'a 304 with the proof of another',
    mischief: cacheOf(is304, () => 'one for all'),
    expected: ['not-modified-proof-wrong'],
  },
  {
    name: 'a 304 without Cache-Control',
    mischief: only(is304, remove('cache-control')),
    expected: ['not-modified-headers'],
  },
  // Caching
  {
    name: 'Cache-Control of the CDN',
    mischief: only(
      ({ status: code, asked }) => code === 200 && asked['accept-signature'] === undefined,
      set('cache-control', 'public, max-age=14400'),
    ),
    expected: ['cache-control'],
  },
  {
    name: 'errors that may be stored',
    mischief: only(isError, set('cache-control', 'public, max-age=5')),
    expected: ['error-cacheable'],
  },
  {
    name: 'errors that are stored',
    mischief: cacheOf(isError),
    expected: ['no-store-cached'],
  },
  {
    name: 'the time from a cache',
    mischief: cacheOf(at(time.path)),
    expected: ['short-lived-cached'],
  },
  { name: 'no Vary', mischief: remove('vary'), expected: ['vary-missing'] },
  // CORS
  {
    name: 'no CORS',
    mischief: (passing) => {
      if (passing.method === 'GET') remove('access-control-allow-origin')(passing)
    },
    expected: ['cors-missing'],
  },
  {
    name: 'CORS for one origin',
    mischief: only(
      ({ headers, method }) => method === 'GET' && headers.has('access-control-allow-origin'),
      set('access-control-allow-origin', 'https://example.org'),
    ),
    expected: ['cors-origin'],
  },
  {
    name: 'CORS with credentials',
    mischief: only(
      ({ headers, method }) => method === 'GET' && headers.has('access-control-allow-origin'),
      set('access-control-allow-credentials', 'true'),
    ),
    expected: ['cors-credentials'],
  },
  {
    name: 'headers that are not exposed',
    mischief: remove('access-control-expose-headers'),
    expected: ['cors-expose'],
  },
  {
    name: 'CORS on POST',
    mischief: only(isPost, set('access-control-allow-origin', '*')),
    expected: ['cors-on-write'],
  },
  {
    name: 'CORS where a registration goes',
    mischief: set('access-control-allow-origin', '*', ({ path }) => path === register.path),
    expected: ['cors-on-write'],
  },
  {
    name: 'a preflight that the proxy responds to',
    mischief: only(
      ({ method, path }) => method === 'OPTIONS' && path === status.path,
      (passing) => void (passing.headers = new Map()),
    ),
    expected: ['preflight-wrong'],
  },
  {
    name: 'a preflight that offers POST',
    mischief: only(
      ({ method, path }) => method === 'OPTIONS' && path === status.path,
      set('access-control-allow-methods', 'GET, HEAD, OPTIONS, POST'),
    ),
    expected: ['preflight-offers'],
  },
  // Indexing
  {
    name: 'a preview without X-Robots-Tag',
    deployment: 'preview',
    mischief: remove('x-robots-tag'),
    expected: ['robots-tag-missing'],
  },
  {
    name: 'the same, with --deployment preview',
    deployment: 'preview',
    examination: { deployment: 'preview' },
    mischief: remove('x-robots-tag'),
    expected: ['robots-tag-missing'],
  },
  {
    name: 'a preview that is meant to be the primary one',
    deployment: 'preview',
    examination: { deployment: 'primary' },
    expected: ['robots-txt', 'robots-tag-unwanted'],
  },
  {
    name: 'a preview whose pages have no X-Robots-Tag',
    deployment: 'preview',
    mischief: only(
      ({ path }) => path === '/en/reference',
      ({ headers }) => void headers.delete('x-robots-tag'),
    ),
    expected: ['robots-tag-missing'],
  },
  {
    name: 'a primary deployment that hides',
    mischief: set('x-robots-tag', 'noindex'),
    expected: ['robots-tag-unwanted'],
  },
  {
    name: 'a robots.txt that is a page',
    mischief: set('content-type', 'text/html', at('/robots.txt')),
    expected: ['robots-txt'],
  },
  // Documents and links
  {
    name: 'an invalid OpenAPI document',
    mischief: only(at(openapi.path), (passing) => {
      if (passing.status === 200) passing.body = passing.body.subarray(0, 100)
    }),
    expected: ['body-changed'],
  },
  { name: 'no Link', mischief: remove('link'), expected: ['link-missing'] },
  {
    name: 'no page behind a link',
    mischief: only(at('/en/reference'), (passing) => void (passing.status = 404)),
    expected: ['link-broken'],
  },
  // Transport
  {
    name: 'a version number',
    mischief: set('server', 'nginx/1.22.1'),
    expected: ['server-version'],
  },
  { name: 'a cookie', mischief: set('set-cookie', '__cf_bm=abc'), expected: ['cookie'] },
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

for (const { name, mischief, examination, deployment = 'primary', expected } of FAULTS) {
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
