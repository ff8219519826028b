import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { constants, createGzip, gzipSync } from 'node:zlib'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { clientCommands, openGoFolder } from '../docs/verifiers.ts'
import { serve } from '../support/loopback-server.ts'
import { succeeded } from '../support/run-svc.ts'
import { runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'

const PIN = derivePublicSigningKey(TEST_SIGNING_KEY).keyId
const STATUS = '/api/v1/status'
const MEGABYTE = 'x'.repeat(1_000_000)

const go = openGoFolder()
after(() => go.close())

/** Sends a byte stream until the client goes away; counts what was written in megabytes. */
function sendForever(response: ServerResponse, coding: 'gzip' | 'identity'): { megabytes: number } {
  const sent = { megabytes: 0 }
  response.writeHead(200, coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {})
  const stream = coding === 'gzip' ? createGzip({ level: constants.Z_BEST_SPEED }) : response
  if (stream !== response) stream.pipe(response)
  let isOpen = true
  response.on('close', () => {
    isOpen = false
    stream.destroy()
  })
  const write = (): void => {
    // A client that reads more than this has no limit.
    if (!isOpen || sent.megabytes > 500) return void response.destroy()
    sent.megabytes += 1
    stream.write(MEGABYTE, () => setImmediate(write))
  }
  write()
  return sent
}

for (const { file, missing, run } of clientCommands(go)) {
  void test(file, { skip: missing ?? false }, async (t) => {
    const app = await runApp(t, { clock: { nowMs: Date.now } })

    /** A service that responds to the status itself, and passes on the rest. */
    const openService = (
      respond: (response: ServerResponse, honest: Response) => void | Promise<void>,
    ) =>
      serve(t, (request, response) => {
        const passOn = async () => {
          const honest = await fetch(app.origin + String(request.url))
          const isStatus = request.url?.startsWith(STATUS) === true
          if (isStatus) return respond(response, honest)
          const body = Buffer.from(await honest.arrayBuffer())
          response.writeHead(honest.status, Object.fromEntries(honest.headers)).end(body)
        }
        passOn().catch(() => response.destroy())
      })

    await t.test('accepts a body that a proxy compressed', async () => {
      const origin = await openService(async (response, honest) => {
        const body = Buffer.from(await honest.arrayBuffer())
        const { 'content-length': _, ...headers } = Object.fromEntries(honest.headers)
        response.writeHead(200, { ...headers, 'Content-Encoding': 'gzip' }).end(gzipSync(body))
      })
      assert.match(succeeded(await run(`${origin}${STATUS}`, PIN)), /^\{"ok":true,/)
    })

    for (const coding of ['identity', 'gzip'] as const) {
      await t.test(`stops reading an endless body (${coding})`, async () => {
        const sent: { megabytes: number }[] = []
        const origin = await openService(
          (response) => void sent.push(sendForever(response, coding)),
        )
        const { status, out, error } = await run(`${origin}${STATUS}`, PIN)
        // An outage would be 3: something responds here, and no copy may take its place.
        assert.deepEqual([status, out], [1, ''], error)
        assert.match(error, /16_?000_?000 bytes/)
        assert.equal(sent.length, 1, 'a body that is too large is not requested again')
        assert.ok((sent[0]?.megabytes ?? 0) < 300, `${sent[0]?.megabytes} MB were sent`)
      })
    }

    for (const [name, status, head, part] of [
      ['an unsigned error of empty objects', 500, {}, '{},'],
      ['an unsigned error of brackets', 503, {}, '['],
      ['a success of empty objects', 200, {}, '{},'],
      ['an error that claims to be signed', 500, { 'X-SVC-Signature': 'a' }, '{},'],
      ['a chunk for each byte', 200, {}, ''],
    ] as const) {
      await t.test(`uses little memory for ${name}`, async () => {
        const send = (response: ServerResponse) => {
          response.writeHead(status, head)
          if (part !== '') return void response.end(`[${part.repeat(15_000_000 / part.length)}`)
          for (let sent = 0; sent < 300_000; sent += 1) response.write(' ')
          response.end()
        }
        const onlyStatus = await openService(send)
        const everything = await serve(t, (_request, response) => send(response))
        for (const origin of [onlyStatus, everything]) {
          const ended = await run(`${origin}${STATUS}`, PIN)
          assert.notEqual(ended.status, 0)
          assert.ok(ended.megabytes > 5 && ended.megabytes < 150, `${ended.megabytes} MB`)
        }
      })
    }

    await t.test('refuses a coding that it did not request', async () => {
      const origin = await openService((response, honest) => {
        response.writeHead(200, { ...Object.fromEntries(honest.headers), 'Content-Encoding': 'br' })
        response.end('?'.repeat(Number(honest.headers.get('content-length'))))
      })
      const { status, out } = await run(`${origin}${STATUS}`, PIN)
      assert.notEqual(status, 0)
      assert.equal(out, '')
    })

    await t.test('does not follow a redirect', async () => {
      const visited: string[] = []
      const elsewhere = await serve(t, (request, response) => {
        visited.push(String(request.url))
        response.end()
      })
      const origin = await openService((response) => {
        response.writeHead(302, { Location: `${elsewhere}${STATUS}` }).end()
      })
      const { status, out, error } = await run(`${origin}${STATUS}`, PIN)
      assert.deepEqual([status, out], [1, ''], error)
      assert.match(error, /redirects to/)
      assert.deepEqual(visited, [])
    })

    await t.test('does not accept a body that is cut off', async () => {
      const origin = await openService(async (response, honest) => {
        const body = Buffer.from(await honest.arrayBuffer())
        response.writeHead(200, Object.fromEntries(honest.headers))
        response.write(body.subarray(0, -10), () => response.destroy())
      })
      const { status, out, error } = await run(`${origin}${STATUS}`, PIN)
      assert.deepEqual([status, out], [3, ''], error)
    })
  })
}
