import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { LIMITS } from '@public-api/contract/terms/limits'
import { parseRawResponse, rawRequest, sendRaw } from '../support/raw-http.ts'
import {
  JSON_TYPE,
  nextAddress,
  rawRegistration,
  registerRaw,
} from '../support/raw-registration.ts'
import { codeOf } from '../support/received-response.ts'
import { GOOD_BODY, REGISTER, runRegisteringApp } from '../support/registering-app.ts'

/** A good body of exactly so many bytes: white space behind a JSON text is part of it. */
function bodyOf(email: string, bytes: number): string {
  return JSON.stringify({ ...GOOD_BODY, email }).padEnd(bytes)
}

test('accepts 8192 bytes and refuses 8193, with Content-Length or in chunks of any size', async (t) => {
  const app = await runRegisteringApp(t)
  for (const [at, chunkBytes] of [
    undefined,
    1,
    7,
    1000,
    4096,
    8191,
    8192,
    8193,
    20_000,
  ].entries()) {
    const framing = chunkBytes === undefined ? {} : { chunkBytes }
    const email = `reader${at}@example.org`
    const over = await registerRaw(app, { ...framing, body: bodyOf(email, 8193) })
    assert.equal(over.status, 413, String(chunkBytes))
    assert.equal(codeOf(over), 'PAYLOAD_TOO_LARGE')
    const just = await registerRaw(app, { ...framing, body: bodyOf(email, 8192) })
    assert.equal(just.status, 200, String(chunkBytes))
    assert.equal(codeOf(just), undefined)
  }
})

test('refuses a body that is too large without waiting for it', async (t) => {
  const app = await runRegisteringApp(t)
  const head = (framing: string) =>
    `POST ${REGISTER} HTTP/1.1\r\nHost: localhost\r\n${JSON_TYPE[0]}\r\n${framing}\r\nConnection: close\r\n\r\n`
  for (const bytes of [
    head('Content-Length: 8193'),
    head('Content-Length: 1000000000'),
    `${head('Content-Length: 9000')}${'x'.repeat(100)}`,
    // One chunk of many that never end.
    `${head('Transfer-Encoding: chunked')}2001\r\n${'x'.repeat(8193)}\r\n`,
    `${head('Transfer-Encoding: chunked')}fffffff\r\n${'x'.repeat(8193)}`,
    `${head('Transfer-Encoding: chunked')}${`400\r\n${' '.repeat(1024)}\r\n`.repeat(9)}`,
  ]) {
    const response = await sendRaw(app.port, bytes)
    assert.equal(response.status, 413, bytes.slice(0, 160))
    assert.match(response.body, /"code":"PAYLOAD_TOO_LARGE"/)
  }
})

test('waits for a body that arrives late and in pieces', async (t) => {
  const app = await runRegisteringApp(t)
  const bytes = Buffer.from(rawRegistration({ body: JSON.stringify(GOOD_BODY) }), 'latin1')
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(app.port, '127.0.0.1', () => {
      const pieces = [
        bytes.subarray(0, 20),
        bytes.subarray(20, -30),
        bytes.subarray(-30, -1),
        bytes.subarray(-1),
      ]
      const next = () => {
        const piece = pieces.shift()
        if (piece !== undefined) socket.write(piece, () => setTimeout(next, 20))
      }
      next()
    })
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.on('error', reject)
  })
  assert.equal(parseRawResponse(text).status, 200)
  assert.equal((await app.entries()).length, 1)
})

test('the connection continues after an accepted or refused body', async (t) => {
  const app = await runRegisteringApp(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const ports = new Set<number | undefined>()
  const send = (body: string, type = 'application/json') =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'Content-Type': type, 'X-Forwarded-For': nextAddress() }
      const options = { agent, host: '127.0.0.1', port: app.port, path: REGISTER, headers }
      const sent = request({ ...options, method: 'POST' }, (response) => {
        ports.add(response.socket.localPort)
        response.resume().on('end', () => resolve(response.statusCode))
      })
      sent.on('error', reject).end(body)
    })
  const good = JSON.stringify(GOOD_BODY)
  const statuses = []
  for (const [body, type] of [
    [good, undefined],
    [' '.repeat(8193), undefined],
    [good, 'text/plain'],
    [good, undefined],
  ] as const) {
    statuses.push(await send(body, type))
  }
  assert.deepEqual(statuses, [200, 413, 415, 200])
  assert.equal(ports.size, 1)
})

test('checks the headers of a request without a body', async (t) => {
  const app = await runRegisteringApp(t)
  const send = (...lines: readonly string[]) =>
    sendRaw(
      app.port,
      rawRequest('POST', REGISTER, [
        'Host: localhost',
        `X-Forwarded-For: ${nextAddress()}`,
        ...lines,
      ]),
    )
  for (const [lines, status, code] of [
    [[], 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [['Content-Length: 0'], 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [JSON_TYPE, 400, 'INVALID_JSON'],
    [[...JSON_TYPE, 'Content-Length: 0'], 400, 'INVALID_JSON'],
  ] as const) {
    const response = await send(...lines)
    assert.equal(response.status, status, lines.join())
    assert.ok(response.body.includes(`"code":"${code}"`), response.body)
  }
})

// Node keeps the first line of two; ApiRequest.header promises both.
test('a repeated media type is refused', async (t) => {
  const app = await runRegisteringApp(t)
  for (const headers of [
    ['Content-Type: application/json', 'Content-Type: text/plain'],
    ['Content-Type: text/plain', 'Content-Type: application/json'],
  ]) {
    const response = await registerRaw(app, { headers, body: JSON.stringify(GOOD_BODY) })
    assert.equal(codeOf(response), 'UNSUPPORTED_MEDIA_TYPE', headers.join(' | '))
  }
})

test('a character that arrives byte by byte is whole', async (t) => {
  const app = await runRegisteringApp(t)
  const body = JSON.stringify({ ...GOOD_BODY, useCase: '😀' })
  const response = await registerRaw(app, { body, chunkBytes: 1 })
  assert.equal(response.status, 200)
  assert.equal((await app.entries())[0]?.useCase, '😀')
})

test('accepts the longest use case, in Thai, Chinese and emoji', async (t) => {
  const app = await runRegisteringApp(t)
  for (const [at, unit] of ['a', 'ก', 'เ', '字', '𠮷', '😀', '\u0301'].entries()) {
    const email = `reader${at}@example.org`
    const just = await app.register({
      ...GOOD_BODY,
      email,
      useCase: unit.repeat(LIMITS.maxUseCaseCodePoints),
    })
    assert.equal(just.status, 200, unit)
    assert.equal(codeOf(just), undefined, unit)
    assert.equal((await app.entries()).at(-1)?.useCase, unit.repeat(LIMITS.maxUseCaseCodePoints))
  }
})

test('names of inherited properties are unknown fields', async (t) => {
  const app = await runRegisteringApp(t)
  const rest = JSON.stringify(GOOD_BODY).slice(1)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']) {
    const response = await app.register(`{"${name}":{"consent":true},${rest}`)
    assert.equal(codeOf(response), 'INVALID_INPUT', name)
  }
  const inherited =
    '{"__proto__":{"email":"reader@example.org","consent":true,"challengeToken":"test-pass"}}'
  assert.equal(codeOf(await app.register(inherited)), 'INVALID_INPUT')
  assert.deepEqual(await app.entries(), [])
})
