import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { httpbis } from 'http-message-signatures'
import { runApp, TEST_SIGNING_KEY, type RunningApp } from '../support/running-app.ts'
import { ASKED, COMPONENTS, KEY_ID, verdicts, type Exchanged } from '../support/stock-verifiers.ts'
import type { VectorResponse } from '../support/vector.ts'
import type { IntegrityOutcome, IntegrityVector } from '../vectors/integrity-vectors.ts'

const ORIGIN = 'https://api.example.org'
const STATUS = '/api/v1/status'
const RAW_PUBLIC_KEY = Buffer.from(
  createPublicKey(TEST_SIGNING_KEY).export({ format: 'jwk' }).x ?? '',
  'base64url',
).toString('base64')
/** What Chromium sends for `integrity: 'ed25519-…'`. */
const INTEGRITY = `sig0=("unencoded-digest";sf);keyid="${RAW_PUBLIC_KEY}";tag="ed25519-integrity"`

/** The libraries read the clock of the system, so the service gets the same time. */
async function openApp(
  t: TestContext,
  parts: Parameters<typeof runApp>[1] = {},
): Promise<RunningApp> {
  const app = await runApp(t, { baseUrl: ORIGIN, ...parts })
  app.clock.ms = Date.now()
  return app
}

async function ask(
  app: RunningApp,
  target: string,
  accept: string | undefined = ASKED,
  init: RequestInit = {},
): Promise<Exchanged & { readonly body: Buffer }> {
  const headers = { ...(init.headers as object), ...(accept && { 'Accept-Signature': accept }) }
  const response = await app.fetch(target, { ...init, headers })
  return {
    method: init.method ?? 'GET',
    url: ORIGIN + target,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    nowMs: app.clock.ms,
    body: Buffer.from(await response.arrayBuffer()),
  }
}

test('two libraries verify reads, queries, errors and refused writes', async (t) => {
  const app = await openApp(t)
  for (const [target, init] of [
    [STATUS, {}],
    [`${STATUS}?b=2&a=%C3%A9&`, {}],
    [`${STATUS}?`, {}],
    ['/api/v1/openapi.json', {}],
    ['/api/v1/nowhere', {}],
    ['/api/v1/keys', { method: 'POST', body: '{}' }],
  ] as const) {
    const exchanged = await ask(app, target, ASKED, init)
    assert.deepEqual(await verdicts(exchanged), [true, true], target)
    const digest = createHash('sha256').update(exchanged.body).digest('base64')
    assert.equal(exchanged.headers['content-digest'], `sha-256=:${digest}:`)
    // The service's own signature stays.
    assert.equal(exchanged.headers['x-svc-signature']?.length, 88)
  }
})

test('another host, scheme, method, status, digest or age is refused', async (t) => {
  const app = await openApp(t)
  const good = await ask(app, STATUS)
  assert.deepEqual(await verdicts(good), [true, true])
  const changes: readonly Partial<Exchanged>[] = [
    { url: `https://other.example.org${STATUS}` },
    { url: `http://api.example.org${STATUS}` },
    { url: `${ORIGIN}${STATUS}?` },
    { method: 'HEAD' },
    { status: 404 },
    { headers: { ...good.headers, 'content-digest': `sha-256=:${'A'.repeat(43)}=:` } },
  ]
  for (const change of changes) {
    assert.deepEqual(await verdicts({ ...good, ...change }), [false, false], JSON.stringify(change))
  }
  app.clock.ms -= 905_000
  const old = await ask(app, STATUS)
  assert.deepEqual(await verdicts({ ...old, nowMs: Date.now() }), [false, false])
})

test('the received Host does not change what is signed', async (t) => {
  const app = await openApp(t)
  const response = await app.fetch(STATUS, {
    headers: { 'Accept-Signature': ASKED, 'X-Forwarded-Host': 'evil.example' },
  })
  const exchanged = {
    method: 'GET',
    url: ORIGIN + STATUS,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    nowMs: app.clock.ms,
  }
  assert.deepEqual(await verdicts(exchanged), [true, true])
})

test('label, order and parameters are those of the request', async (t) => {
  const app = await openApp(t)
  const accept = `my-sig=("content-digest" "@status" "@method";req "@target-uri";req);keyid="${KEY_ID}";alg="ed25519";nonce="k3_-"`
  const exchanged = await ask(app, STATUS, accept)
  const created = Math.floor(app.clock.ms / 1000)
  assert.equal(
    exchanged.headers['signature-input'],
    `my-sig=("content-digest" "@status" "@method";req "@target-uri";req);created=${created};expires=${created + 900};keyid="${KEY_ID}";alg="ed25519";nonce="k3_-";tag="svc-response"`,
  )
  assert.deepEqual(await verdicts(exchanged), [true, true])
})

