import { connect } from 'node:net'

/** One response as received. */
export interface RawResponse {
  readonly status: number
  /** Lower-case names; several lines of one name are joined by a newline, so that a repeated header shows. */
  readonly headers: ReadonlyMap<string, string>
  /** Names in the order and case they came in. */
  readonly headerNames: readonly string[]
  readonly body: string
}

/** Reads one whole response, latin1. */
export function parseRawResponse(bytes: string): RawResponse {
  const end = bytes.indexOf('\r\n\r\n')
  const [line = '', ...fields] = bytes.slice(0, end).split('\r\n')
  const headers = new Map<string, string>()
  const headerNames: string[] = []
  for (const field of fields) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon)
    headerNames.push(name)
    const before = headers.get(name.toLowerCase())
    const value = field.slice(colon + 1).trim()
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}\n${value}`)
  }
  return { status: Number(line.split(' ')[1]), headers, headerNames, body: bytes.slice(end + 4) }
}

/**
 * Sends bytes as they are and reads until the server closes (or until the response's declared length is there). For
 * requests that no HTTP client would make. Bytes are latin1, one per character.
 */
export function sendRaw(port: number, bytes: string, timeoutMs = 20_000): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    const finish = () => {
      socket.destroy()
      const text = Buffer.concat(chunks).toString('latin1')
      if (text.includes('\r\n\r\n')) resolve(parseRawResponse(text))
      else reject(new Error(`No whole response came; got ${JSON.stringify(text)}`))
    }
    socket.setTimeout(timeoutMs, finish)
    // A connection may be reset behind its response, when the server did not want the rest of the request.
    socket.on('error', (error) => (chunks.length > 0 ? finish() : reject(error)))
    socket.on('end', finish)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('connect', () => socket.write(bytes, 'latin1'))
  })
}

/** A request of one line, given headers, and `Connection: close`, so that the response ends with the connection. */
export function rawRequest(
  method: string,
  target: string,
  headers: readonly string[] = ['Host: localhost'],
): string {
  return `${method} ${target} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`
}

/** Sends a request for this machine, with header lines and a body of its own. */
export function sendRequest(
  port: number,
  method: string,
  target: string,
  lines: readonly string[] = [],
  body = '',
): Promise<RawResponse> {
  return sendRaw(port, rawRequest(method, target, ['Host: localhost', ...lines]) + body)
}
