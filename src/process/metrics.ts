import type { Worker } from 'node:cluster'
import { ApiError } from '../contract/api-error.ts'
import type { ConnectionCounts, ResponseObserver } from '../http/listener.ts'
import type { ApiKeys } from '../service/api-keys.ts'
import type { Challenge } from '../service/challenge.ts'
import type { TimeQualityMonitor } from '../service/time-quality.ts'
import type { Waitlist } from '../service/waitlist.ts'
import type { LeaderState } from './leader-metrics.ts'
import { registerLeaderMetrics } from './leader-metrics.ts'
import type { ProcessStatus } from './process-status.ts'
import type { StoreHealth, StoreObserver } from './store-health.ts'

/** Reads metrics in Prometheus' text format. */
export type Metrics = () => Promise<{ readonly contentType: string; readonly text: string }>

/** Counts the requests and calls of a service, by result. The returned service behaves like the original. */
export interface OutcomeCounters {
  readonly waitlist: (waitlist: Waitlist) => Waitlist
  readonly challenge: (challenge: Challenge) => Challenge
  readonly apiKeys: (apiKeys: ApiKeys) => ApiKeys
}

/** Sources of the metrics of one serving process. */
export interface ServingState {
  readonly timeQuality: TimeQualityMonitor
  readonly store: StoreHealth
  readonly connections: () => ConnectionCounts | undefined
  /** How requests are counted against limits: by all nodes, or by this node at its share. */
  readonly limiterMode: () => string
}

/** The metrics of one serving process. */
export interface ProcessMetrics extends OutcomeCounters {
  readonly onResponse: ResponseObserver
  readonly onStoreCall: StoreObserver
  /** Adds the gauges that are read from running parts. */
  readonly observe: (state: ServingState) => void
  /** Adds what only the leading process knows. */
  readonly lead: (state: LeaderState) => void
  readonly readJson: () => Promise<readonly object[]>
  readonly metrics: Metrics
}

/** The contract's code of a failure. */
function codeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : 'INTERNAL'
}

const DURATION_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]
const TIME_STATES = ['SYNCHRONIZED', 'UNSYNCHRONIZED', 'UNVERIFIED'] as const

