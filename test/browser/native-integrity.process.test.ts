import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { createServer } from 'node:http'
import { test, type TestContext } from 'node:test'
import { listen } from '../../src/http/connection/listener.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { passOn, type ProxiedResponse } from '../support/http-proxy.ts'
import { closeServer } from '../support/loopback-server.ts'
import { otherSigningKey, runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'

const browser = useBrowser()
const skip = browserMissing
const STATUS = '/api/v1/status'

function integrityOf(key = TEST_SIGNING_KEY): string {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return `ed25519-${Buffer.from(x, 'base64url').toString('base64')}`
}

/** A service behind a proxy whose address is the base URL, and an empty page of another origin. */
async function open(t: TestContext) {
  let servicePort = 0
  let change = (_response: ProxiedResponse): void => {}
  const proxy = createServer((request, response) => {
    passOn(request, response, servicePort, (proxied) => change(proxied), {
      headers: { 'accept-encoding': 'identity' },
    })
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
    tamper: (next: typeof change): void => void (change = next),
    /** The status and the state that a page reads with the browser's own verification; undefined if it is refused. */
    async read(integrity: string, target = STATUS) {
      const found = await page.evaluate(
        async ([url = '', value = '']) => {
          try {
            const response = await fetch(url, { integrity: value, cache: 'no-store' })
            return [response.status, ((await response.json()) as { ok: boolean }).ok] as const
          } catch {
            return undefined
          }
        },
        [origin + target, integrity],
      )
      errors.length = 0
      return found
    },
  }
}

test(
  'the browser verifies URL, status and body of a read without any script of ours',
  { skip },
  async (t) => {
    const { app, tamper, read } = await open(t)
    assert.deepEqual(await read(integrityOf()), [200, true])
    assert.deepEqual(await read(integrityOf(), `${STATUS}?x=%C3%A9&`), [200, true])
    assert.deepEqual(await read(integrityOf(), '/api/v1/nowhere'), [404, false])
    // Two keys, as in a rotation.
    assert.deepEqual(await read(`${integrityOf(otherSigningKey())} ${integrityOf()}`), [200, true])

    assert.equal(await read(integrityOf(otherSigningKey())), undefined, 'another key')
    const changes: readonly (readonly [
      what: string,
      change: (response: ProxiedResponse) => void,
    ])[] = [
      [
        'a changed byte',
        (response) =>
          (response.body = Buffer.from(
            response.body.toString().replace('"ok":true', '"ok":true '),
          )),
      ],
      ['another status', (response) => (response.status = 203)],
      [
        'no signature',
        ({ headers }) => (headers.delete('signature'), headers.delete('signature-input')),
      ],
    ]
    for (const [what, change] of changes) {
      tamper(change)
      assert.equal(await read(integrityOf()), undefined, what)
    }
    tamper(() => {})
    app.clock.ms = Date.now() - 3_600_000
    assert.equal(await read(integrityOf()), undefined, 'an expired signature')
    app.clock.ms = Date.now()
    assert.deepEqual(await read(integrityOf()), [200, true])
  },
)
