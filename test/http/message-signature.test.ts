import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { ASKED, COMPONENTS, KEY_ID, verdicts, type Exchanged } from '../support/stock-verifiers.ts'

const ORIGIN = 'https://api.example.org'
const STATUS = '/api/v1/status'

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

test('every other request is answered without a signature by RFC 9421, and never refused', async (t) => {
  const app = await openApp(t)
  const ignored = [
    '',
    'svc',
    'svc=()',
    'svc=("@status" "content-digest")',
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
    const answer = await ask(app, STATUS, ASKED, init)
    assert.equal(answer.headers['signature'], undefined, JSON.stringify(init))
    assert.equal(answer.headers['signature-input'], undefined)
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
  assert.match(headers['access-control-expose-headers'] ?? '', /, Signature, Signature-Input$/)
})
