import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { createApp, type Signing } from '../app.ts'
import { originOf, type Config } from '../config.ts'
import { openResponseSigner } from '../crypto/response-signer.ts'
import type { App } from '../http/api-request.ts'
import { createListener, listen, stopListening, type AnswerObserver } from '../http/listener.ts'
import type { Secrets } from '../secrets.ts'
import { createChallenge } from '../service/create-challenge.ts'
import { SYSTEM_CLOCK } from '../service/clock.ts'
import type { Log } from '../service/log.ts'
import type { Releases } from '../service/releases.ts'
import { SntpError } from '../service/sntp.ts'
import {
  createUnverifiedTime,
  openTimeQuality,
  type TimeQualityMonitor,
} from '../service/time-quality.ts'
import type { Counters } from '../storage/counters.ts'
import { openStorage } from '../storage/open-storage.ts'
import { openCounters } from './open-counters.ts'
import { createStoredServices } from './stored-services.ts'

/** A server that answers. */
export interface RunningServer {
  /** The port that was taken. */
  readonly port: number
  /** Whether requests are still accepted. */
  readonly isAccepting: () => boolean
  /** Accepts nothing more, answers what is in flight, closes what was opened. */
  readonly close: () => Promise<void>
}

function openTime({ ntpServer }: Config, log: Log): TimeQualityMonitor {
  if (ntpServer === undefined) return createUnverifiedTime()
  return openTimeQuality({
    server: ntpServer,
    nowMs: () => SYSTEM_CLOCK.nowMs(),
    monotonicMs: () => performance.now(),
    onMeasured: (quality) => log.debug({ quality }, 'Measured the clock against the time source'),
    // The cause can hold a resolved address, so only the code and the message are written.
    onFailure(error) {
      const [code, reason] =
        error instanceof SntpError ? [error.code, error.message] : ['', String(error)]
      log.warn({ code, reason }, 'The time source gave no usable answer')
    },
  })
}

/** What a server serves and how it ends. */
export interface ServerParts {
  readonly config: Config
  readonly releases: Releases
  readonly secrets: Secrets
  /** The counters of this node. */
  readonly localCounters: Counters
  readonly log: Log
  /** What is in flight when a stop is asked for may take this long. */
  readonly graceMs: number
  readonly onAnswer: AnswerObserver | undefined
}

function tellFaults(faults: Releases['faults'], log: Log): void {
  for (const { snapshotId, resource, reason, served } of faults) {
    const effect = served
      ? 'its endpoint answers 503 SNAPSHOT_UNAVAILABLE'
      : 'it is not served any more'
    log[served ? 'error' : 'warn'](
      { snapshotId, resource, reason },
      `A published resource is damaged; ${effect}`,
    )
  }
}

/** Undefined where no key is configured. */
async function openSigning(
  { signingKey, publishedKeys }: Secrets,
  log: Log,
): Promise<Signing | undefined> {
  if (signingKey === undefined) {
    log.warn({}, 'No signing key is configured; answers are unsigned')
    return undefined
  }
  const signer = await openResponseSigner(signingKey, (reason) =>
    log.warn({ reason }, 'Signing with OpenSSL, which takes about twice as long as libsodium'),
  )
  return { signer, keys: publishedKeys }
}

/**
 * Listens ahead of the app, which is composed once the port is known: the OpenAPI document names the origin, and the
 * system may have picked the port. No connection is taken up before the turn of the event loop ends in which this resolves.
 */
async function listenAhead({
  config,
  log,
  onAnswer,
}: Pick<ServerParts, 'config' | 'log' | 'onAnswer'>): Promise<{
  readonly server: Server
  readonly port: number
  readonly answerWith: (app: App) => void
}> {
  let app: App | undefined
  const server = createListener(
    (request) => {
      if (app === undefined) throw new Error('A request came before the app was composed')
      return app(request)
    },
    {
      noIndex: config.deployment === 'preview',
      log,
      ...(onAnswer === undefined ? {} : { onAnswer }),
    },
  )
  const port = await listen(server, config.port, config.host)
  return {
    server,
    port,
    answerWith(composed) {
      app = composed
    },
  }
}

/**
 * Opens everything one serving process needs, and listens. Rejects, with the reason in words, when the port is taken.
 */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const { config, releases, secrets, localCounters, log, graceMs } = parts
  tellFaults(releases.faults, log)
  const signing = await openSigning(secrets, log)
  const storage = await openStorage(config.database, {
    onUnavailable: (error) =>
      log.error({ err: error }, 'Database unavailable; serving reads and retrying'),
    onRecovered: () => log.info({}, 'Database available'),
  })
  const { counters, close: closeCounters } = await openCounters(config, {
    local: localCounters,
    database: storage.counters,
    log,
  })
  const clock = SYSTEM_CLOCK
  const challenge = createChallenge(config.challenge, { counters, clock })
  const { waitlist, apiKeys } = createStoredServices({
    storage,
    counters,
    clock,
    challenge,
    secrets,
    log,
  })
  const { server, port, answerWith } = await listenAhead(parts)
  const timeQuality = openTime(config, log)
  answerWith(
    createApp({
      runtime: config.runtime,
      deployment: config.deployment,
      baseUrl: config.baseUrl ?? originOf(config.host, port),
      releases,
      signing,
      waitlist,
      apiKeys,
      challenge,
      trustedProxies: config.trustedProxies,
      timeQuality,
      securityContact: config.securityContact,
      clock,
      newRequestId: () => randomUUID(),
      log,
    }),
  )
  return {
    port,
    isAccepting: () => server.listening,
    close: async () => {
      await stopListening(server, graceMs)
      timeQuality.close()
      closeCounters()
      await storage.close()
    },
  }
}
