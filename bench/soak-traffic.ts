import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { REGISTRATION_BODY } from './registration-body.ts'
import { NUMBER_PLACEHOLDER } from './load.ts'

/** Result of one request. */
export interface Sample {
  readonly kind: string
  readonly latencyMs: number
  /** Undefined if the response was the expected one. */
  readonly failure: string | undefined
}

/** The service under load, and where samples go. */
export interface SoakTarget {
  readonly port: number
  readonly apiKey: string
  readonly signal: AbortSignal
  readonly record: (sample: Sample) => void
}

interface Exchange {
  readonly method?: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** Loopback source address; each is a separate actor. */
  readonly localAddress?: string
}

interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

function exchange(port: number, agent: Agent, sent: Exchange): Promise<Received> {
  const { method = 'GET', path, headers = {}, body, localAddress } = sent
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
        ...(localAddress === undefined ? {} : { localAddress }),
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** One kind of client: its next request and the expected response. */
interface Client {
  readonly kind: string
  /** Pause between two requests, so that the mix stays the same whatever the service's speed. */
  readonly pauseMs: number
  next(index: number): Exchange
  /** Undefined if the response is right. */
  check(received: Received): string | undefined
}

const READ_PATHS = ['status', 'roadmap', 'changelog', 'time', 'policy', 'versions', 'wallet']
const JSON_TYPE = { 'Content-Type': 'application/json' }

function expectStatus(...statuses: readonly number[]) {
  return ({ status }: Received) =>
    statuses.includes(status) ? undefined : `expected ${statuses.join(' or ')}, found ${status}`
}

/** A read is right if it is signed and its body and its `X-Request-Id` belong together. */
function checkRead(received: Received): string | undefined {
  const wrong = expectStatus(200)(received)
  if (wrong !== undefined) return wrong
  if (received.headers['x-svc-signature'] === undefined) return 'expected a signature'
  const { requestId } = JSON.parse(received.text) as { readonly requestId?: unknown }
  return requestId === received.headers['x-request-id'] ? undefined : 'expected one request id'
}

/** Requests that the service refuses, each with the status of its refusal. */
const BAD_REQUESTS: readonly (readonly [Exchange, number])[] = [
  [{ path: '/api/v1/nothing' }, 404],
  [{ path: '/api/v1/%ff%zz' }, 404],
  [{ path: '/api/v1/status', method: 'POST', body: '{}' }, 405],
  [{ path: '/api/v1/early-access/register', method: 'POST', body: 'x' }, 415],
  [{ path: '/api/v1/versions/VS-9999' }, 404],
  [{ path: '/api/v1/preview/anything' }, 403],
  [{ path: '/api/v1/status', headers: { 'X-SVC-Key': 'svk_wrong' } }, 401],
  [{ path: '/nowhere' }, 404],
  [
    {
      path: '/api/v1/early-access/register',
      method: 'POST',
      headers: JSON_TYPE,
      body: ' '.repeat(9000),
    },
    413,
  ],
]

function createClients(apiKey: string): readonly Client[] {
  let etag = ''
  let badIndex = 0
  const registrations: Client = {
    kind: 'registration',
    // 240 a minute, below the limit of 300, from actors that stay below 5 each.
    pauseMs: 250,
    next: (index) => ({
      path: '/api/v1/early-access/register',
      method: 'POST',
      headers: JSON_TYPE,
      // Every fourth address is one that was registered before.
      body: REGISTRATION_BODY.replace(
        NUMBER_PLACEHOLDER,
        String(index % 4 === 3 ? index - 1 : index).padStart(NUMBER_PLACEHOLDER.length, '0'),
      ),
      localAddress: `127.0.${1 + (Math.floor(index / 200) % 200)}.${1 + (index % 200)}`,
    }),
    check: expectStatus(200),
  }
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
      next: () => ({ path: '/api/v1/status', headers: { 'If-None-Match': etag } }),
      check(received) {
        etag = received.headers.etag ?? etag
        return expectStatus(200, 304)(received)
      },
    },
    {
      kind: 'keyed read',
      // 500 a minute, below the quota of 600.
      pauseMs: 120,
      next: () => ({ path: '/api/v1/status', headers: { 'X-SVC-Key': apiKey } }),
      check: checkRead,
    },
    {
      kind: 'page',
      pauseMs: 100,
      next: (index) => ({ path: ['/en', '/th/status', '/zh-CN/history'][index % 3] ?? '/en' }),
      check: expectStatus(200),
    },
    registrations,
    {
      kind: 'bad request',
      pauseMs: 50,
      next() {
        badIndex = (badIndex + 1) % BAD_REQUESTS.length
        return BAD_REQUESTS[badIndex]?.[0] ?? { path: '/' }
      },
      check: (received) => expectStatus(BAD_REQUESTS[badIndex]?.[1] ?? 404)(received),
    },
  ]
}

async function runClient(client: Client, { port, signal, record }: SoakTarget): Promise<void> {
  // A connection from another address cannot be reused; the other clients keep theirs.
  const agent = new Agent({ keepAlive: client.kind !== 'registration', maxSockets: 1 })
  for (let index = 0; !signal.aborted; index += 1) {
    const startedMs = performance.now()
    let failure: string | undefined
    try {
      failure = client.check(await exchange(port, agent, client.next(index)))
    } catch (error) {
      failure = String(error)
    }
    record({ kind: client.kind, latencyMs: performance.now() - startedMs, failure })
    await sleep(client.pauseMs)
  }
  agent.destroy()
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
