import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { App } from '../../../src/http/api-request.ts'
import { pipeline, type Pipelined, type Reading } from '../../support/pipelined.ts'
import { runApp } from '../../support/running-app.ts'
import { openListener } from '../../support/test-listener.ts'

/** Shared by responses, as large data of the API is. */
const SHARED = Buffer.from('s'.repeat(200_000))

const KINDS = ['small', 'large', 'bytes', 'parts', 'late', 'post', 'chunked', 'unread'] as const
type Kind = (typeof KINDS)[number]

/** A body that looks like a request, which must never be handled. */
const EVIL = 'DELETE /evil HTTP/1.1\r\nHost: a\r\n\r\n'

function requestBytes(kind: Kind, index: number): string {
  const line = (method: string) => `${method} /${kind}/${index} HTTP/1.1\r\nHost: a\r\n`
  if (kind === 'post' || kind === 'unread') {
    return `${line('POST')}Content-Length: ${EVIL.length}\r\n\r\n${EVIL}`
  }
  if (kind === 'chunked') {
    return `${line('POST')}Transfer-Encoding: chunked\r\n\r\n${EVIL.length.toString(16)}\r\n${EVIL}\r\n0\r\n\r\n`
  }
  return `${line('GET')}\r\n`
}

/** Responds by the kind in the target, with the target in the body. */
function createApp() {
  const handled: string[] = []
  const app: App = async ({ target, readBody }) => {
    handled.push(target)
    const [, kind] = target.split('/')
    const text = `<${target}>`
    const reply = (body: Exclude<Awaited<ReturnType<App>>['body'], undefined>, length: number) => ({
      status: 200,
      headers: ['Content-Length', String(length)],
      body,
    })
    if (kind === 'large') return reply(text + 'l'.repeat(100_000), text.length + 100_000)
    if (kind === 'bytes') return reply(SHARED, SHARED.length)
    if (kind === 'parts') return reply([text, SHARED, '}'], text.length + SHARED.length + 1)
    if (kind === 'late') await new Promise((resolve) => setTimeout(resolve, 2))
    if (kind === 'post' || kind === 'chunked') {
      const body = Buffer.from(await readBody(1000)).toString('latin1')
      return reply(`${text}${body}`, text.length + body.length)
    }
    return reply(text, text.length)
  }
  return { app, handled }
}

/** Cuts bytes at the given places. */
function cut(bytes: string, places: readonly number[]): readonly string[] {
  const at = [...new Set(places.map((place) => place % bytes.length))].toSorted((a, b) => a - b)
  return [0, ...at]
    .map((start, index) => bytes.slice(start, at[index]))
    .filter((each) => each !== '')
}

/** The promise of a connection: responses in order, all of them or up to one that says Connection: close. */
function assertPromise(found: Pipelined, expected: readonly string[], what: string): void {
  const { responses, rest, endedAfterMs, silentMs } = found
  assert.equal(rest, '', `${what}: only whole responses`)
  assert.deepEqual(
    responses.map(({ body }) => body),
    expected.slice(0, responses.length),
    `${what}: in order`,
  )
  const closing = responses.findIndex(({ says }) => says === 'close')
  if (closing === -1) assert.equal(responses.length, expected.length, `${what}: none is lost`)
  else {
    assert.equal(closing, responses.length - 1, `${what}: nothing after Connection: close`)
    assert.ok((endedAfterMs ?? Infinity) < 1000, `${what}: ends at once (${endedAfterMs} ms)`)
  }
  assert.ok(silentMs < 5000, `${what}: silent for ${silentMs} ms`)
}

test('responds to requests of one connection in order, to all or up to Connection: close', async (t) => {
  const { app, handled } = createApp()
  const { port, errors } = await openListener(t, app)
  const single = async (kind: Kind, index: number) => {
    const { responses } = await pipeline(port, [requestBytes(kind, index)], 1)
    return responses[0]?.body ?? ''
  }
  const known = new Map<string, Promise<string>>()
  const readings: readonly Reading[] = ['at once', 'slowly', 'late']
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 60 }),
      fc.array(fc.nat(5_000), { maxLength: 6 }),
      fc.constantFrom(...readings),
      async (kinds, places, reading) => {
        const expected = await Promise.all(
          kinds.map((kind, index) => {
            const key = `${kind}/${index}`
            const found = known.get(key) ?? single(kind, index)
            known.set(key, found)
            return found
          }),
        )
        const bytes = kinds.map(requestBytes).join('')
        const before = handled.length
        const found = await pipeline(port, cut(bytes, places), kinds.length, reading)
        assertPromise(found, expected, `${kinds.join(' ')} cut at ${places.join(' ')}, ${reading}`)
        assert.deepEqual(
          handled.slice(before),
          kinds.map((kind, index) => `/${kind}/${index}`).slice(0, handled.length - before),
        )
      },
    ),
    { numRuns: 60 },
  )
  assert.ok(!handled.includes('/evil'))
  assert.deepEqual(errors, [])
})

/** After this many requests the compositions below repeat: methods by 5, targets by 4, 5 or 9. */
const PERIOD = 180

const API = ['/api/v1/status', '/api/v1/nothing', '/api/v1/policy', '/api/v1/openapi.json']
const PAGES = [
  '/en',
  '/robots.txt',
  '/en/feed.atom',
  '/th/verify',
  '/archive/versions/VS-0001.json',
]

for (const [what, targets] of [
  ['the API', API],
  ['pages', PAGES],
  ['both', [...API, ...PAGES]],
] as const) {
  test(`${what}: 2, 10, 20 and 200 requests in one packet and in many`, async (t) => {
    const { port } = await runApp(t)
    for (const count of [2, 10, 20, 200]) {
      const requests = Array.from({ length: count }, (_, index) =>
        index % 5 === 4
          ? 'POST /api/v1/early-access/register HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 37\r\n\r\nDELETE /api/v1/keys/self HTTP/1.1\r\n\r\n'
          : `GET ${targets[index % targets.length]} HTTP/1.1\r\nHost: a\r\n\r\n`,
      )
      const statuses = await Promise.all(
        requests
          .slice(0, PERIOD)
          .map(async (request) => (await pipeline(port, [request], 1)).responses[0]?.status),
      )
      for (const packets of [[requests.join('')], requests]) {
        const { responses, rest, endedAfterMs, silentMs } = await pipeline(port, packets, count)
        assert.equal(rest, '')
        responses.forEach(({ status }, index) => {
          assert.equal(status, statuses[index % PERIOD], `response ${index} of ${count}`)
        })
        if (responses.length < count) {
          assert.equal(responses.at(-1)?.says, 'close')
          assert.ok((endedAfterMs ?? Infinity) < 1000)
        }
        assert.ok(silentMs < 5000)
      }
    }
  })
}
