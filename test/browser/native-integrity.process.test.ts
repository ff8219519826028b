import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { createServer } from 'node:http'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { listen } from '../../src/http/connection/listener.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { passOn, type ProxiedResponse } from '../support/http-proxy.ts'
import { closeServer } from '../support/loopback-server.ts'
import { unescapeHtml } from '../support/page-markup.ts'
import { otherSigningKey, runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'

const browser = useBrowser()
const skip = browserMissing
const STATUS = '/api/v1/status'

function integrityOf(key = TEST_SIGNING_KEY): string {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return `ed25519-${Buffer.from(x, 'base64url').toString('base64')}`
}

type Change = (response: ProxiedResponse) => void

/** How a page reads. Without an integrity the browser verifies only what claims to be signed. */
interface Read {
  readonly integrity?: string
  readonly target?: string
  readonly cache?: RequestCache
}

/** A service behind a proxy whose address is the base URL, and an empty page of another origin. */
async function open(t: TestContext) {
  let servicePort = 0
  let change: Change = () => {}
  let instead: string | undefined
  /** The methods that the proxy received, and the statuses that it sent. */
  const seen: (readonly [method: string, status: number])[] = []
  const proxy = createServer((request, response) => {
    passOn(
      request,
      response,
      servicePort,
      (proxied) => {
        change(proxied)
        seen.push([proxied.method, proxied.status])
      },
      {
        headers: { 'accept-encoding': 'identity' },
        ...(instead === undefined ? {} : { target: instead }),
      },
    )
  })
  const origin = `http://127.0.0.1:${await listen(proxy, 0, '127.0.0.1')}`
  t.after(() => closeServer(proxy))
  const app = await runApp(t, { baseUrl: origin })
  servicePort = app.port
  app.clock.ms = Date.now()
  const empty = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<title>Empty</title>')
  })
  const emptyPort = await listen(empty, 0, '127.0.0.1')
  t.after(() => closeServer(empty))
  const { page, errors } = await browser.openPage(t)
  await page.goto(`http://127.0.0.1:${emptyPort}/`)
  return {
    app,
    page,
    seen,
    tamper: (next: Change = () => {}): void => void (change = next),
    /** Responds to every request with the response to another target. */
    swap: (target?: string): void => void (instead = target),
    /** The status and the state that a page reads with the browser's own verification; undefined if it is refused. */
    async read({ integrity = '', target = STATUS, cache = 'no-store' }: Read) {
      const found = await page.evaluate(
        async ([url = '', value = '', mode]) => {
          try {
            const response = await fetch(url, { integrity: value, cache: mode as RequestCache })
            return [response.status, ((await response.json()) as { ok: boolean }).ok] as const
          } catch {
            return undefined
          }
        },
        [origin + target, integrity, cache],
      )
      errors.length = 0
      return found
    },
  }
}

const OURS = integrityOf()
const OTHER = integrityOf(otherSigningKey())
/** Not base64, so no key. */
const MALFORMED = 'ed25519-???'

const unsign: Change = ({ headers }) => {
  for (const name of ['signature', 'signature-input']) headers.delete(name)
}
const addByte: Change = (response) => {
  response.body = Buffer.from(response.body.toString().replace('"ok":true', '"ok":true '))
}

test(
  'the browser verifies URL, status and body without any script of ours',
  { skip },
  async (t) => {
    const { seen, read, swap, tamper } = await open(t)
    assert.deepEqual(await read({ integrity: OURS }), [200, true])
    assert.deepEqual(await read({ integrity: OURS, target: `${STATUS}?x=%C3%A9&` }), [200, true])
    assert.deepEqual(await read({ integrity: OURS, target: '/api/v1/nowhere' }), [404, false])
    // The page is of another origin, and the browser sends what no page may set, so it asks for no permission.
    assert.deepEqual([...new Set(seen.map(([method]) => method))], ['GET'])

    swap(`${STATUS}?`)
    assert.equal(await read({ integrity: OURS }), undefined, 'the response to another URL')
    assert.deepEqual(await read({}), [200, true], 'and no check without an integrity')
    swap()
    const changes: { readonly [what: string]: Change } = {
      'a changed byte': addByte,
      'another status': (response) => (response.status = 203),
      'no signature': unsign,
      'no digest': ({ headers }) => headers.delete('unencoded-digest'),
      'another digest': ({ headers }) =>
        headers.set('unencoded-digest', `sha-256=:${'A'.repeat(43)}=:`),
      'another signature': ({ headers }) =>
        headers.set('signature', headers.get('signature')?.replace(/:.{8}/, ':AAAAAAAA') ?? ''),
      'a longer life': ({ headers }) =>
        headers.set(
          'signature-input',
          headers.get('signature-input')?.replace(/expires=\d+/, 'expires=9999999999') ?? '',
        ),
    }
    for (const [what, change] of Object.entries(changes)) {
      tamper(change)
      assert.equal(await read({ integrity: OURS }), undefined, what)
    }
    tamper()
    assert.deepEqual(await read({ integrity: OURS }), [200, true])
  },
)

