import type { Worker } from 'node:cluster'
import type { Aggregator, Counter, Gauge, Registry } from 'prom-client'
import { ApiError } from '../contract/api-error.ts'
import { TIME_STATES } from '../contract/schemas.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import type { ConnectionCounts } from '../http/connections.ts'
import type { ApiKeys } from '../service/api-keys.ts'
import type { Challenge } from '../service/challenge.ts'
import type { PublishedSigningKey } from '../service/signing-key-document.ts'
import type { TimeQualityMonitor } from '../service/time-quality.ts'
import type { Waitlist } from '../service/waitlist.ts'
import type { StoreHealth } from './store-health.ts'
import { requestStatus } from './worker-channel.ts'

/** Reads metrics in Prometheus' text format. */
export type Metrics = () => Promise<{ readonly contentType: string; readonly text: string }>

/** State of the process that watches for releases and keys: the only process, or the primary of the workers. */
export interface LeaderState {
  readonly head: () => Pick<VersionEntry, 'snapshotId' | 'createdAt'> | undefined
  readonly reloadFailures: () => number
  readonly isReleaseRefused: () => boolean
  readonly signingKeys: () => readonly PublishedSigningKey[]
}

export interface ServingState {
  readonly timeQuality: TimeQualityMonitor
  readonly store: StoreHealth
  readonly connections: () => ConnectionCounts
  /** Whether requests are counted with all nodes, or in this node against its share. */
  readonly limiterMode: () => string
}

export interface ClusterState {
  readonly accepting: () => readonly Worker[]
  readonly crashes: () => number
}

/** A metric that is read when Prometheus asks. A name that ends in `_total` is a counter, any other a gauge. */
interface ReadMetric {
  readonly name: string
  readonly help: string
  /** The label of a metric whose values are a record by the label's value. */
  readonly label?: string
  /** How the values of several workers are combined; default: their sum. */
  readonly aggregator?: Aggregator
  /** Undefined: the metric is absent. */
  readonly read: () => number | { readonly [label: string]: number } | undefined
}

type Client = { readonly Counter: typeof Counter; readonly Gauge: typeof Gauge }

