import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createClient } from '@public-api/client-internal/client'
import type { ClientOptions } from '@public-api/client-internal/client-options'
import { createConnection, type Fetch } from '@public-api/client-internal/connection'
import { readHeaders } from '@public-api/client-internal/header-fields'
import { verifyEvidence } from '@public-api/client-internal/history/history-evidence'
import { parseSigningKeys } from '@public-api/client-internal/signing-keys'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { cpuMs } from '../support/cpu-time.ts'
import { eventually } from '../support/eventually.ts'
import { serveTcp } from '../support/loopback-server.ts'
import { TEST_NOW_MS } from '../support/running-app.ts'
import { appResponse, BASE_URL, isStatus, fakeResponse, scripted } from './scripted-client.ts'

/** A server that sends given parts and notices when its client leaves. */
async function speaking(t: TestContext, head: string, part?: Buffer, times = 1) {
  const observed = { requests: 0, closed: 0, bytes: 0 }
  const port = await serveTcp(t, (socket) => {
    socket.once('data', () => {
      observed.requests += 1
      socket.on('close', () => {
        observed.closed += 1
        observed.bytes += socket.bytesWritten
      })
      socket.write(head)
      const bytes = part ?? Buffer.alloc(0)
      let left = times
      const write = () => {
        while (left > 0 && !socket.destroyed) {
          left -= 1
          if (!socket.write(bytes)) return
        }
      }
      socket.on('drain', write)
      write()
    })
  })
  return { observed, baseUrl: `http://127.0.0.1:${port}` }
}

/** What a client of it comes to, and the number of its attempts. */
async function ask(baseUrl: string, settings: Partial<ClientOptions>): Promise<Error> {
  const client = createClient({ baseUrl, wait: () => Promise.resolve(), ...settings })
  return client.getUnverified(READ_PATHS.status).then(
    () => assert.fail('it was answered'),
    (error: unknown) => error as Error,
  )
}

const ENDLESS = 'HTTP/1.1 200 OK\r\n\r\n'

describe('limits of the response size', () => {
  test('stops reading an endless body and does not retry', async (t) => {
    const { baseUrl, observed } = await speaking(t, ENDLESS, Buffer.alloc(65_536, 'a'), Infinity)
    const error = await ask(baseUrl, { maxBodyBytes: 1_000_000 })
    assert.equal(error.name, 'ConnectionError')
    assert.equal(error.message, `${baseUrl}/api/v1/status not fetched`)
    assert.ok(error.cause instanceof RangeError)
    assert.equal(error.cause.message, 'expected at most 1000000 bytes')
    assert.equal(observed.requests, 1)
    await eventually('a closed connection', () => observed.closed > 0 || undefined)
    // What the kernel's buffers hold on both sides was written and not read.
    assert.ok(observed.bytes < 20_000_000, String(observed.bytes))
  })

  test('limits the decoded body', async (t) => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const { baseUrl } = await speaking(t, head, bomb)
    const { cause } = await ask(baseUrl, { maxBodyBytes: 49_999_999 })
    assert.ok(cause instanceof RangeError, String(cause))
    const { baseUrl: again } = await speaking(t, head, bomb)
    const client = createClient({ baseUrl: again, maxBodyBytes: 50_000_000 })
    assert.equal((await client.getUnverified('/')).body.length, 50_000_000)
  })

  test('the limit is exact, 16 MB by default, and must be a number', async () => {
    const bytes = 'x'.repeat(1000)
    const answering: Fetch = () => Promise.resolve(fakeResponse(200, {}, bytes))
    const get = (maxBodyBytes: number) =>
      createConnection(BASE_URL, answering, { maxBodyBytes }).send('/a', {}, undefined)
    assert.equal((await get(1000)).body.length, 1000)
    assert.equal((await get(Infinity)).body.length, 1000)
    await assert.rejects(get(999), { name: 'ConnectionError' })
    await assert.rejects(get(NaN), { name: 'ConnectionError' })

    let pulled = 0
    const part = new Uint8Array(1_000_000)
    const endless = createConnection(BASE_URL, () =>
      Promise.resolve({
        status: 200,
        headers: [],
        body: new ReadableStream({
          pull(controller) {
            pulled += 1
            controller.enqueue(part)
          },
        }),
      }),
    )
    await assert.rejects(endless.send('/a', {}, undefined), (error: Error) => {
      assert.match(String(error.cause), /expected at most 16000000 bytes/)
      return true
    })
    assert.ok(pulled < 20, String(pulled))
  })

  test('joins a body that arrives in parts; a missing body is empty', async () => {
    const parts = ['ab', '', 'c', 'defg'].map((text) => new TextEncoder().encode(text))
    const get = (body: ReadableStream<Uint8Array> | null) =>
      createConnection(BASE_URL, () => Promise.resolve({ status: 200, headers: [], body })).send(
        '/a',
        {},
        undefined,
      )
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of parts) controller.enqueue(part)
        controller.close()
      },
    })
    const { body } = await get(stream)
    assert.equal(Buffer.from(body).toString(), 'abcdefg')
    assert.equal((await get(null)).body.length, 0)
  })
})

