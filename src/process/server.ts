import { randomBytes } from 'node:crypto'
import { noticesOf } from '@public-api/contract/registry/release-notices'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import { createAppComposer, type Published, type Signing } from '../app.ts'
import { originOf, type Config } from '../config.ts'
import { createEncryptor } from '../crypto/age-file.ts'
import { createKeyedHash } from '../crypto/keyed-hash.ts'
import { openResponseSigner } from '../crypto/response-signer.ts'
import type { App } from '../http/api-request.ts'
import { createListener, listen, stopListening } from '../http/connection/listener.ts'
import type { Secrets } from '../secrets.ts'
import { createApiKeys } from '../service/api-keys/api-keys.ts'
import { createChallenge } from '../service/challenge/create-challenge.ts'
import { SYSTEM_CLOCK } from '../service/clock.ts'
import type { Log } from '../service/logger.ts'
import type {
  ReleaseUpdate,
  ResourceFault,
  ServedReleases,
} from '../service/releases/read-releases.ts'
import type { ServableReleases } from '../service/releases/releases.ts'
import { SntpError } from '../service/time/sntp.ts'
import {
  UNVERIFIED_TIME,
  openTimeQuality,
  type TimeQualityMonitor,
} from '../service/time/time-quality.ts'
import { admitRegistration } from '../service/waitlist/rate-limits.ts'
import { ADDRESS_HASH_LABEL } from '../service/waitlist/waitlist-entry.ts'
import { createWaitlist } from '../service/waitlist/waitlist.ts'
import type { Counters } from '../storage/counters/counters.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { PublishedTlog } from '../tlog/served-tlog.ts'
import { countTraffic, servingMetrics, type Metrics } from './metrics.ts'
import { type NotReadyReason, observeStorage } from './store-health.ts'

/** What serves requests: this process, or workers. */
export interface Serving {
  readonly port: number
  /** Resolves when the pages are imported, which requests for them wait for. Rejects if the installation is broken. */
  readonly pagesOpen: Promise<void>
  /** The releases that are served now. */
  readonly served: () => ServedReleases
  /** Their transparency log; undefined without one. */
  readonly tlog: () => PublishedTlog | undefined
  /** Serves an update from the next request on. Throws, and changes nothing, if it does not follow the served releases. */
  readonly applyUpdate: (update: ReleaseUpdate) => void
  /** Signs and publishes with these keys from the next request on. */
  readonly applySigning: (secrets: SigningSecrets) => Promise<void>
  /** Why it should not get requests; none if it is ready. */
  readonly reasons: () => Promise<readonly NotReadyReason[]>
  /** Stops accepting connections, completes requests in flight and closes all resources. */
  readonly close: () => Promise<void>
}

export type SigningSecrets = Pick<Secrets, 'signingKey' | 'publishedKeys'>

function openTime({ ntpServer }: Config, log: Log): TimeQualityMonitor {
  if (ntpServer === undefined) return UNVERIFIED_TIME
  return openTimeQuality({
    server: ntpServer,
    nowMs: () => SYSTEM_CLOCK.nowMs(),
    monotonicMs: () => performance.now(),
    onMeasured: (quality) => log.debug({ quality }, 'Measured the clock against the time source'),
    // The cause can contain a resolved address, so only the code and the message are logged.
    onFailure(error) {
      const [code, reason] =
        error instanceof SntpError ? [error.code, error.message] : ['', String(error)]
      log.warn({ code, reason }, 'The time source gave no usable response')
    },
  })
}

export interface StopTimes {
  /** Requests in flight may take this long. */
  readonly graceMs: number
  /** A worker that has not ended after this long is killed. */
  readonly killAfterMs: number
}

export interface ServerOptions extends Pick<StopTimes, 'graceMs'> {
  readonly config: Config
  readonly releases: ServableReleases
  readonly secrets: Secrets
  /** What counts where no database is shared. */
  readonly localCounters: Counters
  /** How long a stop waits for a further connection, for a worker that gets them from the primary. Default: 0. */
  readonly acceptQuietMs?: number
  readonly log: Log
  /** Undefined without an admin port. */
  readonly metrics: Metrics | undefined
}

function logFaults(faults: readonly ResourceFault[], log: Log): void {
  for (const { snapshotId, resource, reason } of faults) {
    const effect = isSnapshotName(resource)
      ? 'its endpoint responds 503 SNAPSHOT_UNAVAILABLE'
      : 'the pages omit it'
    log.error({ snapshotId, resource, reason }, `A published resource is damaged; ${effect}`)
  }
}

function logNotices({ head, unknownMembers }: ServedReleases, log: Log): void {
  for (const { text } of noticesOf(head, SYSTEM_CLOCK.nowMs(), unknownMembers)) {
    log.warn({ snapshotId: head.snapshotId }, text)
  }
}

