import type { TestContext } from 'node:test'
import { passOn, type ProxiedResponse } from '../support/http-proxy.ts'
import { serve } from '../support/loopback-server.ts'

/** A response on its way through the proxy, with its body as latin1: a byte a character. */
export interface Latin1Response extends Omit<ProxiedResponse, 'body'> {
  body: string
}

/** What a proxy does to the service's responses. */
export interface Lie {
  /** The target that is asked of the service instead. */
  readonly redirect?: (target: string) => string
  readonly change?: (response: Latin1Response) => void
}

/** Starts a proxy before the service on this port, for one test; gives its origin. */
export function openLyingProxy(
  t: TestContext,
  port: number,
  { redirect = (target) => target, change = () => {} }: Lie,
): Promise<string> {
  return serve(t, (request, response) => {
    const applyChange = (proxied: ProxiedResponse): void => {
      const changed = { ...proxied, body: proxied.body.toString('latin1') }
      change(changed)
      const body = Buffer.from(changed.body, 'latin1')
      changed.headers.set('content-length', String(body.length))
      // In upper case, as some proxies send them.
      const headers = [...changed.headers].map(
        ([name, value]) => [name.toUpperCase(), value] as const,
      )
      Object.assign(proxied, { status: changed.status, headers: new Map(headers), body })
    }
    passOn(request, response, port, applyChange, { target: redirect(request.url ?? '') })
  })
}
