import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parseAddress } from '@public-api/cli/src/verifying/address.ts'
import { FAILURE_NOTES } from '@public-api/cli/src/verifying/failure-note.ts'
import { createClient } from '@public-api/client-internal/client'
import { fetchCopyProof } from '@public-api/client-internal/copies/fetch-copy-proof'
import { VERIFICATION_FAULTS } from '@public-api/client-internal/verification-error'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { key } from '../client/scripted-client.ts'
import { passOn } from '../support/http-proxy.ts'
import { serve, silentOrigin } from '../support/loopback-server.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { rotatedSigning } from '../support/rotated-signing.ts'
import { failedWith, succeeded, svc } from '../support/run-svc.ts'
import { runApp, TEST_NOW_MS, testSigning, type RunningApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { OTHER_TEST_SIGNING_KEY } from '../vectors/signing-key.ts'

const NOW = new Date(TEST_NOW_MS).toISOString()
const PINNED = ['--pin', key.keyId, '--at', NOW]
const OTHER_ID = 'A'.repeat(43)

interface VerifyReport {
  readonly ok: boolean
  readonly isPinned: boolean
  readonly status: number
  readonly url: string
  readonly fault?: { readonly code: string; readonly step: string; readonly retiredPin?: string }
  readonly steps: readonly { readonly step: string; readonly outcome: string }[]
  readonly keyId?: string
  readonly warnings?: readonly string[]
  readonly error: { readonly code: string } | null
}

async function verifyJson(...args: readonly string[]) {
  const { status, out, error } = await svc('verify', ...args, '--json')
  assert.equal(error, '')
  return { exit: status, report: JSON.parse(out) as VerifyReport }
}

/** A server before the app that changes the responses of the app. */
function before(
  t: TestContext,
  app: RunningApp,
  change: (upstream: { headers: Headers; body: Buffer; status: number }) => void,
  changeKeys: typeof change = () => {},
): Promise<string> {
  return serve(t, (request, response) => {
    void app
      .fetch(request.url ?? '', { method: request.method ?? 'GET' })
      .then(async (upstream) => {
        const changed = {
          headers: new Headers(upstream.headers),
          body: Buffer.from(await upstream.arrayBuffer()),
          status: upstream.status,
        }
        // The body was decoded.
        changed.headers.delete('content-encoding')
        const isKeys = request.url?.startsWith(READ_PATHS.signingKey) === true
        ;(isKeys ? changeKeys : change)(changed)
        changed.headers.delete('content-length')
        changed.headers.delete('connection')
        response.writeHead(changed.status, [...changed.headers].flat())
        response.end(request.method === 'HEAD' ? undefined : changed.body)
      })
  })
}

test('verifies a response step by step; with a pin there is no warning', async (t) => {
  const { origin } = await runApp(t)
  const { status, out, error } = await svc('verify', `${origin}/api/v1/status`, ...PINNED)
  assert.equal(error, '')
  assert.equal(status, 0)
  for (const step of ['keys', 'proof', 'digest', 'signature', 'key', 'freshness', 'body', 'etag']) {
    assert.match(out, new RegExp(`^  ok      ${step}`, 'm'))
  }
  assert.match(out, new RegExp(`^Verified: signed by ${key.keyId} 0 s ago\\.$`, 'm'))
  assert.doesNotMatch(out, /No key is pinned/)

  const unpinned = succeeded(await svc('verify', `${origin}/api/v1/status`, '--at', NOW))
  assert.match(unpinned, /No key is pinned, so the keys that the server names are trusted/)
})

test('the target is sent and checked as typed', async (t) => {
  const { origin } = await runApp(t)
  for (const target of ['/api/v1/status?', '/api/v1/status?a=%2f&b', '/api/v1/status?a="b"']) {
    const { exit, report } = await verifyJson(`${origin}${target}`, ...PINNED)
    assert.deepEqual([exit, report.ok, report.url], [0, true, `${origin}${target}`])
  }
  // Dots are not resolved: what is signed is the 404 of that very path.
  const { report } = await verifyJson(`${origin}/api/v1/x/../status`, ...PINNED)
  assert.deepEqual([report.ok, report.status, report.error?.code], [true, 404, 'NOT_FOUND'])
  assert.deepEqual(parseAddress('HTTPS://Example.org?a#b'), {
    origin: 'https://example.org',
    target: '/?a',
  })
})

test('verifies an error response and a 304', async (t) => {
  const { origin, fetch } = await runApp(t)
  const refused = succeeded(await svc('verify', `${origin}/api/v1/keys/self`, ...PINNED))
  assert.match(refused, /^status 401/m)
  assert.match(refused, /^The service returned the error KEY_REQUIRED: /m)

  const etag = (await fetch('/api/v1/status')).headers.get('etag') ?? ''
  const asked = ['--if-none-match', etag]
  const { exit, report } = await verifyJson(`${origin}/api/v1/status`, ...asked, ...PINNED)
  assert.deepEqual([exit, report.ok, report.status], [0, true, 304])
  assert.deepEqual(
    report.steps.map(({ step, outcome }) => `${step} ${outcome}`),
    ['keys ok', 'proof ok', 'signature ok', 'key ok', 'freshness ok', 'etag ok'],
  )
})

test('names the first failed step and skips later ones', async (t) => {
  const app = await runApp(t)
  const cases: readonly (readonly [string, string, Parameters<typeof before>[2]])[] = [
    ['UNSIGNED', 'proof', ({ headers }) => headers.delete('x-svc-signature')],
    ['DIGEST', 'digest', ({ body }) => void (body[20] = (body[20] ?? 0) ^ 1)],
    ['SIGNATURE', 'signature', (upstream) => void (upstream.status = 203)],
  ]
  for (const [code, step, change] of cases) {
    const origin = await before(t, app, change)
    const { exit, report } = await verifyJson(`${origin}/api/v1/status`, ...PINNED)
    assert.deepEqual(
      [exit, report.ok, report.fault?.code, report.fault?.step],
      [1, false, code, step],
    )
    const outcomes = report.steps.map(({ outcome }) => outcome)
    const failed = report.steps.findIndex(({ step: each }) => each === step)
    assert.deepEqual(
      outcomes,
      outcomes.map((_, at) => (at < failed ? 'ok' : at === failed ? 'failed' : 'unchecked')),
    )
    const { out, error, status } = await svc('verify', `${origin}/api/v1/status`, ...PINNED)
    assert.equal(status, 1)
    assert.match(out, new RegExp(`Not verified: the ${step.replace('Id', ' id')} check failed\\.`))
    assert.match(error, new RegExp(`^error: ${code}: `))
  }
})

test('a header that is not signed and does not match is a warning', async (t) => {
  const app = await runApp(t)
  const cases: readonly (readonly [string, string, Parameters<typeof before>[2]])[] = [
    ['x-request-id', 'REQUEST_ID', ({ headers }) => headers.set('x-request-id', 'proxy-1')],
    ['strong', 'ETAG', ({ headers }) => headers.set('etag', headers.get('etag')?.slice(2) ?? '')],
    [
      'gzip',
      'ETAG',
      ({ headers }) => headers.set('etag', headers.get('etag')?.replace(/"$/, '-gzip"') ?? ''),
    ],
    ['missing', '', ({ headers }) => (headers.delete('etag'), headers.delete('x-request-id'))],
  ]
  for (const [name, code, change] of cases) {
    const origin = await before(t, app, change)
    const { exit, report } = await verifyJson(`${origin}/api/v1/status`, ...PINNED)
    const codes = report.warnings?.map((each) => each.split(':')[0])
    assert.deepEqual([exit, report.ok, codes], [0, true, code === '' ? [] : [code]], name)
    const steps = report.steps.filter(({ outcome }) => outcome === 'warning')
    assert.equal(steps.length, code === '' ? 0 : 1, name)
    const { status, out, error } = await svc('verify', `${origin}/api/v1/status`, ...PINNED)
    assert.equal(status, 0, name)
    assert.match(out, /^Verified: /m)
    assert.match(error, code === '' ? /^$/ : new RegExp(`^Warning: ${code}: expected .*\n$`))
  }
})

/** Changes a response on its way. */
type Change = Parameters<typeof before>[2]

/** What a change makes true, the code that it must have, and what else belongs to it. */
type Cause = readonly [
  cause: string,
  code: keyof typeof VERIFICATION_FAULTS,
  made: {
    /** The note below the error, if one explains it. */
    readonly note?: readonly [id: keyof typeof FAILURE_NOTES, detail?: string]
    readonly exit?: 1 | 3
    readonly target?: string
    readonly args?: readonly string[]
    readonly change?: Change
    /** The signing-key document is changed, too. */
    readonly changeKeys?: Change
    readonly signing?: ReturnType<typeof testSigning> | undefined
  },
]

const HOUR_LATER = ['--pin', key.keyId, '--at', new Date(TEST_NOW_MS + 3_600_000).toISOString()]

function setDate({ headers }: { headers: Headers }, ms: number): void {
  headers.set('date', new Date(TEST_NOW_MS + ms).toUTCString())
}

const removeSignature: Change = ({ headers }) => headers.delete('x-svc-signature')
const addDigest: Change = ({ headers }) =>
  headers.append('content-digest', `sha-512=:${'A'.repeat(86)}==:`)

function become(status: number): Change {
  return (upstream) => {
    removeSignature(upstream)
    upstream.status = status
    upstream.body = Buffer.from('')
  }
}

const editKeys =
  (edit: (text: string) => string): Change =>
  (upstream) =>
    void (upstream.body = Buffer.from(edit(upstream.body.toString())))

const CAUSES: readonly Cause[] = [
  ['a removed signature', 'UNSIGNED', { note: ['unsigned'], change: removeSignature }],
  ['a page', 'UNSIGNED', { note: ['page', '/api/v1/status'], target: '/en/status' }],
  ['a redirect', 'UNSIGNED', { note: ['redirect'], change: become(302) }],
  [
    'a response to HEAD',
    'UNSIGNED',
    { note: ['method', 'HEAD'], args: [...PINNED, '--method', 'HEAD'] },
  ],
  [
    'a service without a signing key',
    'UNSIGNED',
    { note: ['signingOff'], exit: 3, signing: undefined },
  ],
  [
    'a key document without a signature',
    'UNSIGNED',
    { note: ['unsignedKeys', '200'], changeKeys: removeSignature },
  ],
  [
    'a 304 of a cache',
    'UNSIGNED',
    { note: ['cached304'], args: [...PINNED, '--if-none-match', '"a"'], change: become(304) },
  ],
  ['another body', 'DIGEST', { change: ({ body }) => void (body[20] = (body[20] ?? 0) ^ 1) }],
  ['another status', 'SIGNATURE', { change: (upstream) => void (upstream.status = 203) }],
  ['a sha-512 that a proxy added', 'SIGNATURE', { note: ['otherDigest'], change: addDigest }],
  [
    'a parameter that a proxy added',
    'DIGEST',
    {
      note: ['otherDigest'],
      change: ({ headers }) =>
        headers.set('content-digest', `${headers.get('content-digest')};a=1`),
    },
  ],
  [
    'a sha-512 that a proxy added to the key document',
    'SIGNATURE',
    { note: ['otherDigest'], changeKeys: addDigest },
  ],
  [
    'a slow clock',
    'STALE',
    {
      note: ['slowClock', '60 min'],
      args: HOUR_LATER,
      change: (upstream) => setDate(upstream, 0),
      changeKeys: (upstream) => setDate(upstream, 0),
    },
  ],
  [
    'the age that a cache states',
    'STALE',
    {
      note: ['cacheAge', '3600'],
      args: HOUR_LATER,
      change: ({ headers }) => headers.set('age', '3600'),
      changeKeys: ({ headers }) => headers.set('age', '3600'),
    },
  ],
  [
    'an old key document of a cache',
    'STALE',
    {
      args: HOUR_LATER,
      change: (upstream) => setDate(upstream, 0),
      changeKeys: (upstream) => setDate(upstream, 3_600_000),
    },
  ],
  [
    'a proof of another 304',
    'REVALIDATION',
    {
      args: [...HOUR_LATER, '--keys', 'keys.json'],
      change: ({ headers }) =>
        headers.set('x-svc-revalidated', `${NOW}; ${headers.get('x-svc-signature')}`),
    },
  ],
  ['a fast clock', 'FUTURE', { args: ['--at', '2026-11-21T08:00:00Z'] }],
  ['another pin', 'UNKNOWN_KEY', { args: ['--pin', OTHER_ID, '--at', NOW] }],
  ['a pin that was retired', 'UNKNOWN_KEY', { note: ['retiredPin'], signing: rotatedSigning() }],
  [
    'a signature after the period of the key',
    'KEY_PERIOD',
    {
      signing: {
        ...testSigning(),
        keys: testSigning().keys.map((each) => ({ ...each, notAfter: '2026-11-01T00:00:00.000Z' })),
      },
    },
  ],
  [
    'a malformed key',
    'KEY_MALFORMED',
    { changeKeys: editKeys((text) => text.replaceAll(/"x":"[\w-]+"/g, '"x":"AAAA"')) },
  ],
  ['a malformed key document', 'MALFORMED', { changeKeys: editKeys(() => '{}') }],
]

for (const [cause, code, { note, exit = 1, ...made }] of CAUSES) {
  test(`names ${cause} as the cause, and no other`, async (t) => {
    const { target = READ_PATHS.status, args = PINNED, change = () => {}, changeKeys } = made
    const app = await runApp(t, 'signing' in made ? { signing: made.signing } : {})
    const file = path.join(temporaryFolder(t), 'keys.json')
    writeFileSync(file, await (await app.fetch(READ_PATHS.signingKey)).text())
    const origin = await before(t, app, change, changeKeys)
    const url = `${origin}${target}`
    const given = args.map((each) => (each === 'keys.json' ? file : each))
    const { status, error } = await svc('verify', url, ...given)
    const [first = '', ...notes] = error.trimEnd().split('\n')
    assert.equal(first.slice(0, `error: ${code}: `.length), `error: ${code}: `)
    assert.equal(status, exit)
    const { report } = await verifyJson(url, ...given)
    assert.equal(report.fault?.code, code)
    const [id, detail = ''] = note ?? []
    const shown = id === 'page' ? `${origin}${detail}` : detail || (report.fault.retiredPin ?? '')
    assert.deepEqual(notes, id === undefined ? [] : [FAILURE_NOTES[id](shown)])
  })
}

test('each code and each note of a failure is expected alone above', () => {
  const codes = new Set(CAUSES.map(([, code]) => code))
  const codesOf304 = ['ETAG']
  assert.deepEqual(
    [...codes, ...codesOf304].toSorted(),
    Object.keys(VERIFICATION_FAULTS).toSorted(),
  )
  const notes = new Set(CAUSES.flatMap(([, , { note }]) => note?.[0] ?? []))
  assert.deepEqual([...notes].toSorted(), Object.keys(FAILURE_NOTES).toSorted())
})

test('the age and the pins that are given decide', async (t) => {
  const { origin } = await runApp(t)
  const url = `${origin}/api/v1/status`
  const at = (ms: number): string => new Date(TEST_NOW_MS + ms).toISOString()
  for (const [code, args] of [
    ['STALE', ['--at', at(901_000)]],
    ['FUTURE', ['--at', at(-61_000)]],
    ['STALE', ['--at', at(11_000), '--max-age', '10']],
  ] as const) {
    const { exit, report } = await verifyJson(url, ...args)
    assert.deepEqual([exit, report.fault?.code], [1, code])
  }
  const aged = await verifyJson(url, '--at', at(901_000), '--max-age', '1000')
  assert.equal(aged.exit, 0)
  const two = await verifyJson(url, '--at', NOW, '--pin', OTHER_ID, '--pin', key.keyId)
  assert.equal(two.exit, 0)
})

test('requests the key document again after a key change', async (t) => {
  const [old, now] = [
    await runApp(t),
    await runApp(t, { signing: testSigning(OTHER_TEST_SIGNING_KEY) }),
  ]
  const asked: string[] = []
  const origin = await serve(t, (request, response) => {
    const target = request.url ?? ''
    asked.push(target)
    const app = target === '/api/v1/keys/signing-key' ? old : now
    passOn(request, response, app.port)
  })
  const { exit } = await verifyJson(`${origin}/api/v1/status`, '--at', NOW)
  assert.equal(exit, 0)
  assert.match(asked.at(-1) ?? '', /^\/api\/v1\/keys\/signing-key\?fresh=/)
})

test('reports responses that are never signed', async (t) => {
  const { origin } = await runApp(t)
  const options = await svc('verify', `${origin}/api/v1/status`, '--method', 'OPTIONS', ...PINNED)
  assert.match(options.error, /Responses to OPTIONS have no signature/)

  // A proxy's error says nothing about the keys.
  const proxy = await serve(t, (_request, response) => void response.writeHead(503).end('oops'))
  const other = await svc('verify', `${proxy}/api/v1/status`, '--at', NOW)
  assert.deepEqual([other.status, /no signing key/.test(other.error)], [3, false], other.error)
  assert.match(other.error, /The signing-key document is not signed \(status 503\)/)
})

test('a page is not signed, and the advice names what it shows', async (t) => {
  const { origin } = await runApp(t)
  for (const [page, target] of [
    ['/en/status', '/api/v1/status'],
    ['/th/roadmap.md', '/api/v1/roadmap'],
    ['/en/nowhere/else', '/api/v1'],
    // A redirect to the page of the language.
    ['/status', '/api/v1'],
    ['/badge.svg', '/api/v1'],
  ]) {
    const error = failedWith(1, await svc('verify', `${origin}${page}`, ...PINNED))
    const advice = `Pages and files are not signed; the responses of the API are. Verify the data: svc verify ${origin}${target}`
    assert.ok(error.includes(`${advice}\n`), error)
  }
})

test('an unsigned error of a proxy is inconclusive (exit 3), and an unsigned success is a finding', async (t) => {
  const app = await runApp(t)
  for (const [status, exit] of [
    [502, 3],
    [429, 3],
    [200, 1],
    [404, 1],
  ] as const) {
    const origin = await before(t, app, (upstream) => {
      upstream.status = status
      for (const name of ['content-digest', 'x-svc-signed-at', 'x-svc-signature']) {
        upstream.headers.delete(name)
      }
    })
    const found = await verifyJson(`${origin}/api/v1/status`, ...PINNED)
    assert.deepEqual([found.exit, found.report.ok], [exit, false], String(status))
  }
})

test('accepts a signed 304 only for an entity tag of the request', async (t) => {
  const app = await runApp(t)
  const url = `${app.origin}/api/v1/status`
  const tag = (await app.fetch('/api/v1/status')).headers.get('etag') ?? ''
  assert.equal((await verifyJson(url, ...PINNED, '--if-none-match', tag)).exit, 0)
  assert.equal((await verifyJson(url, ...PINNED, '--if-none-match', '*')).exit, 0)
  // A valid 304 to another client's request.
  const gateway = await serve(t, (request, response) => {
    const isKeys = request.url?.includes('signing-key') === true
    const headers = isKeys ? {} : { 'if-none-match': tag }
    passOn(request, response, app.port, undefined, { headers })
  })
  for (const options of [[], ['--if-none-match', 'W/"another"']]) {
    const { exit, report } = await verifyJson(`${gateway}/api/v1/status`, ...PINNED, ...options)
    assert.deepEqual([exit, report.ok, report.status, report.fault?.code], [1, false, 304, 'ETAG'])
  }
})

test('--fresh bypasses every cache', async (t) => {
  const { origin } = await runApp(t)
  const { exit, report } = await verifyJson(`${origin}/api/v1/status?a=b`, '--fresh', ...PINNED)
  assert.equal(exit, 0)
  assert.match(report.url, /\/api\/v1\/status\?a=b&fresh=[\w-]{22}$/)
})

test('decodes a coded body; an undecodable one fails', async (t) => {
  const app = await runApp(t)
  const gzipped = await before(t, app, (upstream) => {
    upstream.body = gzipSync(upstream.body)
    upstream.headers.set('content-encoding', 'gzip')
  })
  assert.equal((await verifyJson(`${gzipped}/api/v1/status`, ...PINNED)).exit, 0)
  const odd = await before(t, app, ({ headers }) => headers.set('content-encoding', 'odd'))
  const error = failedWith(1, await svc('verify', `${odd}/api/v1/status`, ...PINNED))
  assert.match(error, /content coding odd, which could not be decoded/)
})

test('server text cannot control the terminal', async (t) => {
  const app = await runApp(t)
  const origin = await before(t, app, ({ headers }) => headers.set('etag', 'W/"\u009b31m"'))
  const { out, error } = await svc('verify', `${origin}/api/v1/status`, ...PINNED)
  // eslint-disable-next-line no-control-regex -- these are what must not be there
  assert.doesNotMatch(out + error, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

/** A response of the app, saved as curl does. */
async function save(app: RunningApp, folder: string, target: string) {
  const { status, headerNames, headers, body } = await sendRaw(app.port, rawRequest('GET', target))
  const lines = headerNames.map((name) => `${name}: ${headers.get(name.toLowerCase())}`)
  const file = (name: string, content: string): string => {
    const place = path.join(folder, name)
    writeFileSync(place, content, 'latin1')
    return place
  }
  const keys = await sendRaw(app.port, rawRequest('GET', '/api/v1/keys/signing-key'))
  return {
    headers: file('headers', `HTTP/1.1 ${status} OK\r\n${lines.join('\r\n')}\r\n\r\n`),
    body: file('body', body),
    keys: file('keys.json', keys.body),
    file,
  }
}

test('a saved response is verified without a network', async (t) => {
  const app = await runApp(t)
  const saved = await save(app, temporaryFolder(t), '/api/v1/status')
  const files = ['--headers', saved.headers, '--body', saved.body, '--keys', saved.keys]
  const good = await verifyJson('/api/v1/status', ...files, ...PINNED)
  assert.deepEqual([good.exit, good.report.ok, good.report.url], [0, true, '/api/v1/status'])
  const byUrl = await verifyJson('https://example.org/api/v1/status', ...files, ...PINNED)
  assert.equal(byUrl.exit, 0)

  const other = await verifyJson('/api/v1/roadmap', ...files, ...PINNED)
  assert.equal(other.report.fault?.code, 'SIGNATURE')
  const status = await verifyJson('/api/v1/status', ...files, '--status', '404', ...PINNED)
  assert.equal(status.report.fault?.code, 'SIGNATURE')

  const proxied = 'HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'
  const whole = (first: string) =>
    saved.file(
      'whole',
      first + readFileSync(saved.headers, 'latin1') + readFileSync(saved.body, 'latin1'),
    )
  for (const first of ['', proxied]) {
    const response = ['--response', whole(first), '--keys', saved.keys]
    assert.equal((await verifyJson('/api/v1/status', ...response, ...PINNED)).exit, 0)
  }
  const heads = saved.file('heads', proxied + readFileSync(saved.headers, 'latin1'))
  const curlD = await verifyJson('/api/v1/status', ...files, '--headers', heads, ...PINNED)
  assert.equal(curlD.exit, 0)
})

test('a saved response is verified in the forms in which recorders keep it', async (t) => {
  const app = await runApp(t)
  const saved = await save(app, temporaryFolder(t), '/api/v1/status')
  const [head, body] = [saved.headers, saved.body].map((file) => readFileSync(file, 'latin1'))
  assert.ok(head !== undefined && body !== undefined)
  const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`
  const chunked = `${chunk(body.slice(0, 100))}${chunk(body.slice(100))}0\r\n\r\n`
  const keys = ['--keys', saved.keys]
  const check = (text: string, ...more: readonly string[]) =>
    verifyJson('/api/v1/status', '--response', saved.file('kept', text), ...keys, ...more)
  assert.equal((await check(head + chunked, ...PINNED)).exit, 0)
  const changed = chunked.replace('operational', 'operationaL')
  assert.notEqual(changed, chunked)
  assert.equal((await check(head + changed, ...PINNED)).report.fault?.code, 'DIGEST')
  assert.equal((await check(head + chunked.slice(0, -5), ...PINNED)).exit, 1)
  const local = new Date(TEST_NOW_MS + 7 * 3_600_000).toISOString().replace(/Z$/, '123456+07:00')
  assert.equal((await check(head + body, '--pin', key.keyId, '--at', local)).exit, 0)

  const refuse = async (text: string, expected: RegExp, ...more: readonly string[]) => {
    const file = ['--response', saved.file('kept', text), ...keys]
    assert.match(failedWith(2, await svc('verify', '/api/v1/status', ...file, ...more)), expected)
  }
  await refuse(head + body + head + body, /expected one response, found another one behind it/)
  const gzipped = gzipSync(Buffer.from(body, 'latin1')).toString('latin1')
  const coded = head.replace('\r\n', '\r\nContent-Encoding: gzip\r\n') + gzipped
  assert.equal((await check(coded, ...PINNED)).exit, 0)
  for (const first of [coded, head + chunked]) {
    await refuse(first + head + body, /expected one response, found another one behind it/)
  }
  await refuse('WARC/1.1\r\nWARC-Type: response\r\n\r\n', /expected whole records of a WARC/)
  const isLeap = await check(head + body, ...PINNED, '--at', '2026-12-31T23:59:60Z')
  assert.equal(isLeap.report.fault?.code, 'STALE')
  await refuse(head + body, /--at expects a time of RFC 3339, such as/, '--at', '2026-11-21')
  await refuse(head + body, /--at expects/, '--at', '2026-02-30T00:00:00+07:00')

  const tag = (await app.fetch('/api/v1/status')).headers.get('etag') ?? ''
  const fields = ['Host: localhost', `If-None-Match: ${tag}`]
  const response = await sendRaw(app.port, rawRequest('GET', '/api/v1/status', fields))
  const lines = response.headerNames.map(
    (name) => `${name}: ${response.headers.get(name.toLowerCase())}`,
  )
  const notModified = `HTTP/1.1 304 Not Modified\r\n${lines.join('\r\n')}\r\n\r\n`
  assert.equal(response.status, 304)
  await refuse(notModified, /a 304 is signed for one tag; expected --if-none-match ETAG/)
  assert.equal((await check(notModified, ...PINNED, '--if-none-match', tag)).exit, 0)
  const two = /expected one response, found another one behind it/
  await refuse(notModified + notModified, two, '--if-none-match', tag)
})

/** A record of a WARC, as wget writes it. */
function warcRecord(type: string, id: string, block: string, more = ''): string {
  const head = `WARC/1.0\r\nWARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:${id}>\r\nWARC-Target-URI: <http://localhost/api/v1/status>\r\nWARC-Date: ${NOW}\r\n${more}Content-Type: application/http\r\nContent-Length: ${block.length}\r\n\r\n`
  return `${head}${block}\r\n\r\n`
}

/** A 200, and the 304 to a request with its tag, as raw texts. */
async function exchanges(app: RunningApp, target: string) {
  const tag = (await app.fetch(target)).headers.get('etag') ?? ''
  const ask = async (fields: readonly string[]) => {
    const request = rawRequest('GET', target, ['Host: localhost', ...fields])
    const { status, headerNames, headers, body } = await sendRaw(app.port, request)
    const pairs: readonly (readonly [string, string])[] = headerNames.map((name) => [
      name,
      headers.get(name.toLowerCase()) ?? '',
    ])
    const lines = pairs.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return { request, status, pairs, body, raw: `HTTP/1.1 ${status} OK\r\n${lines}\r\n${body}` }
  }
  return { tag, ok: await ask([]), notModified: await ask([`If-None-Match: ${tag}`]) }
}

test('verifies the responses of a WARC, each by its request', async (t) => {
  const app = await runApp(t)
  const { file, keys } = await save(app, temporaryFolder(t), '/api/v1/status')
  const { ok, notModified } = await exchanges(app, '/api/v1/status?a=b')
  const warc = [
    warcRecord('warcinfo', '0', 'software: Wget\r\n'),
    warcRecord('request', '1', ok.request),
    warcRecord(
      'response',
      '2',
      ok.raw,
      'WARC-Concurrent-To: <urn:uuid:1>\r\nWARC-Block-Digest: sha1:AAAA\r\n',
    ),
    warcRecord('response', '3', notModified.raw),
    warcRecord('request', '4', notModified.request, 'WARC-Concurrent-To: <urn:uuid:3>\r\n'),
  ]
  const given = ['--keys', keys, ...PINNED]
  for (const form of [
    file('a.warc', warc.join('')),
    file(
      'a.warc.gz',
      warc.map((each) => gzipSync(Buffer.from(each, 'latin1')).toString('latin1')).join(''),
    ),
  ]) {
    const { status, out, error } = await svc('verify', '--response', form, ...given)
    const url = 'http://localhost/api/v1/status?a=b'
    assert.equal(out, `ok GET ${url} 200: signed at ${NOW}\nok GET ${url} 304: signed at ${NOW}\n`)
    assert.deepEqual([status, error], [0, ''])
    const other = failedWith(2, await svc('verify', '/api/v1/status', '--response', form, ...given))
    assert.match(other, /expected a response to \/api\/v1\/status, found 2 others/)
  }
  const changed = file('b.warc', warc.join('').replace('operational', 'operationaL'))
  const found = await svc('verify', '--response', changed, ...given)
  assert.match(found.out, /^FAILED GET .* 200: DIGEST: .*\nok GET .* 304: /)
  assert.equal(found.status, 1)
  const cut = file('c.warc', warc.join('').slice(0, -20))
  assert.equal((await svc('verify', '--response', cut, ...given)).status, 2)
  const back = warc.join('').replaceAll(/Content-Length: \d+/g, 'Content-Length: -300')
  const refusedLength = await svc('verify', '--response', file('f.warc', back), ...given)
  assert.match(refusedLength.error, /expected whole records of a WARC/)
  // The beginning of the origin is not the origin.
  const longer = file('g.warc', warc.join('').replaceAll('//localhost/', '//localhost.example/'))
  const wanted = 'http://localhost/api/v1/status?a=b'
  const elsewhere = await svc('verify', wanted, '--response', longer, ...given)
  assert.match(elsewhere.error, /expected a response to \/api\/v1\/status\?a=b, found 2 others/)

  // A crawler that had the same body before keeps the head alone.
  const head = `${ok.raw.split('\r\n\r\n')[0]}\r\n\r\n`
  const visited = file('h.warc', [...warc, warcRecord('revisit', '5', head)].join(''))
  const partly = await svc('verify', '--response', visited, ...given)
  assert.match(partly.out, /^ok .* 200: .*\nok .* 304: .*\n- GET \S+: .*found a revisit, which has/)
  assert.equal(partly.status, 2)

  // Long after it, and as of the time that the recorder states, which is said.
  const one = file('d.warc', warc.slice(0, 3).join(''))
  const pinned = ['--keys', keys, '--pin', key.keyId]
  const late = await verifyJson('/api/v1/status?a=b', '--response', one, ...pinned)
  assert.equal(late.report.fault?.code, 'STALE')
  const then = await svc('verify', '--response', one, ...pinned, '--at', 'recorded')
  assert.match(then.out, /Verified: .*\nChecked as of the time that the recorder states\. Nothing/)
  const plain = file('e', ok.raw)
  for (const [args, expected] of [
    [
      ['/api/v1/status', '--response', plain, '--at', 'recorded'],
      /--at recorded needs a recording/,
    ],
    [['--response', plain], /expected the URL of a response/],
  ] as const) {
    assert.match(failedWith(2, await svc('verify', ...args, '--keys', keys)), expected)
  }
})

test('verifies the responses of a HAR as Chromium writes it', async (t) => {
  const app = await runApp(t)
  const { file, keys } = await save(app, temporaryFolder(t), '/api/v1/status')
  const { tag, ok, notModified } = await exchanges(app, '/api/v1/status')
  const named = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([name, value]) => ({ name, value }))
  const entry = (
    status: number,
    pairs: typeof ok.pairs,
    content: object,
    sent: typeof ok.pairs = [],
  ) => ({
    startedDateTime: NOW,
    request: { method: 'GET', url: `${app.origin}/api/v1/status`, headers: named(sent) },
    response: { status, headers: named([[':status', String(status)], ...pairs]), content },
  })
  const body = Buffer.from(ok.body, 'latin1')
  const twice = ok.pairs.map(([name, value]) =>
    name === 'Access-Control-Expose-Headers'
      ? ([name, value.replaceAll(', ', '\n')] as const)
      : ([name, value] as const),
  )
  const asked: typeof ok.pairs = [['If-None-Match', tag]]
  const entries = [
    entry(200, twice, { text: body.toString() }),
    entry(200, ok.pairs, { text: body.toString('base64'), encoding: 'base64' }),
    entry(304, notModified.pairs, { size: 0 }, asked),
    entry(200, ok.pairs, { text: body.toString().replace('operational', 'operationaL') }),
    entry(200, notModified.pairs, { text: body.toString() }, asked),
    entry(200, ok.pairs, { size: 100 }),
  ]
  const har = (list: readonly object[]) => file('a.har', JSON.stringify({ log: { entries: list } }))
  const check = (list: readonly object[], ...args: readonly string[]) =>
    svc('verify', ...args, '--response', har(list), '--keys', keys, ...PINNED)
  const { status, out } = await check(entries)
  const verdicts = out.trimEnd().split('\n')
  const expected = [
    /^ok GET \S+ 200: signed at/,
    /^ok GET \S+ 200: signed at/,
    /^ok GET \S+ 304: signed at/,
    /^FAILED GET \S+ 200: DIGEST: /,
    /^- GET .* found the fields of a 304 with status 200; record with the cache turned off$/,
    /^- GET .* the recorder kept no body$/,
  ]
  assert.equal(verdicts.length, expected.length)
  for (const [index, each] of expected.entries()) assert.match(verdicts[index] ?? '', each)
  assert.equal(status, 1)
  const one = await check(entries.slice(0, 1), `${app.origin}/api/v1/status`)
  assert.match(one.out, /^Verified: signed by/m)
  assert.equal((await check(entries.slice(0, 1), 'http://other/api/v1/status')).status, 2)
  assert.equal((await check(entries.slice(4, 5))).status, 2)
  assert.equal((await check([{ request: {} }])).status, 2)
})

test('a mistake in a file of the caller is exit code 2, names what was found and quotes nothing', async (t) => {
  const app = await runApp(t)
  const folder = temporaryFolder(t)
  const saved = await save(app, folder, '/api/v1/status')
  const text = (name: string) => readFileSync(name, 'latin1')
  const secret = saved.file('secret', 'secret-content')
  const whole = saved.file('whole', text(saved.headers) + text(saved.body))
  const marked = saved.file('marked', `\xef\xbb\xbf${text(saved.body)}`)
  const wide = saved.file('wide', '')
  writeFileSync(wide, Buffer.from(`\u{feff}${text(saved.headers)}`, 'utf16le'))
  const statusless = saved.file('statusless', 'ETag: "a"\n')
  const policy = saved.file('policy', 'quorum none\n')
  const keyless = saved.file('no-keys.json', '{"data":{"keys":[]}}')
  const { headers, body, keys } = saved
  for (const [args, expected] of [
    [['--headers', '/nowhere/x', '--keys', keys], /\/nowhere\/x: could not be read/],
    [
      ['--headers', headers, '--body', folder, '--keys', keys],
      /could not be read \(it is a folder\)/,
    ],
    [['--headers', headers, '--keys', secret], /secret: expected JSON/],
    [
      ['--headers', headers, '--body', body, '--keys', keyless],
      /no-keys\.json: expected a signing-key document/,
    ],
    [['--headers', headers, '--body', body, '--keys', headers], /: expected JSON/],
    [['--headers', secret, '--keys', keys], /secret: expected header lines such as/],
    [
      ['--headers', whole, '--keys', keys],
      /whole: this looks like the output of curl -i: split it, or/,
    ],
    [
      ['--headers', headers, '--body', whole, '--keys', keys],
      /whole: this looks like the output of/,
    ],
    [
      ['--headers', headers, '--body', marked, '--keys', keys],
      /marked: expected .*found a byte order mark/,
    ],
    [['--headers', wide, '--body', body, '--keys', keys], /wide: expected .*, found UTF-16 text/],
    [
      ['--headers', headers, '--body', body, '--keys', marked],
      /marked: expected UTF-8 text, found a byte/,
    ],
    [
      ['--headers', statusless, '--body', body, '--keys', keys],
      /no status line found; pass --status/,
    ],
    [['--response', body, '--keys', keys], /expected (?:the output of curl -i|header lines)/],
    [['--response', statusless, '--keys', keys], /expected the output of curl -i/],
    [['--response', whole, '--body', body, '--keys', keys], /omit --headers and --body/],
    [['--keys', '/nowhere/keys'], /(?:expected a URL|nowhere)/],
  ] as const) {
    const { status, error } = await svc('verify', '/api/v1/status', ...args)
    assert.equal(status, 2, `${args.join(' ')}: ${error}`)
    assert.match(error, expected)
    assert.doesNotMatch(error, /secret-content/)
  }
  for (const [args, expected] of [
    [['--proof', policy, '--policy', policy], /policy names no log; expected a line/],
    [['--proof', policy, '--policy', '/nowhere/policy'], /could not be read/],
  ] as const) {
    assert.match(failedWith(2, await svc('verify', ...args)), expected)
  }
})

test('exits 3 with the reason if the service is unreachable', async (t) => {
  const closed = await silentOrigin()
  const error = failedWith(3, await svc('verify', `${closed}/api/v1/status`))
  assert.equal(
    error,
    `error: ${closed}/api/v1/status could not be reached: nothing listens there\n`,
  )
  const { origin } = await runApp(t)
  const tls = await svc('verify', `${origin.replace('http:', 'https:')}/api/v1/status`, '--json')
  assert.equal(tls.status, 3)
  assert.match(tls.error, /could not be reached: the server does not support TLS/)
  assert.equal((JSON.parse(tls.out) as { code: string }).code, 'UNREACHABLE')

  const silent = await serve(t, () => {})
  const late = failedWith(3, await svc('verify', `${silent}/api/v1/status`, '--timeout', '1'))
  assert.match(late, /did not respond within 1 s/)

  const unknown = failedWith(
    3,
    await svc('verify', 'http://name.invalid/api/v1/status', '--timeout', '20'),
  )
  assert.match(unknown, /name\.invalid\/api\/v1\/status .*(?:\(DNS\)|did not respond)/)
})

test('reads a copy while the service is away, and only then', async (t) => {
  const app = await runApp(t)
  const isAway = { value: false }
  const origin = await serve(t, ({ url = '' }, response) => {
    if (isAway.value) return void response.writeHead(503).end()
    void app.fetch(url).then(async (sent) => {
      response.writeHead(sent.status, [...sent.headers].flat())
      response.end(await sent.bytes())
    })
  })
  const client = createClient({ baseUrl: origin, now: () => TEST_NOW_MS })
  const { entry, ...proof } = await fetchCopyProof(client)
  const serveCopy = (now: object) =>
    serve(t, ({ url = '' }, response) => {
      if (url === '/now.json') return void response.end(JSON.stringify(now))
      void app.fetch(url).then(async (sent) => response.end(await sent.bytes()))
    })
  const copy = `${await serveCopy(proof)}/`
  const foreign = `${await serveCopy({ ...proof, origin: 'https://other.example' })}/`
  const closed = `${await silentOrigin()}/`
  const later = new Date(TEST_NOW_MS + 7_200_000).toISOString()
  const atCopy = (...mirrors: readonly string[]) => [
    '--pin',
    key.keyId,
    '--at',
    later,
    ...mirrors.flatMap((each) => ['--mirror', each]),
  ]
  const url = `${origin}/api/v1/status`

  const near = await svc('verify', url, ...PINNED, '--mirror', closed, '--json')
  const { source } = JSON.parse(near.out) as { source: string }
  assert.deepEqual([near.status, source], [0, 'origin'])

  // Stale, which is a response and no outage.
  assert.match(failedWith(1, await svc('verify', url, ...atCopy(copy))), /^error: STALE: /)

  isAway.value = true
  const read = await svc('verify', url, ...atCopy(closed, foreign, copy))
  assert.equal(read.status, 0, read.error)
  assert.match(read.out, new RegExp(`^from the copy ${copy}$`, 'm'))
  assert.match(read.out, new RegExp(`current at ${NOW}, 2 h ago, signed by ${key.keyId}\\.$`, 'm'))
  assert.match(read.error, /^warning: UNSIGNED: .*\nwarning: CONNECTION: .*\nwarning: MALFORMED: /)
  const { status: exit, out } = await svc('verify', url, ...atCopy(copy), '--json')
  const report = JSON.parse(out) as object
  const expected = { ok: true, source: 'mirror', mirror: copy, provedAt: NOW, ageSeconds: 7200 }
  assert.deepEqual([exit, report], [0, { ...report, ...expected, warnings: [] }])

  for (const [target, mirror, options, status, code] of [
    ['status', copy, ['--max-mirror-age', '7200'], 0, undefined],
    ['status', copy, ['--max-mirror-age', '7199'], 3, 'STALE_COPY'],
    ['time', copy, [], 3, 'NO_COPY'],
    ['status', foreign, [], 1, 'MALFORMED'],
    ['status', closed, [], 3, 'UNREACHABLE'],
  ] as const) {
    const asked = [`${origin}/api/v1/${target}`, ...atCopy(mirror), ...options, '--json']
    const result = await svc('verify', ...asked)
    const found = JSON.parse(result.out) as { code?: string }
    assert.deepEqual([result.status, found.code], [status, code], result.error)
  }
})

test('a response that a key document in an outage cannot verify is not replaced', async (t) => {
  const app = await runApp(t)
  const origin = await serve(t, ({ url = '' }, response) => {
    // Of the key document that no cache has.
    if (url.includes('?')) return void response.destroy()
    void app.fetch(url).then(async (sent) => {
      const time = url.endsWith('status') ? { 'x-svc-signed-at': NOW.replace('000Z', '001Z') } : {}
      response.writeHead(sent.status, [...sent.headers, ...Object.entries(time)].flat())
      response.end(await sent.bytes())
    })
  })
  const mirror = ['--mirror', await silentOrigin()]
  const error = failedWith(1, await svc('verify', `${origin}/api/v1/status`, ...PINNED, ...mirror))
  assert.match(error, /^error: SIGNATURE: /)
})

test('reports wrong usage before any request', async () => {
  for (const [args, expected] of [
    [[], /expected the URL of a response/],
    [['ftp://example.org'], /expected a URL such as/],
    [['http://user:secret@example.org/'], /expected a URL such as/],
    [['http://example.org/ä'], /percent-encoded/],
    [['http://a', 'http://b'], /expected one URL/],
    [['http://a', '--pin', 'short'], /--pin expects a key ID/],
    [['http://a', '--method', 'POST'], /--method expects GET, HEAD or OPTIONS/],
    [['http://a', '--max-age', '0'], /--max-age expects whole seconds/],
    [['http://a', '--mirror', 'http://b'], /--mirror needs --pin or --pin-from/],
    [['http://a', '--mirror', 'b'], /expected a URL such as/],
    [['http://a', '--mirror', 'http://b', '--method', 'HEAD'], /only .* a plain GET/],
    [['http://a', '--max-mirror-age', '1'], /needs --mirror URL/],
    [['http://a', '--body', 'x'], /belong to a saved response/],
    [['/api/v1', '--headers', 'x'], /needs --keys FILE/],
    [
      ['/api/v1', '--headers', 'x', '--keys', 'y', '--fresh'],
      /--fresh cannot be combined with --headers/,
    ],
    [['http://a', '--at', 'now'], /--at expects a time/],
    [['http://a', '--if-none-match', 'W/"a"\r\nCookie: a'], /--if-none-match expects an ETag/],
    [['http://a', '--if-none-match', '“a”'], /--if-none-match expects an ETag/],
  ] as const) {
    const { status, out, error } = await svc('verify', ...args)
    assert.equal(status, 2, args.join(' '))
    assert.equal(out, '')
    assert.match(error, expected)
    assert.doesNotMatch(error, /secret/)
  }
  assert.match(succeeded(await svc('verify', '--help')), /^Usage: svc verify URL/)
})