test('a response to a request with a nonce is not stored', async (t) => {
  const app = await openApp(t)
  const plain = await ask(app, STATUS)
  assert.match(plain.headers['cache-control'] ?? '', /^public, max-age=60/)
  const once = await ask(app, STATUS, `${ASKED};nonce="abc"`)
  assert.equal(once.headers['cache-control'], 'no-store')
})

test('the components that browsers verify are signed under the key that they name', async (t) => {
  const app = await openApp(t)
  const { headers, body, url } = await ask(app, STATUS, INTEGRITY)
  const digest = createHash('sha256').update(body).digest('base64')
  assert.equal(headers['unencoded-digest'], `sha-256=:${digest}:`)
  const created = Math.floor(app.clock.ms / 1000)
  const parameters = `("@method";req "@target-uri";req "@status" "unencoded-digest";sf);created=${created};expires=${created + 900};keyid="${RAW_PUBLIC_KEY}";tag="ed25519-integrity"`
  assert.equal(headers['signature-input'], `sig0=${parameters}`)
  const base = `"@method";req: GET
"@target-uri";req: ${url}
"@status": 200
"unencoded-digest";sf: ${headers['unencoded-digest']}
"@signature-params": ${parameters}`
  const signature = /^sig0=:(.*):$/.exec(headers['signature'] ?? '')?.[1] ?? ''
  const key = createPublicKey(TEST_SIGNING_KEY)
  assert.ok(verify(null, Buffer.from(base), key, Buffer.from(signature, 'base64')))
  assert.match(headers['cache-control'] ?? '', /^public/)
})

test('both sets come when both are asked for, each beside members that are ignored', async (t) => {
  const app = await openApp(t)
  const other = INTEGRITY.replace('sig0', 'sig1').replace(RAW_PUBLIC_KEY, `${'A'.repeat(43)}=`)
  for (const accept of [
    `${ASKED}, ${INTEGRITY}`,
    `${INTEGRITY}, ${other}, more=("date"), ${ASKED}`,
  ]) {
    const exchanged = await ask(app, STATUS, accept)
    assert.match(exchanged.headers['signature-input'] ?? '', /svc=\(.*\);created/, accept)
    assert.match(exchanged.headers['signature-input'] ?? '', /sig0=\(.*\);created/, accept)
    assert.doesNotMatch(exchanged.headers['signature-input'] ?? '', /sig1|more/, accept)
    assert.ok(exchanged.headers['unencoded-digest'])
  }
  const alone = await ask(app, STATUS, `${ASKED}, ${other}`)
  assert.deepEqual(await verdicts(alone), [true, true])
  assert.equal(alone.headers['unencoded-digest'], undefined)
})

test('every other request is answered without a signature by RFC 9421, and never refused', async (t) => {
  const app = await openApp(t)
  const ignored = [
    '',
    'svc',
    'svc=()',
    'svc=("@status" "content-digest")',
    INTEGRITY.replace('sig0', 'a') + `, ${INTEGRITY}`,
    INTEGRITY.replace(';sf', ''),
    INTEGRITY.replace('ed25519-integrity', 'svc-response'),
    INTEGRITY.replace(/;keyid="[^"]*"/, ''),
    INTEGRITY.replace(/;tag="[^"]*"/, ''),
    INTEGRITY.replace(RAW_PUBLIC_KEY, KEY_ID),
    INTEGRITY.replace('unencoded-digest', 'content-digest'),
    `svc=${COMPONENTS.replace(')', ' "date")')}`,
    `svc=${COMPONENTS.replace('"@method";req', '"@method"')}`,
    `svc=${COMPONENTS.replace('"@status"', '"@status";req')}`,
    `svc=${COMPONENTS.replace('"@status"', '"@method";req')}`,
    `svc=${COMPONENTS.replace('"content-digest"', '"content-digest";sf')}`,
    `svc=${COMPONENTS.replace(';req', ';req=?0')}`,
    `svc=${COMPONENTS};created=1`,
    `svc=${COMPONENTS};alg="rsa-pss-sha512"`,
    `svc=${COMPONENTS};keyid="${'A'.repeat(43)}"`,
    `svc=${COMPONENTS};tag="other"`,
    `svc=${COMPONENTS};nonce="a b"`,
    `svc=${COMPONENTS};nonce=""`,
    `svc=${COMPONENTS};nonce="${'a'.repeat(65)}"`,
    `svc=${COMPONENTS};more`,
    `a=${COMPONENTS}, b=${COMPONENTS}`,
    `svc=${COMPONENTS};created;`,
    `svc=${COMPONENTS}${';created'.repeat(100)}`,
    '"; ((((',
  ]
  for (const accept of ignored) {
    const { status, headers } = await ask(app, STATUS, accept)
    assert.equal(status, 200, accept)
    assert.equal(headers['signature'], undefined, accept)
    assert.equal(headers['signature-input'], undefined, accept)
    assert.equal(headers['unencoded-digest'], undefined, accept)
    assert.match(headers['cache-control'] ?? '', /^public/, accept)
  }
})

