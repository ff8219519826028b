import { createServer, type ServerResponse } from 'node:http'
import { listen } from '../http/listener.ts'
import type { Log } from '../service/log.ts'
import { openMetrics } from './metrics.ts'
import type { RefusedRelease } from './release-watcher.ts'
import type { NotReadyReason } from './store-health.ts'

/** Whether the deployment should get requests. */
export interface Readiness {
  /** Why it should not. Ready if empty. */
  readonly reasons: readonly NotReadyReason[]
  /** The served release; undefined before the first one is loaded. */
  readonly release?: { readonly snapshotId: string; readonly refused?: RefusedRelease | undefined }
}

const LOOPBACK = '127.0.0.1'

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' })
  response.end(text)
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(value))
}

/** Opens the admin listener on loopback: /healthz (the process runs), /readyz (it should get requests), /metrics. */
export async function openAdmin(port: number, log: Log, readiness: () => Promise<Readiness>) {
  const metrics = await openMetrics()
  const pages = new Map<string, (response: ServerResponse) => void | Promise<void>>([
    ['/healthz', (response) => sendJson(response, 200, { status: 'alive' })],
    [
      '/readyz',
      async (response) => {
        const { reasons, release } = await readiness()
        const isReady = reasons.length === 0
        const status = isReady ? 'ready' : 'not ready'
        sendJson(response, isReady ? 200 : 503, { status, reasons, release })
      },
    ],
    [
      '/metrics',
      async (response) => send(response, 200, metrics.contentType, await metrics.readText()),
    ],
  ])
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (page === undefined) {
      sendJson(response, 404, { status: 'not found', paths: [...pages.keys()] })
      return
    }
    const respond = async () => page(response)
    respond().catch((error: unknown) => {
      log.error({ err: error, path: request.url }, 'An admin request failed')
      sendJson(response, 500, { status: 'failed', reason: String(error) })
    })
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
