import type { KeyObject } from 'node:crypto'
import { Agent, createServer, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { listen } from '../../src/http/connection/listener.ts'
import { createFakeApiKeys } from './fake-api-keys.ts'
import { passOn, type ProxiedResponse } from './http-proxy.ts'
import { closeServer } from './loopback-server.ts'
import { madeHistory } from './made-releases.ts'
import { runApp, testSigning } from './running-app.ts'

/** One request that the service received, and its response. */
export interface SeenRequest {
  readonly method: string
  readonly target: string
  readonly status: number
  /** A request header's value by lower-case name. */
  header(name: string): string | undefined
}

/** A service whose releases can be changed and that can be gone for a while, at one address all the time. */
export interface FrontedService {
  readonly origin: string
  readonly port: number
  /** Every request that was answered, in order. */
  readonly seen: readonly SeenRequest[]
  /** Serves this number of versions from now on, as after a deployment; the status differs in each. */
  publish(versions: number): Promise<void>
  /** Signs with this key from now on, as after a rotation. */
  rotate(signingKey: KeyObject): Promise<void>
  /** While it is true, every connection breaks. */
  isDown: boolean
  /** Resolves once no request has been pending for some milliseconds, including background requests of a cache. */
  quiet(): Promise<void>
}

/** Differences from the default service. */
export interface FrontOptions {
  /** The clock of the service: milliseconds since 1970. */
  readonly nowMs: () => number
  /** Header fields by lower-case name that each response gets, in the place of those that it has; see `dated`. */
  readonly added: (target: string) => { readonly [name: string]: string }
}

/** A cache asks in the background right after it has answered. */
const QUIET_MS = 5

/** The Date of a machine whose clock is the simulated one: node:http would say this machine's. */
export function dated(nowMs: () => number): FrontOptions['added'] {
  return () => ({ date: new Date(nowMs()).toUTCString() })
}

/** Runs the app with two versions and the fake keys, until the test ends. */
export async function runFrontedService(
  t: TestContext,
  { nowMs, added }: FrontOptions,
): Promise<FrontedService> {
  const apiKeys = createFakeApiKeys()
  let newest = 2
  let signing = testSigning()
  const run = () =>
    runApp(t, {
      clock: { nowMs },
      apiKeys,
      releases: madeHistory(newest),
      signing,
    })
  let app = await run()
  const seen: SeenRequest[] = []
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())

  const underWay = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    if (service.isDown) {
      request.socket.destroy()
      return
    }
    const note = ({ method, target, status, headers }: ProxiedResponse): void => {
      for (const [name, value] of Object.entries(added(target))) headers.set(name, value)
      const header = (name: string) => request.headersDistinct[name]?.join(', ')
      seen.push({ method, target, status, header })
    }
    passOn(request, response, app.port, note, { agent })
  })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => closeServer(server))
  const service: FrontedService = {
    origin: `http://127.0.0.1:${port}`,
    port,
    seen,
    async publish(versions) {
      newest = versions
      app = await run()
    },
    async rotate(signingKey) {
      signing = testSigning(signingKey)
      app = await run()
    },
    isDown: false,
    async quiet() {
      do await setTimeout(QUIET_MS)
      while (underWay.size > 0)
    },
  }
  return service
}
