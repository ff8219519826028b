import cluster from 'node:cluster'
import { createServer, type ServerResponse } from 'node:http'
import { listen, type AnswerObserver } from './http/listener.ts'

/** What the admin listener tells of. */
export interface AdminOptions {
  readonly port: number
  /** Whether the service takes requests now. */
  readonly isReady: () => boolean
  /** The metrics in Prometheus' text format. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
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
export async function openAdmin({ port, isReady, metrics }: AdminOptions): Promise<AdminListener> {
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
  return {
    port: taken,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

/** Counts answers in this process. prom-client is loaded only where metrics are asked for. */
export async function openMetrics(): Promise<{
  observe: AnswerObserver
  metrics: AdminOptions['metrics']
}> {
  const { AggregatorRegistry, collectDefaultMetrics, Counter, Histogram, register } =
    await import('prom-client')
  collectDefaultMetrics()
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Answers by method and status.',
    labelNames: ['method', 'status'],
  })
  const duration = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from a request’s headers to the end of its answer.',
    buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  })
  // In the primary it asks every worker for its figures and adds them up; in a worker it answers that question.
  const everyWorker = new AggregatorRegistry()
  return {
    observe(method, status, seconds) {
      requests.inc({ method, status })
      duration.observe(seconds)
    },
    async metrics() {
      const hasWorkers = Object.keys(cluster.workers ?? {}).length > 0
      const text = await (hasWorkers ? everyWorker.clusterMetrics() : register.metrics())
      return { contentType: register.contentType, text }
    },
  }
}
