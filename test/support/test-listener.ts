import type { Server } from 'node:http'
import type { TestContext } from 'node:test'
import type { App } from '../../src/http/api-request.ts'
import { createListener, listen, stopListening } from '../../src/http/connection/listener.ts'
import { eventually } from './eventually.ts'

/** A log without output. */
export const QUIET_LOG = { debug() {}, info() {}, warn() {}, error() {} }

/** The first line of a request for the status. */
export const GET_STATUS = 'GET /api/v1/status HTTP/1.1\r\n'

/** An app that responds with the target once the test releases the response. */
export function waitingApp() {
  const waiting = new Map<string, () => void>()
  const app: App = ({ target }) =>
    new Promise((resolve) => {
      waiting.set(target, () => {
        resolve({ status: 200, headers: ['Content-Length', `${target.length}`], body: target })
      })
    })
  const came = (target: string) =>
    eventually(`${target} came`, () => (waiting.has(target) ? true : undefined))
  const release = (target: string) => waiting.get(target)?.()
  return {
    app,
    came,
    release,
    isWaiting: (target: string) => waiting.has(target),
    /** Releases responses one after the other, each once its request came. */
    async releaseInTurn(...targets: readonly string[]) {
      for (const target of targets) {
        await came(target)
        release(target)
      }
    },
  }
}

/**
 * A server without timeouts of requests: it shares the process of the test, and where that process gets no processor for
 * 15 seconds, requests that wait in their sockets would be too late.
 */
export function untimed<Listening extends Server>(server: Listening): Listening {
  return Object.assign(server, { headersTimeout: 0, requestTimeout: 0 })
}

/** A test listener, with its log. */
export async function openListener(t: TestContext, app: App) {
  const errors: string[] = []
  const log = {
    ...QUIET_LOG,
    error: (_fields: object, message: string) => void errors.push(message),
  }
  const server = untimed(createListener(app, { noIndex: false, log }))
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  return { server, port, errors }
}

/** A whole request for a target. */
export function get(target: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`
}
