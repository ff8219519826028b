import { connect } from 'node:net'
import { parseRawResponse, type RawResponse } from './raw-http.ts'

/** What was received over one connection. */
export interface Conversation {
  /** Every response in order, each with the body that its Content-Length declares. */
  readonly responses: readonly RawResponse[]
  /** Whether the server closed the connection, rather than the time running out. */
  readonly closed: boolean
}

/** Splits the bytes of a connection into responses. A response without a declared length has no body. */
function splitResponses(bytes: string): readonly RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = bytes; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`No whole response came; got ${JSON.stringify(rest)}`)
    const length = Number(/^content-length: *(\d+)/im.exec(rest.slice(0, end))?.[1] ?? 0)
    responses.push(parseRawResponse(rest.slice(0, end + 4 + length)))
    rest = rest.slice(end + 4 + length)
  }
  return responses
}

/** Sends bytes unchanged (latin1) and returns every response until the server closes the connection. */
export function converse(port: number, bytes: string, timeoutMs = 20_000): Promise<Conversation> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    let closed = true
    socket.setTimeout(timeoutMs, () => {
      closed = false
      socket.destroy()
    })
    // A reset behind a response is one way to close; what was received before it still counts.
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('close', () => {
      try {
        resolve({ responses: splitResponses(Buffer.concat(chunks).toString('latin1')), closed })
      } catch (error) {
        reject(error)
      }
    })
    socket.on('connect', () => socket.write(bytes, 'latin1'))
  })
}