describe('limits of the response time', () => {
  for (const [name, head] of [
    ['a head that never comes', ''],
    ['a head that never ends', 'HTTP/1.1 200 OK\r\nA: b\r\n'],
    ['a body that never ends', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{'],
    ['interim responses and no other', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3)],
  ] as const) {
    test(`${name} times out and is retried`, async (t) => {
      const { baseUrl, observed } = await speaking(t, head)
      const error = await ask(baseUrl, { timeoutMs: 500, maxRetries: 1 })
      assert.equal(error.name, 'ConnectionError')
      assert.deepEqual(
        [(error.cause as Error).name, (error.cause as Error).message],
        ['TimeoutError', 'no response within 500 ms'],
      )
      await eventually('two closed connections', () => observed.closed >= 2 || undefined)
      assert.equal(observed.requests, 2)
    })
  }

  test('does not wait for a fetch that ignores its signal', async () => {
    const deaf = createConnection(BASE_URL, () => new Promise(() => {}), { timeoutMs: 20 })
    await assert.rejects(deaf.send('/a', {}, undefined), { name: 'ConnectionError' })
  })

  test('Infinity removes the limit', async () => {
    const { client } = scripted(undefined, { timeoutMs: Infinity })
    assert.equal((await client.status()).data.state, 'operational')
  })

  test('an abort rejects the call and ends pending requests', async (t) => {
    const { baseUrl, observed } = await speaking(t, ENDLESS)
    const control = new AbortController()
    const reason = new Error('enough')
    const asked = createConnection(baseUrl, fetch).send('/a', {}, control.signal)
    await eventually('a request', () => observed.requests > 0 || undefined)
    control.abort(reason)
    await assert.rejects(asked, reason)
    await eventually('a closed connection', () => observed.closed > 0 || undefined)
  })
})

describe('limits of the number of keys', () => {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const jwk = { kty: 'OKP', crv: 'Ed25519', x }
  const documentOf = (count: number) => ({ keys: Array.from({ length: count }, () => ({ jwk })) })

  test('64, and a document with more is refused', async () => {
    assert.equal((await parseSigningKeys(documentOf(64))).length, 64)
    await assert.rejects(parseSigningKeys(documentOf(65)), {
      code: 'MALFORMED',
      message: 'MALFORMED: expected 1 to 64 Ed25519 keys, found 65',
    })
    const many = documentOf(200_000)
    const beganMs = cpuMs()
    await assert.rejects(parseSigningKeys(many), /found 200000/)
    assert.ok(cpuMs() - beganMs < 1000)
  })

  test('twice as many in evidence, which has three responses at most', async () => {
    const evidence = { format: 'svc-history-evidence-v1', fault: 'BROKEN', responses: [] } as const
    const check = (more: object) =>
      verifyEvidence({ ...evidence, keys: [], ...more }, { pinnedKeyIds: [] })
    await assert.rejects(check({ keys: documentOf(128).keys }), /do not prove BROKEN/)
    await assert.rejects(check({ keys: documentOf(129).keys }), /expected evidence/)
    const headers: [] = []
    const response = { method: 'GET', target: '/', status: 200, headers, bodyBase64: '' }
    await assert.rejects(
      check({ responses: [response, response, response, response] }),
      /expected evidence/,
    )
  })

  test('a key with an invalid date accepts nothing', async () => {
    for (const date of [
      5,
      {},
      { toString: 1, valueOf: 1 },
      [],
      '',
      'soon',
      '2026-02-30T00:00:00Z',
    ]) {
      const [key] = await parseSigningKeys({ keys: [{ jwk, notBefore: date }] })
      assert.equal(key?.wasInUse(TEST_NOW_MS), false, JSON.stringify(date))
    }
    const [key] = await parseSigningKeys({ keys: [{ jwk, notBefore: null }] })
    assert.equal(key?.wasInUse(TEST_NOW_MS), true)
  })
})

describe('refuses invalid responses and requests', () => {
  test('rejects a 304 to a request without If-None-Match, even with a valid signature', async () => {
    const { etag } = await scripted().client.status()
    const { client } = scripted((sent) =>
      isStatus(sent)
        ? appResponse({ ...sent, headers: { 'If-None-Match': etag } }, TEST_NOW_MS)
        : undefined,
    )
    await assert.rejects(client.status(), {
      code: 'ETAG',
      message: `ETAG: ${etag} is not in If-None-Match`,
    })
  })

  test('a target cannot change the host', async () => {
    const urls: string[] = []
    const connection = createConnection('https://api.example.test', (url) => {
      urls.push(url)
      return Promise.resolve(fakeResponse(200, {}))
    })
    // As long as the host itself, so that the rest of the URL is the same for both.
    for (const target of ['@evil-example.abc/', '.evil.test/', ':1/', '', 'x', '\\\\x', '/x#y']) {
      await assert.rejects(connection.send(target, {}, undefined), { name: 'TypeError' }, target)
    }
    assert.deepEqual(urls, [])
  })

  test('parses a long run of white space in linear time', () => {
    const blanks = ' '.repeat(300_000)
    const beganMs = cpuMs()
    assert.equal(readHeaders([['a', `x${blanks}y`]])('A'), `x${blanks}y`)
    assert.ok(cpuMs() - beganMs < 1000)
    for (const [value, expected] of [
      ['', ''],
      [' \t', ''],
      ['\ta b ', 'a b'],
      ['a', 'a'],
      ['\u00a0a\n ', '\u00a0a\n'],
    ] as const) {
      assert.equal(readHeaders([['a', value]])('a'), expected)
    }
  })
})