/** Counts what this process does. Loads prom-client, which a service without an admin port does not need. */
export async function openProcessMetrics(): Promise<ProcessMetrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, register } = await import('prom-client')
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
  const outcomes = (name: string, help: string) => {
    const counter = new Counter({ name, help, labelNames: ['outcome'] })
    return (outcome: string) => counter.inc({ outcome })
  }
  const countRegistration = outcomes(
    'svc_registrations_total',
    'Registrations with valid fields by outcome: WAITING, DUPLICATE or an error code; RATE_LIMITED before any check.',
  )
  const countChallenge = outcomes(
    'svc_challenges_total',
    'Checked challenge tokens by outcome: ACCEPTED, CHALLENGE_FAILED or UNAVAILABLE.',
  )
  const countKeyCheck = outcomes(
    'svc_key_checks_total',
    'Checked API keys by outcome: VALID or an error code.',
  )
  const storeDuration = new Histogram({
    name: 'svc_store_call_duration_seconds',
    help: 'Duration of calls to the store by call and result.',
    labelNames: ['call', 'result'],
    buckets: DURATION_BUCKETS,
  })

  return {
    onResponse(method, status, seconds) {
      requests.inc({ method: method ?? 'unknown', status })
      if (seconds !== undefined) duration.observe(seconds)
    },
    onStoreCall(call, seconds, isSuccess) {
      storeDuration.observe({ call, result: isSuccess ? 'ok' : 'failed' }, seconds)
    },
    waitlist: (waitlist) => ({
      isOpen: () => waitlist.isOpen(),
      async admit(address) {
        try {
          await waitlist.admit(address)
        } catch (error) {
          countRegistration(codeOf(error))
          throw error
        }
      },
      async register(registration) {
        try {
          const result = await waitlist.register(registration)
          countRegistration(result.status)
          return result
        } catch (error) {
          countRegistration(codeOf(error))
          throw error
        }
      },
    }),
    challenge: (challenge) => ({
      description: challenge.description,
      issue: challenge.issue,
      async verify(token, purpose) {
        try {
          const accepted = await challenge.verify(token, purpose)
          countChallenge('ACCEPTED')
          return accepted
        } catch (error) {
          countChallenge(error instanceof ApiError ? error.code : 'UNAVAILABLE')
          throw error
        }
      },
    }),
    apiKeys: (apiKeys) => ({
      async check(presented) {
        try {
          const checked = await apiKeys.check(presented)
          countKeyCheck('VALID')
          return checked
        } catch (error) {
          countKeyCheck(codeOf(error))
          throw error
        }
      },
      revoke: (keyId) => apiKeys.revoke(keyId),
      issue: (request) => apiKeys.issue(request),
    }),
    observe({ timeQuality, store, limiterMode, connections }) {
      register.registerMetric(
        new Gauge({
          registers: [],
          name: 'svc_store_unavailable_seconds',
          help: 'Seconds since the store became unavailable; 0 while it works.',
          aggregator: 'max',
          collect() {
            this.set(store.unavailableForMs() / 1000)
          },
        }),
      )
      register.registerMetric(
        new Gauge({
          registers: [],
          name: 'svc_connections',
          help: 'Open connections.',
          collect() {
            this.set(connections()?.open ?? 0)
          },
        }),
      )
      const countOf = (name: string, help: string, count: keyof ConnectionCounts) =>
        register.registerMetric(
          new Counter({
            registers: [],
            name,
            help,
            collect() {
              this.reset()
              this.inc(connections()?.[count] ?? 0)
            },
          }),
        )
      countOf(
        'svc_connections_refused_total',
        'Connections refused because SVC_MAX_CONNECTIONS were open.',
        'refused',
      )
      countOf(
        'svc_connections_stalled_total',
        'Connections reset because the client took no bytes.',
        'stalled',
      )
      register.registerMetric(
        new Gauge({
          registers: [],
          name: 'svc_limiter_mode',
          help: 'How rate limits are counted: 1 for the mode in use.',
          labelNames: ['mode'],
          aggregator: 'max',
          collect() {
            this.reset()
            this.set({ mode: limiterMode() }, 1)
          },
        }),
      )
      register.registerMetric(
        new Gauge({
          registers: [],
          name: 'svc_time_quality_state',
          help: 'The quality of the clock as /api/v1/time reports it: 1 for the current state.',
          labelNames: ['state'],
          aggregator: 'first',
          collect() {
            const current = timeQuality.quality().state
            for (const state of TIME_STATES) this.set({ state }, state === current ? 1 : 0)
          },
        }),
      )
      register.registerMetric(
        new Gauge({
          registers: [],
          name: 'svc_time_offset_seconds',
          help: 'This clock minus the time source; absent until measured.',
          aggregator: 'first',
          collect() {
            const { offsetMs } = timeQuality.quality()
            if (offsetMs === null) this.remove()
            else this.set(offsetMs / 1000)
          },
        }),
      )
    },
    lead: (state) => registerLeaderMetrics({ Counter, Gauge }, register, state),
    readJson: () => register.getMetricsAsJSON(),
    metrics: async () => ({ contentType: register.contentType, text: await register.metrics() }),
  }
}

/** The primary's data about its workers. */
export interface ClusterState {
  readonly accepting: () => readonly Worker[]
  readonly crashes: () => number
  readonly requestStatus: (worker: Worker) => Promise<ProcessStatus | null | undefined>
}

/**
 * The metrics of all accepting workers, added up, and those of the primary. If a worker does not respond, only the
 * latter: a sum without it would look like reset counters.
 */
export async function openClusterMetrics(
  { accepting, crashes, requestStatus }: ClusterState,
  leader: LeaderState,
): Promise<Metrics> {
  const { AggregatorRegistry, Counter, Gauge, Registry } = await import('prom-client')
  const own = new Registry()
  const registers: (typeof own)[] = []
  own.registerMetric(
    new Counter({
      name: 'svc_worker_crashes_total',
      help: 'Workers that exited unexpectedly.',
      registers,
      collect() {
        this.reset()
        this.inc(crashes())
      },
    }),
  )
  own.registerMetric(
    new Gauge({
      name: 'svc_workers_accepting',
      help: 'Workers that accept requests.',
      registers,
      collect() {
        this.set(accepting().length)
      },
    }),
  )
  registerLeaderMetrics({ Counter, Gauge }, own, leader)
  return async () => {
    const statuses = await Promise.all(accepting().map(requestStatus))
    const figures = statuses.filter((status) => status !== null)
    const isComplete = figures.every((status) => status !== undefined)
    const sum = isComplete
      ? await AggregatorRegistry.aggregate(
          figures.flatMap((status) => (status === undefined ? [] : [status.metrics])),
        ).metrics()
      : ''
    return { contentType: own.contentType, text: `${sum}${await own.metrics()}` }
  }
}