test('the requests that the pages show are verified by the browser', { skip }, async (t) => {
  const { app, page, tamper } = await open(t)
  for (const path of ['/en/verify', '/th/reference']) {
    const text = await (await app.fetch(path)).text()
    const [, request = ''] = /<code id="native-code">([^<]*)<\/code>/.exec(text) ?? []
    const read = async () =>
      page.evaluate(`(async () => (${unescapeHtml(request)}).status)().catch(() => 'refused')`)
    tamper()
    assert.equal(await read(), 200, path)
    tamper(addByte)
    assert.equal(await read(), 'refused', path)
  }
})

test('the browser refuses a signature that has expired', { skip }, async (t) => {
  const { app, read } = await open(t)
  app.clock.ms = Date.now() - 3_600_000
  assert.equal(await read({ integrity: OURS }), undefined)
  app.clock.ms = Date.now()
  assert.deepEqual(await read({ integrity: OURS }), [200, true])
})

test('a proxy may compress what the browser verifies', { skip }, async (t) => {
  const { read, tamper } = await open(t)
  const compress: Change = (response) => {
    response.headers.set('content-encoding', 'gzip')
    response.body = gzipSync(response.body)
  }
  tamper(compress)
  assert.deepEqual(await read({ integrity: OURS }), [200, true])
  tamper((response) => {
    addByte(response)
    compress(response)
  })
  assert.equal(await read({ integrity: OURS }), undefined)
})

test(
  'a 304 confirms a stored signed response, and cannot sign a plain one',
  { skip },
  async (t) => {
    const { seen, read } = await open(t)
    assert.deepEqual(await read({ integrity: OURS, cache: 'default' }), [200, true])
    assert.deepEqual(await read({ integrity: OURS, cache: 'no-cache' }), [200, true])
    assert.deepEqual(seen.at(-1), ['GET', 304])

    const target = '/api/v1/roadmap'
    assert.deepEqual(await read({ target, cache: 'default' }), [200, true])
    // Chromium revalidates the plain copy. This is why the documentation asks for no-store.
    assert.equal(await read({ integrity: OURS, target, cache: 'default' }), undefined)
    assert.deepEqual(seen.at(-1), ['GET', 304])
    assert.deepEqual(await read({ integrity: OURS, target }), [200, true])
  },
)

// The names are those of fetch.any.js in subresource-integrity/signatures of the Web Platform Tests, whose responses are
// signed in advance. Here the service signs them.
test(
  'the cases of the Web Platform Tests hold for the responses of the service',
  { skip },
  async (t) => {
    const { read, tamper } = await open(t)
    const cases: readonly (readonly [
      name: string,
      integrity: string,
      isLoaded: boolean,
      Change?,
    ])[] = [
      ['No signature, no integrity check: loads.', '', true, unsign],
      ['No signature, malformed integrity check: loads.', MALFORMED, true, unsign],
      ['No signature, valid integrity check: blocked.', OURS, false, unsign],
      ['Valid signature, no integrity check: loads.', '', true],
      ['Valid signature, malformed integrity check: loads.', MALFORMED, true],
      ['Valid signature, matching integrity check: loads.', OURS, true],
      ['Valid signature, mismatched integrity check: blocked.', OTHER, false],
      ['Valid signature, one valid integrity check: loads.', `${OURS} ${OTHER}`, true],
      ['Invalid signature, matching integrity check: blocked.', OURS, false, addByte],
      ['Invalid signature, mismatched integrity check: blocked.', OTHER, false, addByte],
      [
        'Invalid signature, one valid integrity check: blocked.',
        `${OURS} ${OTHER}`,
        false,
        addByte,
      ],
    ]
    for (const [name, integrity, isLoaded, change] of cases) {
      tamper(change)
      assert.deepEqual(await read({ integrity }), isLoaded ? [200, true] : undefined, name)
    }
  },
)
