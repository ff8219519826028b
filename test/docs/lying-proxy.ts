import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** An answer on its way through the proxy; a lie changes it. */
export interface PassingAnswer {
  /** What the client asked for. */
  readonly target: string
  status: number
  /** By name in lower case. */
  readonly headers: Map<string, string>
  body: string
}

/** What a proxy does to the service's answers. */
export interface Lie {
  /** The target that is asked of the service instead. */
  readonly redirect?: (target: string) => string
  readonly change?: (answer: PassingAnswer) => void
}

/** What concerns one connection and not the answer (RFC 9110 7.6.1); the length is written anew. */
const OF_CONNECTION = new Set(['connection', 'content-length', 'date', 'keep-alive'])

function ask(port: number, target: string, headers: IncomingMessage['headers']) {
  return new Promise<PassingAnswer>((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: target, headers, agent: false }
    const asked = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const fields = Object.entries(response.headers)
          .filter(([name]) => !OF_CONNECTION.has(name))
          .map(([name, value]) => [name, String(value)] as const)
        resolve({
          target,
          status: response.statusCode ?? 0,
          headers: new Map(fields),
          body: Buffer.concat(chunks).toString('latin1'),
        })
      })
    })
    asked.on('error', reject)
    asked.end()
  })
}

/** Starts a proxy before the service on this port, for one test; gives its origin. Bodies are latin1, a byte a character. */
export async function openLyingProxy(t: TestContext, port: number, lie: Lie): Promise<string> {
  const server = createServer((incoming, response) => {
    const target = incoming.url ?? ''
    const pass = async () => {
      const { host: _, ...headers } = incoming.headers
      const came = await ask(port, lie.redirect?.(target) ?? target, headers)
      const answer = { ...came, target }
      lie.change?.(answer)
      // In upper case, as some proxies send them.
      const fields = [...answer.headers].map(([name, value]) => [name.toUpperCase(), value])
      response.writeHead(answer.status, fields.flat())
      response.end(Buffer.from(answer.body, 'latin1'))
    }
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
