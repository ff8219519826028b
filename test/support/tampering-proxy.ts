import { createServer } from 'node:http'
import { listen } from '../../src/http/connection/listener.ts'
import { passOn, type ProxiedResponse } from './http-proxy.ts'
import { closeServer } from './loopback-server.ts'
import type { TestScope } from './test-scope.ts'

/** What the proxy received. */
export interface PassedRequest {
  readonly method: string
  readonly target: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

/** A proxy before a service. */
export interface TamperingProxy {
  readonly origin: string
  /** Everything that was asked, in order; a test may empty it. */
  readonly asked: PassedRequest[]
  /** Called with every response before it goes on. Nothing is changed until a test sets it. */
  tamper: (response: ProxiedResponse) => void
}

/** Runs a proxy before the service at an origin, until the test ends. */
export async function runTamperingProxy(
  t: TestScope,
  serviceOrigin: string,
): Promise<TamperingProxy> {
  const { port: servicePort } = new URL(serviceOrigin)
  const asked: PassedRequest[] = []
  const proxy = { origin: '', asked, tamper: () => {} } as {
    -readonly [Name in keyof TamperingProxy]: TamperingProxy[Name]
  }
  const server = createServer((request, response) => {
    const { method = '', url: target = '', headers } = request
    asked.push({ method, target, headers })
    const change = (proxied: ProxiedResponse): void => proxy.tamper(proxied)
    // A body that is coded cannot be changed as text.
    passOn(request, response, Number(servicePort), change, {
      headers: { 'accept-encoding': 'identity' },
    })
  })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => closeServer(server))
  proxy.origin = `http://127.0.0.1:${port}`
  return proxy
}
