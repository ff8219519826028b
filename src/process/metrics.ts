import { ApiError } from '@public-api/contract/errors/api-error'
import { ERRORS } from '@public-api/contract/errors/errors'
import { TIME_STATES } from '@public-api/contract/registry/schemas'
import type { Aggregator, Gauge } from 'prom-client'
import type { Connections } from '../http/connection/connections.ts'
import type { ApiKeys } from '../service/api-keys/api-keys.ts'
import type { Challenge } from '../service/challenge/challenge.ts'
import type { TimeQualityMonitor } from '../service/time/time-quality.ts'
import type { Waitlist } from '../service/waitlist/waitlist.ts'
import type { StoreHealth } from './store-health.ts'

/** Metrics that are read when Prometheus asks. A name that ends in `_total` is a counter, any other a gauge. */
interface MetricTable {
  readonly [name: string]: {
    readonly help: string
    /** The label of a metric whose values are a record by the label's value. */
    readonly label?: string
    /** How the values of several workers are combined; default: their sum. */
    readonly aggregator?: Aggregator
    /** Undefined: the metric is absent. */
    readonly read: () => number | { readonly [label: string]: number } | undefined
  }
}

/** What `getMetricsAsJSON` of prom-client returns in one process. */
export type MetricFigures = readonly object[]

/** Opens the metrics of this process. Loads prom-client, which a service without an admin port does not need. */
export async function openMetrics() {
  const client = await import('prom-client')
  const { register: registry } = client
  let readWorkers = async (): Promise<readonly MetricFigures[] | undefined> => undefined
  return {
    contentType: registry.contentType,
    readFigures: (): Promise<MetricFigures> => registry.getMetricsAsJSON(),
    /** Adds the sum of the workers' figures, in text only. Without one of them it would look like reset counters. */
    addWorkers(read: () => Promise<readonly MetricFigures[] | undefined>): void {
      readWorkers = read
    },
    async readText(): Promise<string> {
      const figures = await readWorkers()
      const sum = figures && (await client.AggregatorRegistry.aggregate([...figures]).metrics())
      return `${sum ?? ''}${await registry.metrics()}`
    },
    add(table: MetricTable): void {
      for (const [name, { help, label, aggregator = 'sum', read }] of Object.entries(table)) {
        const Metric = (name.endsWith('_total') ? client.Counter : client.Gauge) as typeof Gauge
        const metric = new Metric({
          name,
          help,
          labelNames: label === undefined ? [] : [label],
          aggregator,
          registers: [],
          collect() {
            this.reset()
            const found = read()
            if (found === undefined) this.remove()
            else if (typeof found === 'number') this.inc(found)
            else {
              for (const [value, count] of Object.entries(found)) {
                this.inc({ [label ?? '']: value }, count)
              }
            }
          },
        })
        registry.registerMetric(metric)
      }
    },
  }
}

export type Metrics = Awaited<ReturnType<typeof openMetrics>>

const DURATION_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

/** Statuses of responses that exist from the start, for alerts on the first failure. */
const KNOWN_STATUSES = [
  ...new Set([200, 304, ...Object.values(ERRORS).map(({ status }) => status)]),
]

