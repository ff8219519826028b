import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { registrationBody } from './waitlist-fixture.ts'

/** Result of one request. */
export interface Sample {
  readonly kind: string
  readonly latencyMs: number
  /** Undefined if the response was the expected one. */
  readonly failure: string | undefined
}

/** The service under load, and where samples go. It trusts X-Forwarded-For of this machine. */
interface SoakTarget {
  readonly port: number
  readonly apiKey: string
  readonly signal: AbortSignal
  readonly record: (sample: Sample) => void
}

interface SentRequest extends RequestInit {
  readonly path: string
  /** Default: 200. */
  readonly expected?: readonly number[]
}

/** One kind of client. */
interface Client {
  readonly kind: string
  /** Pause between two requests, so that the mix stays the same whatever the service's speed. */
  readonly pauseMs: number
  next(index: number): SentRequest
  /** What is wrong with a response of an expected status; undefined if nothing is. */
  check?(response: Response, text: string): string | undefined
}

const READ_PATHS = ['status', 'roadmap', 'changelog', 'time', 'policy', 'versions', 'wallet']
const STATUS = { path: '/api/v1/status' }
const REGISTRATION_PATH = '/api/v1/early-access/register'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const REGISTRATION = { path: REGISTRATION_PATH, method: 'POST', headers: JSON_TYPE }

/** A read is right if it is signed and its body and its `X-Request-Id` belong together. */
function checkRead({ headers }: Response, text: string): string | undefined {
  if (!headers.has('X-SVC-Signature')) return 'expected a signature'
  const { requestId } = JSON.parse(text) as { readonly requestId?: unknown }
  return requestId === headers.get('X-Request-Id') ? undefined : 'expected one request id'
}

/** Requests that the service refuses, each with the status of its refusal. */
const BAD_REQUESTS: readonly SentRequest[] = [
  { path: '/api/v1/nothing', expected: [404] },
  { path: '/api/v1/%ff%zz', expected: [404] },
  { ...STATUS, method: 'POST', body: '{}', expected: [405] },
  { path: REGISTRATION_PATH, method: 'POST', body: 'x', expected: [415] },
  { path: '/api/v1/versions/VS-9999', expected: [404] },
  { path: '/api/v1/preview/anything', expected: [403] },
  { ...STATUS, headers: { 'X-SVC-Key': 'svk_wrong' }, expected: [401] },
  { path: '/nowhere', expected: [404] },
  { ...REGISTRATION, body: ' '.repeat(9000), expected: [413] },
]

function createClients(apiKey: string): readonly Client[] {
  let etag = ''
  return [
    {
      kind: 'read',
      pauseMs: 10,
      next: (index) => ({ path: `/api/v1/${READ_PATHS[index % READ_PATHS.length]}` }),
      check: checkRead,
    },
    {
      kind: 'conditional read',
      pauseMs: 20,
      next: () => ({ ...STATUS, headers: { 'If-None-Match': etag }, expected: [200, 304] }),
      check({ headers }) {
        etag = headers.get('ETag') ?? etag
        return undefined
      },
    },
    {
      kind: 'keyed read',
      // 500 a minute, below the quota of 600.
      pauseMs: 120,
      next: () => ({ ...STATUS, headers: { 'X-SVC-Key': apiKey } }),
      check: checkRead,
    },
    {
      kind: 'page',
      pauseMs: 100,
      next: (index) => ({ path: ['/en', '/th/status', '/zh-CN/history'][index % 3] ?? '/en' }),
    },
    {
      kind: 'registration',
      // 240 a minute, below the limit of 300, from actors that stay below 5 each.
      pauseMs: 250,
      next: (index) => ({
        ...REGISTRATION,
        headers: {
          ...JSON_TYPE,
          'X-Forwarded-For': `10.0.${Math.floor(index / 200) % 200}.${1 + (index % 200)}`,
        },
        // Every fourth address is one that was registered before.
        body: registrationBody(index % 4 === 3 ? index - 1 : index),
      }),
    },
    {
      kind: 'bad request',
      pauseMs: 50,
      next: (index) => BAD_REQUESTS[index % BAD_REQUESTS.length] ?? { path: '/' },
    },
  ]
}

async function runClient(client: Client, { port, signal, record }: SoakTarget): Promise<void> {
  for (let index = 0; !signal.aborted; index += 1) {
    const startedMs = performance.now()
    let failure: string | undefined
    try {
      const { path, expected = [200], ...request } = client.next(index)
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...request, signal })
      const text = await response.text()
      failure = expected.includes(response.status)
        ? client.check?.(response, text)
        : `${path}: expected ${expected.join(' or ')}, found ${response.status}`
    } catch (error) {
      failure = String(error)
    }
    record({ kind: client.kind, latencyMs: performance.now() - startedMs, failure })
    await sleep(client.pauseMs)
  }
}

/** Connections that ask for a long document and read it at one kilobyte a second. */
async function runSlowReader({ port, signal }: SoakTarget): Promise<void> {
  while (!signal.aborted) {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => {})
    socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    const endMs = performance.now() + 20_000
    socket.pause()
    while (!signal.aborted && !socket.destroyed && performance.now() < endMs) {
      socket.read(1024)
      await sleep(1000)
    }
    socket.destroy()
  }
}

const SLOW_READERS = 10

/** Runs every kind of client until the signal is aborted. */
export async function runTraffic(target: SoakTarget): Promise<void> {
  await Promise.all([
    ...createClients(target.apiKey).map((client) => runClient(client, target)),
    ...Array.from({ length: SLOW_READERS }, () => runSlowReader(target)),
  ])
}
