import cluster from 'node:cluster'
import type { AnswerObserver } from '../http/listener.ts'
import { answerFigures, askFigures } from './worker-metrics.ts'
import type { Workers } from './workers.ts'

/** Reads metrics in Prometheus' text format. */
export type Metrics = () => Promise<{ readonly contentType: string; readonly text: string }>

/** The metrics of one serving process. */
export interface ProcessMetrics {
  readonly observe: AnswerObserver
  readonly metrics: Metrics
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
  if (cluster.isWorker) answerFigures(() => register.getMetricsAsJSON())
  return {
    observe(method, status, seconds) {
      requests.inc({ method: method ?? 'unknown', status })
      if (seconds !== undefined) duration.observe(seconds)
    },
    metrics: async () => ({ contentType: register.contentType, text: await register.metrics() }),
  }
}

/**
 * The figures of all workers that take requests, added up, and what their process knows of them. When one of them does
 * not answer, only the latter: a sum that leaves one out would look like counters that were set back.
 */
export async function openWorkerMetrics({
  accepting,
  deaths,
}: Pick<Workers, 'accepting' | 'deaths'>): Promise<Metrics> {
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