/** Undefined without a key. */
async function openSigning(
  { signingKey, publishedKeys }: SigningSecrets,
  log: Log,
): Promise<Signing | undefined> {
  if (signingKey === undefined) {
    log.warn({}, 'No signing key is configured; responses are unsigned')
    return undefined
  }
  const signer = await openResponseSigner(signingKey, (reason) =>
    log.warn({ reason }, 'Signing with OpenSSL, which takes about twice as long as libsodium'),
  )
  return { signer, keys: publishedKeys }
}

/** Opens the resources of a serving process and listens. Rejects with a readable reason if the port is taken. */
export async function startServer(options: ServerOptions): Promise<Serving> {
  const { config, graceMs, secrets, log, metrics } = options
  const traffic = metrics && (await countTraffic())
  let { releases } = options
  logFaults(releases.faults, log)
  logNotices(releases.served, log)
  let signing = await openSigning(secrets, log)
  const opened = await openStorage(config.database, 'create', {
    onUnavailable: (error) =>
      log.error({ err: error }, 'Database unavailable; serving reads and retrying'),
    onRecovered: () => log.info({}, 'Database available'),
  })
  const store = traffic && observeStorage(opened, traffic.onStoreCall)
  const storage = store?.storage ?? opened
  const counters = opened.counters ?? options.localCounters
  const clock = SYSTEM_CLOCK
  const provider = createChallenge(config.challenge, { counters, clock })
  const challenge = traffic?.challenge(provider) ?? provider
  const waitlist = createWaitlist({
    store: storage.waitlist,
    admitRegistration: (address) => admitRegistration(address, counters, clock),
    challenge,
    encryptor: createEncryptor(secrets.waitlistRecipient),
    hashAddress: createKeyedHash(secrets.addressHashSecret, ADDRESS_HASH_LABEL),
    clock,
    randomBytes,
  })
  const apiKeys = createApiKeys({
    store: storage.apiKeys,
    counters,
    clock,
    hashSecret: secrets.keyHashSecret,
    previousHashSecrets: secrets.previousKeyHashSecrets,
    randomBytes,
    onRehashFailure: (error) =>
      log.warn(
        { err: error },
        'Replacing the hash of an API key failed; it is retried with the next use of the key',
      ),
  })
  // Listens before the app exists, because the OpenAPI document contains the port, which the system may choose. No
  // connection is accepted in the turn of the event loop in which the app is composed.
  let app: App = () => {
    throw new Error('A request arrived before the app was composed')
  }
  const serve = (published: Published): Promise<void> => {
    const composed = compose(published)
    app = composed
    return composed.openSite().then((site) => {
      // What is damaged is named, and the pages that need it say so.
      site.prepare().catch((error: unknown) => log.debug({ err: error }, 'Not prepared'))
    })
  }
  const server = createListener((request) => app(request), {
    noIndex: config.deployment === 'preview',
    maxConnections: config.maxConnections,
    isSharedByNetwork: config.trustedProxies.length === 0,
    log,
    onResponse: traffic?.onResponse,
  })
  const port = await listen(server, config.port, config.host)
  const timeQuality = openTime(config, log)
  if (store !== undefined) {
    const connections = () => server.tracked.counts()
    metrics?.add(servingMetrics({ timeQuality, store, connections }))
  }
  const compose = createAppComposer({
    runtime: config.runtime,
    deployment: config.deployment,
    baseUrl: config.baseUrl ?? originOf(config.host, port),
    waitlist: traffic?.waitlist(waitlist) ?? waitlist,
    apiKeys: traffic?.apiKeys(apiKeys) ?? apiKeys,
    challenge,
    trustedProxies: config.trustedProxies,
    cacheSeconds: config.cacheSeconds,
    timeQuality,
    securityContact: config.securityContact,
    clock,
    log,
  })
  const pagesOpen = serve({ releases, signing })
  return {
    port,
    pagesOpen,
    served: () => releases.served,
    tlog: () => releases.tlog,
    applyUpdate(update) {
      const next = releases.extend(update)
      // Composed completely before it is served, so that a failure leaves the old app in place.
      void serve({ releases: next, signing })
      releases = next
      const { snapshotId } = next.served.head
      const { versionTexts, redactions } = update
      const counts = { versions: versionTexts.length, redactions: redactions.length }
      log.info({ snapshotId, ...counts }, `Serving release ${snapshotId}`)
      logFaults(next.faults, log)
      logNotices(next.served, log)
    },
    async applySigning(newSecrets) {
      const next = await openSigning(newSecrets, log)
      void serve({ releases, signing: next })
      signing = next
    },
    reasons: async () => store?.reasons() ?? [],
    close: async () => {
      await stopListening(server, graceMs, { acceptQuietMs: options.acceptQuietMs ?? 0 })
      store?.close()
      timeQuality.close()
      await storage.close()
    },
  }
}
