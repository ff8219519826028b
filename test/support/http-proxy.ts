import { request as ask, type Agent, type IncomingMessage, type ServerResponse } from 'node:http'

/** A response passing through a proxy, which may change any part of it. */
export interface ProxiedResponse {
  readonly method: string
  /** The requested method and target. */
  readonly target: string
  status: number
  /** Fields by lower-case name, but for those of one connection. */
  headers: Map<string, string>
  body: Buffer
}

/** Changes to the forwarded request. */
export interface PassedAs {
  /** Agent for connections to the service; by default each request has its own. */
  readonly agent?: Agent
  readonly target?: string
  /** Fields by lower-case name, in the place of those that came. */
  readonly headers?: { readonly [name: string]: string }
}

/** Fields of one connection (RFC 9110 7.6.1); how long a body is that was asked with, the message still says. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive'])

/** Pairs of names and values that follow one another. */
function* pairsOf(
  rawHeaders: readonly string[],
): Generator<readonly [name: string, value: string]> {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    yield [rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']
  }
}

function readResponse(
  method: string,
  target: string,
  { statusCode = 0, rawHeaders }: IncomingMessage,
  body: Buffer,
): ProxiedResponse {
  const headers = new Map<string, string>()
  for (const [name, value] of pairsOf(rawHeaders)) {
    const lower = name.toLowerCase()
    if (OF_CONNECTION.has(lower) || lower === 'transfer-encoding') continue
    const before = headers.get(lower)
    headers.set(lower, before === undefined ? value : `${before}, ${value}`)
  }
  return { method, target, status: statusCode, headers, body }
}

/**
 * Forwards a request to a loopback port and sends back the response once it is complete and `change` has seen it. If
 * the server is unreachable, the connection breaks. `Content-Length` follows the body.
 */
export function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  change: (proxied: ProxiedResponse) => void = () => {},
  { target, headers = {}, agent }: PassedAs = {},
): void {
  const { method = 'GET', url = '', rawHeaders } = request
  const kept = [...pairsOf(rawHeaders)].filter(([name]) => {
    const lower = name.toLowerCase()
    return !OF_CONNECTION.has(lower) && !Object.hasOwn(headers, lower)
  })
  const fields = [...kept, ...Object.entries(headers)].flat()
  const options = { host: '127.0.0.1', port, method, path: target ?? url, headers: fields }
  const sent = ask({ ...options, agent: agent ?? false }, (received) => {
    const chunks: Buffer[] = []
    received.on('data', (chunk: Buffer) => chunks.push(chunk))
    received.on('error', () => response.destroy())
    received.on('end', () => {
      const proxied = readResponse(method, url, received, Buffer.concat(chunks))
      const length = proxied.body.length
      change(proxied)
      if (proxied.body.length !== length && proxied.headers.has('content-length')) {
        proxied.headers.set('content-length', String(proxied.body.length))
      }
      // The server's own Date is among the fields.
      response.sendDate = false
      response.writeHead(proxied.status, [...proxied.headers].flat()).end(proxied.body)
    })
  })
  sent.on('error', () => response.destroy())
  request.pipe(sent)
}
