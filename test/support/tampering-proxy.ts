import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { listen, stopListening } from '../../src/http/listener.ts'

/** An answer on its way; a test may change any part of it. */
export interface PassingAnswer {
  readonly target: string
  status: number
  /** Fields by lower-case name. */
  headers: Map<string, string>
  body: Buffer
}

/** What came to the proxy. */
export interface PassedRequest {
  readonly method: string
  readonly target: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

/** A proxy before a service. */
export interface TamperingProxy {
  readonly origin: string
  /** Everything that was asked, in order. */
  readonly asked: readonly PassedRequest[]
  /** Called with every answer before it goes on. Nothing is changed until a test sets it. */
  tamper: (answer: PassingAnswer) => void
}

/** Fields that belong to one connection, or that this proxy states for itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'host',
])

/** Runs a proxy for GET and HEAD before the service at an origin, until the test ends. */
export async function runTamperingProxy(
  t: TestContext,
  serviceOrigin: string,
): Promise<TamperingProxy> {
  const asked: PassedRequest[] = []
  const proxy = { origin: '', asked, tamper: () => {} } as {
    -readonly [Name in keyof TamperingProxy]: TamperingProxy[Name]
  }

  async function pass({ method, target, headers }: PassedRequest): Promise<PassingAnswer> {
    const sent = Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name))
    const response = await fetch(serviceOrigin + target, {
      method,
      redirect: 'manual',
      headers: {
        ...Object.fromEntries(sent.map(([name, value]) => [name, String(value)])),
        // What is undone here could not be passed on as it came.
        'accept-encoding': 'identity',
      },
    })
    const answer = {
      target,
      status: response.status,
      headers: new Map(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    }
    proxy.tamper(answer)
    return answer
  }

  const server = createServer((request, response) => {
    const { method = '', url: target = '', headers } = request
    const passed = { method, target, headers }
    asked.push(passed)
    pass(passed).then(
      ({ status, headers: fields, body }) => {
        const kept = [...fields].filter(([name]) => !OF_CONNECTION.has(name))
        response.writeHead(status, Object.fromEntries(kept)).end(body)
      },
      () => response.destroy(),
    )
  })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  proxy.origin = `http://127.0.0.1:${port}`
  return proxy
}
