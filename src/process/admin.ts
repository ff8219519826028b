import { createServer, type ServerResponse } from 'node:http'
import { listen } from '../http/listener.ts'
import type { Metrics } from './metrics.ts'
import type { Log } from '../service/log.ts'

/** What the admin listener tells of. */
export interface AdminOptions {
  readonly port: number
  readonly log: Log
  /** Whether the service takes requests now. */
  readonly isReady: () => boolean
  readonly metrics: Metrics
}

/** Health, readiness and metrics, on loopback only: none of it is part of the public contract. */
export interface AdminListener {
  readonly port: number
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' })
  response.end(text)
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(value))
}

/** Opens the admin listener: /healthz (the process lives), /readyz (it takes requests), /metrics. */
export async function openAdmin({
  port,
  log,
  isReady,
  metrics,
}: AdminOptions): Promise<AdminListener> {
  const pages = new Map<string, (response: ServerResponse) => void>([
    ['/healthz', (response) => sendJson(response, 200, { status: 'alive' })],
    [
      '/readyz',
      (response) => {
        if (isReady()) sendJson(response, 200, { status: 'ready' })
        else sendJson(response, 503, { status: 'not ready' })
      },
    ],
    [
      '/metrics',
      (response) => {
        metrics().then(
          ({ contentType, text }) => send(response, 200, contentType, text),
          (error: unknown) => sendJson(response, 500, { status: 'failed', reason: String(error) }),
        )
      },
    ],
  ])
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (page === undefined)
      sendJson(response, 404, { status: 'not found', paths: [...pages.keys()] })
    else page(response)
  })
  const taken = await listen(server, port, LOOPBACK)
  server.on('error', (error) => {
    log.error({ err: error }, 'The admin listener failed to take up a connection')
  })
  return {
    port: taken,
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeAllConnections()
      await closed
    },
  }
}
