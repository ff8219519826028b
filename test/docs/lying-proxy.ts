import type { TestContext } from 'node:test'
import { serve } from '../support/loopback-server.ts'
import { passOn, type PassingAnswer } from '../support/http-proxy.ts'

/** An answer on its way through the proxy, with its body as latin1: a byte a character. */
export interface LatinAnswer extends Omit<PassingAnswer, 'body'> {
  body: string
}

/** What a proxy does to the service's answers. */
export interface Lie {
  /** The target that is asked of the service instead. */
  readonly redirect?: (target: string) => string
  readonly change?: (answer: LatinAnswer) => void
}

/** Starts a proxy before the service on this port, for one test; gives its origin. */
export function openLyingProxy(
  t: TestContext,
  port: number,
  { redirect = (target) => target, change = () => {} }: Lie,
): Promise<string> {
  return serve(t, (request, response) => {
    const tell = (answer: PassingAnswer): void => {
      const told = { ...answer, body: answer.body.toString('latin1') }
      change(told)
      const body = Buffer.from(told.body, 'latin1')
      told.headers.set('content-length', String(body.length))
      // In upper case, as some proxies send them.
      const headers = [...told.headers].map(([name, value]) => [name.toUpperCase(), value] as const)
      Object.assign(answer, { status: told.status, headers: new Map(headers), body })
    }
    passOn(request, response, port, tell, { target: redirect(request.url ?? '') })
  })
}
