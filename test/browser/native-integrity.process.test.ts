import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LIMITS } from '@public-api/contract/terms/limits'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { passOn, type ProxiedResponse } from '../support/http-proxy.ts'
import { serve } from '../support/loopback-server.ts'
import { unescapeHtml } from '../support/page-markup.ts'
import { otherSigningKey, runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'
import { buildIntegrityVectors } from '../vectors/integrity-vectors.ts'

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
  readonly method?: string
}

/** A service behind a proxy whose address is the base URL, and an empty page of another origin. */
async function open(t: TestContext) {
  let servicePort = 0
  let change: Change = () => {}
  let instead: string | undefined
  let accept: string | undefined
  /** The methods that the proxy received, and the statuses that it sent. */
  const seen: (readonly [method: string, status: number])[] = []
  const origin = await serve(t, (request, response) => {
    passOn(
      request,
      response,
      servicePort,
      (proxied) => {
        change(proxied)
        seen.push([proxied.method, proxied.status])
      },
      {
        headers: {
          'accept-encoding': 'identity',
          ...(accept === undefined ? {} : { 'accept-signature': accept }),
        },
        ...(instead === undefined ? {} : { target: instead }),
      },
    )
  })
  const app = await runApp(t, { baseUrl: origin })
  servicePort = app.port
  app.clock.ms = Date.now()
  const empty = await serve(t, (_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<title>Empty</title>')
  })
  const { page, errors } = await browser.openPage(t)
  await page.goto(`${empty}/`)
  return {
    app,
    origin,
    page,
    seen,
    tamper: (next: Change = () => {}): void => void (change = next),
    /** Responds to every request with the response to another target. */
    swap: (target?: string): void => void (instead = target),
    /** Has every response signed, whatever the browser asks for. */
    signAll: (): void => void (accept = ACCEPT),
    /** The status and the state that a page reads with the browser's own verification; undefined if it is refused. */
    async read({ integrity = '', target = STATUS, cache = 'no-store', method = 'GET' }: Read) {
      const found = await page.evaluate(
        async ([url, value, mode, verb]) => {
          try {
            const init = { integrity: value, cache: mode, method: verb }
            const response = await fetch(url, init)
            return [response.status, ((await response.json()) as { ok: boolean }).ok] as const
          } catch {
            return undefined
          }
        },
        [origin + target, integrity, cache, method] as const,
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

/** What the browser sends for OURS. */
const ACCEPT = `sig0=("unencoded-digest";sf);keyid="${OURS.slice('ed25519-'.length)}";tag="ed25519-integrity"`

const unsign: Change = ({ headers }) => {
  for (const name of ['signature', 'signature-input']) headers.delete(name)
}
const zeroSignature: Change = ({ headers }) =>
  void headers.set('signature', `sig0=:${Buffer.alloc(64).toString('base64')}:`)
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
    tamper()
    assert.deepEqual(await read({ integrity: OURS }), [200, true])
  },
)

/** Cases of test/vectors/integrity that need another host or scheme, or a time to the second. */
const NOT_IN_A_BROWSER = new Set(['wrong-host', 'wrong-scheme', 'good-at-expiry'])

test('the browser gives the expected verdict on every shared vector', { skip }, async (t) => {
  const { origin, read, tamper } = await open(t)
  const build = (msAgo: number) => buildIntegrityVectors({ origin, atMs: Date.now() - msAgo })
  const [fresh, old] = [await build(0), await build((LIMITS.signatureMaxAgeSeconds + 5) * 1000)]
  const found: string[] = []
  for (const [name, vector] of fresh) {
    if (NOT_IN_A_BROWSER.has(name)) continue
    const isOld = Date.parse(vector.now) > Date.now() + 60_000
    const { integrity, request, response } = (isOld ? old.get(name) : undefined) ?? vector
    tamper((proxied) => {
      proxied.status = response.status
      proxied.headers = new Map(
        response.headers.map(([each, value]) => [each.toLowerCase(), value]),
      )
      proxied.body = Buffer.from(response.bodyBase64 ?? '', 'base64')
    })
    const target = request.url.slice(origin.length)
    const seen = await read({ integrity, target, method: request.method })
    if ((seen === undefined) === (vector.expected === 'ok')) found.push(name)
  }
  assert.deepEqual(found, [])
})

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

test(
  'the live panels have the browser verify, and name the fault of what it refuses',
  { skip },
  async (t) => {
    const { origin, page, seen, tamper } = await open(t)
    const asked = () => seen.filter(([method, status]) => method === 'GET' && status === 200).length
    const check = async () => {
      const before = asked()
      await page.click('#check-start')
      await page.waitForFunction(() => document.querySelector('#check-result p') !== null)
      const text = await page.textContent('#check-result')
      const isValid = (await page.$('#check-result .state-good')) !== null
      return [/verified it by itself/.test(text ?? ''), isValid, asked() - before]
    }
    await page.goto(`${origin}/en/verify`)
    // The status, and the document of the keys.
    assert.deepEqual(await check(), [true, true, 2])
    tamper(unsign)
    assert.deepEqual(await check(), [false, true, 3])
    tamper(addByte)
    assert.deepEqual(await check(), [false, false, 3])
    tamper()
    await page.goto(`${origin}/en`)
    await page.waitForFunction(() =>
      /by itself/.test(document.querySelector('#live-verdict')?.textContent ?? ''),
    )
  },
)

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

// The names are those of fetch.any.js in subresource-integrity/signatures of the Web Platform Tests, in its current and its
// first form. Their responses are signed in advance; here the service signs them, and its proxy asks for that.
test(
  'the cases of the Web Platform Tests hold for the responses of the service',
  { skip },
  async (t) => {
    const { read, signAll, tamper } = await open(t)
    signAll()
    const none = (name: string, integrity: string, isLoaded: boolean) =>
      [`No signature, ${name}`, integrity, isLoaded, unsign] as const
    const valid = (name: string, integrity: string, isLoaded: boolean) =>
      [`Valid signature, ${name}`, integrity, isLoaded, undefined] as const
    const invalid = (name: string, integrity: string) =>
      [`Invalid signature, ${name}`, integrity, false, zeroSignature] as const
    for (const [name, integrity, isLoaded, change] of [
      none('no integrity check: loads.', '', true),
      none('malformed integrity check: loads.', MALFORMED, true),
      none('valid integrity check: blocked.', OURS, false),
      valid('no integrity check: loads.', '', true),
      valid('malformed integrity check: loads.', MALFORMED, true),
      valid('matching integrity check: loads.', OURS, true),
      valid('mismatched integrity check: blocked.', OTHER, false),
      valid('one valid integrity check: loads.', `${OURS} ${OTHER}`, true),
      invalid('no integrity check: blocked.', ''),
      invalid('malformed integrity check: blocked.', MALFORMED),
      invalid('matching integrity check: blocked.', OURS),
      invalid('mismatched integrity check: blocked.', OTHER),
      invalid('one valid integrity check: blocked.', `${OURS} ${OTHER}`),
    ]) {
      tamper(change)
      assert.deepEqual(await read({ integrity }), isLoaded ? [200, true] : undefined, name)
    }
  },
)