function register(client: Client, registry: Registry, metrics: readonly ReadMetric[]): void {
  for (const { name, help, label, aggregator = 'sum', read } of metrics) {
    const Metric = (name.endsWith('_total') ? client.Counter : client.Gauge) as typeof Gauge
    const labelNames = label === undefined ? [] : [label]
    const metric = new Metric({
      name,
      help,
      labelNames,
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
}

function leaderMetrics(state: LeaderState): readonly ReadMetric[] {
  return [
    {
      name: 'svc_release_info',
      help: 'The served release: 1 for its id.',
      label: 'snapshot_id',
      read() {
        const served = state.head()
        return served === undefined ? {} : { [served.snapshotId]: 1 }
      },
    },
    {
      name: 'svc_release_age_seconds',
      help: 'Seconds since the served release was published.',
      read() {
        const served = state.head()
        return served && (Date.now() - Date.parse(served.createdAt)) / 1000
      },
    },
    {
      name: 'svc_release_reload_failures_total',
      help: 'How often a new release was refused.',
      read: state.reloadFailures,
    },
    {
      name: 'svc_release_refused',
      help: '1 while the newest release is refused and an older one is served.',
      read: () => Number(state.isReleaseRefused()),
    },
    {
      name: 'svc_signing_key_expires_timestamp_seconds',
      help: 'When the current signing key’s period ends, in Unix time; absent without an end or a key.',
      read() {
        const end = state.signingKeys().find(({ status }) => status === 'current')?.notAfter
        return end === null || end === undefined ? undefined : Date.parse(end) / 1000
      },
    },
  ]
}

function servingMetrics(state: ServingState): readonly ReadMetric[] {
  const { timeQuality, store, connections, limiterMode } = state
  return [
    {
      name: 'svc_store_unavailable_seconds',
      help: 'Seconds since the store became unavailable; 0 while it works.',
      aggregator: 'max',
      read: () => store.unavailableForMs() / 1000,
    },
    {
      name: 'svc_connections',
      help: 'Open connections.',
      read: () => connections().open,
    },
    {
      name: 'svc_connections_refused_total',
      help: 'Connections refused because SVC_MAX_CONNECTIONS were open.',
      read: () => connections().refused,
    },
    {
      name: 'svc_connections_stalled_total',
      help: 'Connections reset because the client took no bytes.',
      read: () => connections().stalled,
    },
    {
      name: 'svc_limiter_mode',
      help: 'How rate limits are counted: 1 for the mode in use.',
      label: 'mode',
      aggregator: 'max',
      read: () => ({ [limiterMode()]: 1 }),
    },
    {
      name: 'svc_time_quality_state',
      help: 'The quality of the clock as /api/v1/time reports it: 1 for the current state.',
      label: 'state',
      aggregator: 'first',
      read() {
        const current = timeQuality.quality().state
        return Object.fromEntries(TIME_STATES.map((each) => [each, Number(each === current)]))
      },
    },
    {
      name: 'svc_time_offset_seconds',
      help: 'This clock minus the time source; absent until measured.',
      aggregator: 'first',
      read() {
        const { offsetMs } = timeQuality.quality()
        return offsetMs === null ? undefined : offsetMs / 1000
      },
    },
  ]
}

function clusterMetrics({ crashes, accepting }: ClusterState): readonly ReadMetric[] {
  return [
    {
      name: 'svc_worker_crashes_total',
      help: 'Workers that exited unexpectedly.',
      read: crashes,
    },
    {
      name: 'svc_workers_accepting',
      help: 'Workers that accept requests.',
      read: () => accepting().length,
    },
  ]
}

const DURATION_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

/** Creates the counters of this process. Loads prom-client, which a service without an admin port does not need. */
export async function openProcessMetrics() {
  const client = await import('prom-client')
  const { collectDefaultMetrics, Counter, Histogram, register: registry } = client
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

  /** Counts calls by outcome: that of a success (undefined: not counted), or the code of an ApiError. */
  function countOutcomes(name: string, help: string, otherFailure = 'INTERNAL') {
    const counter = new Counter({ name, help, labelNames: ['outcome'] })
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
  )
  const challenges = countOutcomes(
    'svc_challenges_total',
    'Checked challenge tokens by outcome: ACCEPTED, CHALLENGE_FAILED or UNAVAILABLE.',
    'UNAVAILABLE',
  )
  const keyChecks = countOutcomes(
    'svc_key_checks_total',
    'Checked API keys by outcome: VALID or an error code.',
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
    observe: (state: ServingState): void => register(client, registry, servingMetrics(state)),
    lead: (state: LeaderState): void => register(client, registry, leaderMetrics(state)),
    readJson: (): Promise<readonly object[]> => registry.getMetricsAsJSON(),
    metrics: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

export type ProcessMetrics = Awaited<ReturnType<typeof openProcessMetrics>>

/**
 * The metrics of all accepting workers, added up, and those of the primary. If a worker does not respond, only the
 * latter: a sum without it would look like reset counters.
 */
export async function openClusterMetrics(
  state: ClusterState,
  leader: LeaderState,
): Promise<Metrics> {
  const client = await import('prom-client')
  const own = new client.Registry()
  register(client, own, [...clusterMetrics(state), ...leaderMetrics(leader)])
  return async () => {
    const statuses = await Promise.all(state.accepting().map(requestStatus))
    const figures = statuses.filter((status) => status !== null)
    const isComplete = figures.every((status) => status !== undefined)
    const sum = isComplete
      ? await client.AggregatorRegistry.aggregate(figures.map(({ metrics }) => metrics)).metrics()
      : ''
    return { contentType: own.contentType, text: `${sum}${await own.metrics()}` }
  }
}
