import type { IncomingMessage } from 'node:http'
import { listen } from '../http/connection/listener.ts'
import { nodeHttp } from '../http/connection/node-http.ts'
import { refuseForeign } from '../http/private-port.ts'
import type { Log } from '../service/logger.ts'
import { openMetrics } from './metrics.ts'
import type { RefusedRelease } from './read-update.ts'
import type { NotReadyReason } from './store-health.ts'

/** Whether the deployment should get requests. */
export interface Readiness {
  /** Why it should not. Ready if empty. */
  readonly reasons: readonly NotReadyReason[]
  /** The served release; undefined before the first one is loaded. */
  readonly release?: {
    readonly snapshotId: string
    readonly refused?: RefusedRelease | undefined
    /** Why the releases folder could not be read at the last look, so that it is unknown if there is a new version. */
    readonly unread?: string | undefined
    /** Why the served versions could not be loaded again from the releases folder. */
    readonly damage?: string | undefined
    /** Why the transparency log cannot be used. */
    readonly logFault?: string | undefined
    /** That a later program or a clock that is ahead published it. It is served. */
    readonly notices?: readonly string[]
  }
}

const LOOPBACK = '127.0.0.1'

function jsonPage(status: number, value: object) {
  return { status, type: 'application/json; charset=utf-8', text: JSON.stringify(value) }
}

/** Opens the admin listener on loopback: /healthz (the process runs), /readyz (it should get requests), /metrics. */
export async function openAdmin(port: number, log: Log, readiness: () => Promise<Readiness>) {
  const metrics = await openMetrics()

  async function readPage(url: string) {
    switch (url) {
      case '/healthz':
        return jsonPage(200, { status: 'alive' })
      case '/readyz': {
        const { reasons, release } = await readiness()
        const isReady = reasons.length === 0
        const status = isReady ? 'ready' : 'not ready'
        return jsonPage(isReady ? 200 : 503, { status, reasons, release })
      }
      case '/metrics':
        return { status: 200, type: metrics.contentType, text: await metrics.readText() }
      default:
        return jsonPage(404, { status: 'not found', paths: ['/healthz', '/readyz', '/metrics'] })
    }
  }

  async function respond({ url = '', headersDistinct }: IncomingMessage) {
    const refusal = refuseForeign((name) => headersDistinct[name]?.join(', '))
    if (refusal === undefined) return readPage(url)
    return jsonPage(refusal.status, { status: 'refused', reason: refusal.reason })
  }

  const server = nodeHttp.createServer((request, response) => {
    const { url } = request
    void respond(request)
      .catch((error: unknown) => {
        log.error({ err: error, path: url }, 'An admin request failed')
        return jsonPage(500, { status: 'failed', reason: String(error) })
      })
      .then(({ status, type, text }) =>
        response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text),
      )
  })
  const listeningPort = await listen(server, port, LOOPBACK)
  server.on('error', (error) => {
    log.error({ err: error }, 'The admin listener failed to accept a connection')
  })
  log.info({ port: listeningPort }, 'Health and metrics on loopback')
  return {
    metrics,
    async close(): Promise<void> {
      const closed = server[Symbol.asyncDispose]()
      server.closeAllConnections()
      await closed
    },
  }
}