/** Counts and times what a serving process does, in the metrics of this process. */
export async function countTraffic() {
  const { collectDefaultMetrics, Counter, Histogram } = await import('prom-client')
  collectDefaultMetrics()
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Responses by method and status.',
    labelNames: ['method', 'status'],
  })
  const duration = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from a request’s headers to the end of its response.',
    buckets: DURATION_BUCKETS,
  })
  const storeDuration = new Histogram({
    name: 'svc_store_call_duration_seconds',
    help: 'Duration of calls to the store by call and result.',
    labelNames: ['call', 'result'],
    buckets: DURATION_BUCKETS,
  })

  for (const method of ['GET', 'POST']) {
    for (const status of KNOWN_STATUSES) requests.inc({ method, status }, 0)
  }

  /**
   * Counts calls by outcome: that of a success (undefined: not counted), or the code of an ApiError. The known ones start at
   * 0: of a counter that begins with its first event, Prometheus sees no increase.
   */
  function countOutcomes(
    name: string,
    help: string,
    known: readonly string[],
    otherFailure = 'INTERNAL',
  ) {
    const counter = new Counter({ name, help, labelNames: ['outcome'] })
    for (const outcome of [...known, otherFailure]) counter.inc({ outcome }, 0)
    return async <Value>(
      call: Promise<Value>,
      outcomeOf: (value: Value) => string | undefined,
    ): Promise<Value> => {
      try {
        const value = await call
        const outcome = outcomeOf(value)
        if (outcome !== undefined) counter.inc({ outcome })
        return value
      } catch (error) {
        counter.inc({ outcome: error instanceof ApiError ? error.code : otherFailure })
        throw error
      }
    }
  }
  const registrations = countOutcomes(
    'svc_registrations_total',
    'Registrations with valid fields by outcome: WAITING, DUPLICATE or an error code; RATE_LIMITED before any check.',
    ['WAITING', 'DUPLICATE', 'CHALLENGE_FAILED', 'RATE_LIMITED', 'REGISTRATION_UNAVAILABLE'],
  )
  const challenges = countOutcomes(
    'svc_challenges_total',
    'Checked challenge tokens by outcome: ACCEPTED, CHALLENGE_FAILED or UNAVAILABLE.',
    ['ACCEPTED', 'CHALLENGE_FAILED'],
    'UNAVAILABLE',
  )
  const keyChecks = countOutcomes(
    'svc_key_checks_total',
    'Checked API keys by outcome: VALID or an error code.',
    ['VALID', 'KEY_INVALID', 'KEY_EXPIRED', 'KEY_RATE_LIMITED', 'KEYS_UNAVAILABLE'],
  )

  return {
    onResponse(method: string | undefined, status: number, seconds: number | undefined): void {
      requests.inc({ method: method ?? 'unknown', status })
      if (seconds !== undefined) duration.observe(seconds)
    },
    onStoreCall(call: string, seconds: number, isSuccess: boolean): void {
      storeDuration.observe({ call, result: isSuccess ? 'ok' : 'failed' }, seconds)
    },
    // Each of the next three wraps a service and counts its outcomes.
    waitlist: (waitlist: Waitlist): Waitlist => ({
      ...waitlist,
      admit: (address) => registrations(waitlist.admit(address), () => undefined),
      register: (registration) =>
        registrations(waitlist.register(registration), ({ status }) => status),
    }),
    challenge: (challenge: Challenge): Challenge => ({
      ...challenge,
      verify: (token, purpose) => challenges(challenge.verify(token, purpose), () => 'ACCEPTED'),
    }),
    apiKeys: (apiKeys: ApiKeys): ApiKeys => ({
      ...apiKeys,
      check: (presented) => keyChecks(apiKeys.check(presented), () => 'VALID'),
    }),
  }
}

/** The metrics of a serving process, except what it counts. */
export function servingMetrics({
  timeQuality,
  store,
  connections,
}: {
  readonly timeQuality: TimeQualityMonitor
  readonly store: StoreHealth
  readonly connections: Connections['counts']
}): MetricTable {
  return {
    svc_store_unavailable_seconds: {
      help: 'Seconds since the store became unavailable; 0 while it works.',
      aggregator: 'max',
      read: () => store.unavailableForMs() / 1000,
    },
    svc_connections: {
      help: 'Open connections.',
      read: () => connections().open,
    },
    svc_connections_refused_total: {
      help: 'Connections refused because SVC_MAX_CONNECTIONS, or the share of a network, were open and none was idle.',
      read: () => connections().refused,
    },
    svc_connections_displaced_total: {
      help: 'Idle connections closed to make room for new ones.',
      read: () => connections().displaced,
    },
    svc_connections_stalled_total: {
      help: 'Connections reset because the client took too few bytes, or because too much was unsent.',
      read: () => connections().stalled,
    },
    svc_time_quality_state: {
      help: 'The quality of the clock as /api/v1/time reports it: 1 for the current state.',
      label: 'state',
      aggregator: 'first',
      read() {
        const current = timeQuality.quality().state
        return Object.fromEntries(TIME_STATES.map((each) => [each, Number(each === current)]))
      },
    },
    svc_time_offset_seconds: {
      help: 'This clock minus the time source; absent until measured.',
      aggregator: 'first',
      read() {
        const { offsetMs } = timeQuality.quality()
        return offsetMs === null ? undefined : offsetMs / 1000
      },
    },
  }
}
