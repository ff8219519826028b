import cluster, { type Worker } from 'node:cluster'
import { createServer, type ServerResponse } from 'node:http'
import { listen, type AnswerObserver } from './http/listener.ts'
import type { Log } from './service/log.ts'
import type { Workers } from './workers.ts'

/** What the admin listener tells of. */
export interface AdminOptions {
  readonly port: number
  readonly log: Log
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

/** The metrics of one serving process. */
export interface ProcessMetrics {
  readonly observe: AnswerObserver
  readonly metrics: AdminOptions['metrics']
}

/** Asks a worker for its figures; the worker's answer carries the same number. */
interface Question {
  readonly figuresAsked: number
}
interface Figures {
  readonly figuresAsked: number
  readonly figures: readonly object[]
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'figuresAsked' in message
}

function isFigures(message: unknown): message is Figures {
  return isQuestion(message) && 'figures' in message && Array.isArray(message.figures)
}

/** Counts answers in this process; a worker tells its figures when asked. prom-client is loaded only where metrics are asked for. */
export async function openMetrics(): Promise<ProcessMetrics> {
  const { collectDefaultMetrics, Counter, Histogram, register } = await import('prom-client')
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
  if (cluster.isWorker) {
    process.on('message', (message: unknown) => {
      if (!isQuestion(message)) return
      const { figuresAsked } = message
      void register.getMetricsAsJSON().then((figures) => process.send?.({ figuresAsked, figures }))
    })
  }
  return {
    observe(method, status, seconds) {
      requests.inc({ method: method ?? 'unknown', status })
      if (seconds !== undefined) duration.observe(seconds)
    },
    metrics: async () => ({ contentType: register.contentType, text: await register.metrics() }),
  }
}

/** A worker that takes longer to tell its figures does not get to its messages. */
const FIGURES_TIMEOUT_MS = 1000

/** A worker's figures: none when it ended meanwhile, undefined when it did not answer in time. */
function askFigures(worker: Worker, figuresAsked: number): Promise<readonly object[] | undefined> {
  return new Promise((resolve) => {
    function settle(figures: readonly object[] | undefined): void {
      clearTimeout(late)
      worker.off('message', hear)
      worker.off('exit', leave)
      resolve(figures)
    }
    function hear(message: unknown): void {
      if (isFigures(message) && message.figuresAsked === figuresAsked) settle(message.figures)
    }
    const leave = () => settle([])
    const late = setTimeout(() => settle(undefined), FIGURES_TIMEOUT_MS)
    worker.on('message', hear)
    worker.once('exit', leave)
    worker.send({ figuresAsked } satisfies Question, (error) => {
      if (error !== null) leave()
    })
  })
}

/**
 * The figures of all workers that take requests, added up, and what their process knows of them. When one of them does
 * not answer, only the latter: a sum that leaves one out would look like counters that were set back.
 */
export async function openWorkerMetrics({
  accepting,
  deaths,
}: Pick<Workers, 'accepting' | 'deaths'>): Promise<AdminOptions['metrics']> {
  const { AggregatorRegistry, Counter, Gauge, Registry } = await import('prom-client')
  const own = new Registry()
  const registers = [own]
  const died = new Counter({
    name: 'svc_worker_deaths_total',
    help: 'Workers that ended without being asked to.',
    registers,
  })
  const serving = new Gauge({
    name: 'svc_workers_accepting',
    help: 'Workers that take requests.',
    registers,
  })
  let asked = 0
  return async () => {
    asked += 1
    const workers = accepting()
    const answers = await Promise.all(workers.map((worker) => askFigures(worker, asked)))
    const figures = answers.filter((answer) => answer !== undefined)
    const sum =
      figures.length < answers.length ? '' : await AggregatorRegistry.aggregate(figures).metrics()
    died.reset()
    died.inc(deaths())
    serving.set(workers.length)
    return { contentType: own.contentType, text: `${sum}${await own.metrics()}` }
  }
}
