import type { Counter, Gauge, Registry } from 'prom-client'
import type { PublishedSigningKey } from '../service/signing-key-document.ts'
import type { VersionEntry } from '../contract/version-chain.ts'

/** Metrics of the process that watches for releases and keys: the only one, or the primary of the workers. */
export interface LeaderState {
  readonly head: () => Pick<VersionEntry, 'snapshotId' | 'createdAt'> | undefined
  readonly reloadFailures: () => number
  readonly isReleaseRefused: () => boolean
  readonly signingKeys: () => readonly PublishedSigningKey[]
  readonly nowMs: () => number
}

/** The metrics of the served release and of the signing keys. */
export function registerLeaderMetrics(
  client: { readonly Counter: typeof Counter; readonly Gauge: typeof Gauge },
  registry: Registry,
  { head, reloadFailures, isReleaseRefused, signingKeys, nowMs }: LeaderState,
): void {
  const registers: Registry[] = []
  registry.registerMetric(
    new client.Gauge({
      name: 'svc_release_info',
      help: 'The served release: 1 for its id.',
      labelNames: ['snapshot_id'],
      registers,
      collect() {
        this.reset()
        const served = head()
        if (served !== undefined) this.set({ snapshot_id: served.snapshotId }, 1)
      },
    }),
  )
  registry.registerMetric(
    new client.Gauge({
      name: 'svc_release_age_seconds',
      help: 'Seconds since the served release was published.',
      registers,
      collect() {
        const served = head()
        if (served !== undefined) this.set((nowMs() - Date.parse(served.createdAt)) / 1000)
      },
    }),
  )
  registry.registerMetric(
    new client.Counter({
      name: 'svc_release_reload_failures_total',
      help: 'How often a new release was refused.',
      registers,
      collect() {
        this.reset()
        this.inc(reloadFailures())
      },
    }),
  )
  registry.registerMetric(
    new client.Gauge({
      name: 'svc_release_refused',
      help: '1 while the newest release is refused and an older one is served.',
      registers,
      collect() {
        this.set(isReleaseRefused() ? 1 : 0)
      },
    }),
  )
  registry.registerMetric(
    new client.Gauge({
      name: 'svc_signing_key_expires_timestamp_seconds',
      help: 'When the current signing key’s period ends, in Unix time; absent without an end or a key.',
      registers,
      collect() {
        const end = signingKeys().find(({ status }) => status === 'current')?.notAfter
        if (end === null || end === undefined) this.remove()
        else this.set(Date.parse(end) / 1000)
      },
    }),
  )
}
