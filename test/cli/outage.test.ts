import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { key } from '../client/scripted-client.ts'
import { serve, silentOrigin } from '../support/loopback-server.ts'
import { svc } from '../support/run-svc.ts'

const PIN = ['--pin', key.keyId]
const LARGE = Buffer.alloc(3_000_000, 'x')

/** What a service sends, and whether that is an outage: then the exit code is 3, and copies are asked. */
const CASES: readonly (readonly [
  name: string,
  isOutage: boolean,
  send: (response: ServerResponse) => void,
])[] = [
  ['502 of a gateway', true, (response) => response.writeHead(502).end('<h1>Bad Gateway</h1>')],
  ['503 of 3 MB', true, (response) => response.writeHead(503).end(LARGE)],
  [
    '503 of 3 MB with a content coding',
    true,
    (response) =>
      response.writeHead(503, { 'Content-Encoding': 'br' }).end(brotliCompressSync(LARGE)),
  ],
  [
    '503 with an unknown content coding',
    true,
    (response) => response.writeHead(503, { 'Content-Encoding': 'x' }).end('x'),
  ],
  [
    '503 with a digest of a gateway',
    true,
    (response) => response.writeHead(503, { 'Content-Digest': 'sha-256=:AA==:' }).end('x'),
  ],
  [
    '503 whose digest was removed',
    false,
    (response) => response.writeHead(503, { 'X-SVC-Signature': 'AAAA' }).end('x'),
  ],
  [
    '429 with the time of a signature',
    false,
    (response) =>
      response.writeHead(429, { 'X-SVC-Signed-At': '2026-11-21T09:00:00.000Z' }).end('x'),
  ],
  ['redirect', false, (response) => response.writeHead(307, { Location: '/a' }).end()],
  ['404 of a gateway', false, (response) => response.writeHead(404).end('x')],
  ['page of 17 MB', false, (response) => response.end(Buffer.alloc(17_000_000, 'x'))],
]

test('verify and audit have one rule of an outage, and by it verify reads a mirror', async (t) => {
  const away = await silentOrigin()
  let asked = 0
  const mirror = await serve(t, (_request, response) => {
    asked += 1
    response.writeHead(404).end()
  })
  for (const [name, isOutage, send] of CASES) {
    const origin = await serve(t, (_request, response) => send(response))
    const code = isOutage ? 3 : 1
    const url = `${origin}/api/v1/status`
    assert.equal((await svc('verify', url, ...PIN)).status, code, `verify: ${name}`)
    assert.equal((await svc('audit', origin, ...PIN)).status, code, `audit: ${name}`)
    const absent = await svc('verify', url, ...PIN, '--mirror', away)
    assert.equal(absent.status, code, `verify --mirror: ${name}`)
    asked = 0
    await svc('verify', url, ...PIN, '--mirror', mirror)
    assert.equal(asked > 0, isOutage, `the mirror: ${name}`)
  }
})