test('never on 304, HEAD and preflights, and not without a signing key', async (t) => {
  const app = await openApp(t)
  const { headers } = await ask(app, STATUS)
  const etag = headers['etag'] ?? ''
  for (const init of [
    { headers: { 'If-None-Match': etag } },
    { method: 'HEAD' },
    { method: 'OPTIONS', headers: { Origin: 'https://a.example' } },
  ]) {
    const answer = await ask(app, STATUS, `${ASKED}, ${INTEGRITY}`, init)
    for (const name of ['signature', 'signature-input', 'unencoded-digest']) {
      assert.equal(answer.headers[name], undefined, JSON.stringify(init))
    }
  }
  const unsigned = await openApp(t, { signing: undefined })
  assert.equal((await ask(unsigned, STATUS)).headers['signature'], undefined)
})

test('a reused response is never given to a request for a signature, or from one', async (t) => {
  const app = await openApp(t, { cacheSeconds: 60 })
  await ask(app, STATUS, undefined, {})
  assert.deepEqual(await verdicts(await ask(app, STATUS)), [true, true])
  const plain = await app.fetch(STATUS)
  assert.equal(plain.headers.get('signature'), null)
  assert.equal(plain.headers.get('vary'), 'Authorization, X-SVC-Key, Accept-Signature')
})

test('pages of other origins may ask for it and read it', async (t) => {
  const app = await openApp(t)
  const preflight = await app.fetch(STATUS, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://a.example',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'accept-signature',
    },
  })
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Accept-Signature/)
  const { headers } = await ask(app, STATUS)
  assert.match(
    headers['access-control-expose-headers'] ?? '',
    /, Signature, Signature-Input, Unencoded-Digest$/,
  )
})

/** The steps of the vectors' README. The library makes the signature base, from the fields alone, and checks the times. */
async function outcomeOf({
  integrity,
  request,
  response,
}: IntegrityVector): Promise<IntegrityOutcome> {
  const headers = Object.fromEntries(
    response.headers.map(([name, value]) => [name.toLowerCase(), value]),
  )
  const [, covered = ''] =
    /\(([^)]*)\)[^(]*tag="ed25519-integrity"/.exec(headers['signature-input'] ?? '') ?? []
  if (!covered.includes('"unencoded-digest";sf')) return 'UNSIGNED'
  const digest = headers['unencoded-digest']
  if (digest === undefined || headers['signature'] === undefined) return 'UNSIGNED'
  const trusted = new Set(integrity.split(' ').map((each) => each.replace('ed25519-', '')))
  let outcome: IntegrityOutcome = 'UNKNOWN_KEY'
  const keyLookup = ({ keyid = '', tag }: { readonly keyid?: string; readonly tag?: string }) => {
    if (tag !== 'ed25519-integrity' || !trusted.has(keyid)) return Promise.resolve(null)
    outcome = 'EXPIRED'
    const x = Buffer.from(keyid, 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const check = (base: Buffer, signature: Buffer) => {
      outcome = 'SIGNATURE'
      return Promise.resolve(verify(null, base, key, signature))
    }
    return Promise.resolve({ id: keyid, verify: check })
  }
  const isVerified = await httpbis
    .verifyMessage({ keyLookup }, { status: response.status, headers }, { ...request, headers: {} })
    .catch(() => false)
  if (isVerified !== true) return outcome
  return digest === `sha-256=:${digestOf(response)}:` ? 'ok' : 'DIGEST'
}

function digestOf({ bodyBase64 }: VectorResponse): string {
  return createHash('sha256')
    .update(Buffer.from(bodyBase64 ?? '', 'base64'))
    .digest('base64')
}

test('a library gives the expected outcome for every vector of signatures for browsers', async (t) => {
  const folder = new URL('../vectors/integrity/', import.meta.url)
  const files = readdirSync(folder)
  assert.ok(files.length > 20)
  t.mock.timers.enable({ apis: ['Date'] })
  for (const file of files) {
    const vector = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as IntegrityVector
    t.mock.timers.setTime(Date.parse(vector.now))
    assert.equal(await outcomeOf(vector), vector.expected, file)
    if (vector.signatureBase === undefined) continue
    const { signature = '' } =
      /:(?<signature>[^:]+):$/.exec(
        vector.response.headers.find(([name]) => name === 'Signature')?.[1] ?? '',
      )?.groups ?? {}
    const key = createPublicKey(TEST_SIGNING_KEY)
    assert.ok(
      verify(null, Buffer.from(vector.signatureBase), key, Buffer.from(signature, 'base64')),
      file,
    )
  }
})
