import { randomUUID } from 'node:crypto'
import { createApp } from './app.ts'
import { originOf, type Config } from './config.ts'
import { openResponseSigner } from './crypto/response-signer.ts'
import type { App } from './http/api-request.ts'
import { createListener, listen, stopListening, type AnswerObserver } from './http/listener.ts'
import type { ChallengeDescription } from './routes/early-access.ts'
import type { Secrets } from './secrets.ts'
import { createUnavailableApiKeys } from './service/api-keys.ts'
import { SYSTEM_CLOCK } from './service/clock.ts'
import type { Log } from './service/log.ts'
import type { Releases } from './service/releases.ts'
import { SntpError } from './service/sntp.ts'
import {
  createUnverifiedTime,
  openTimeQuality,
  type TimeQualityMonitor,
} from './service/time-quality.ts'

/** A server that answers. */
export interface RunningServer {
  /** The port that was taken. */
  readonly port: number
  /** Whether requests are still accepted. */
  readonly isAccepting: () => boolean
  /** Accepts nothing more, answers what is in flight, closes what was opened. */
  readonly close: () => Promise<void>
}

function describeChallenge({ challenge }: Config): ChallengeDescription {
  const { provider, siteKey } = challenge
  return {
    provider,
    path: provider === 'altcha' ? '/challenge' : null,
    siteKey: provider === 'turnstile' || provider === 'hcaptcha' ? (siteKey ?? null) : null,
  }
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
  readonly log: Log
  /** What is in flight when a stop is asked for may take this long. */
  readonly graceMs: number
  readonly onAnswer: AnswerObserver | undefined
}

/**
 * Opens everything one serving process needs, and listens. Rejects, with the reason in words, when the port is taken.
 */
export async function startServer({
  config,
  releases,
  secrets,
  log,
  graceMs,
  onAnswer,
}: ServerParts): Promise<RunningServer> {
  for (const { snapshotId, resource, reason, served } of releases.faults) {
    const effect = served
      ? 'its endpoint answers 503 SNAPSHOT_UNAVAILABLE'
      : 'it is not served any more'
    log[served ? 'error' : 'warn'](
      { snapshotId, resource, reason },
      `A published resource is damaged; ${effect}`,
    )
  }
  const { signingKey, publishedKeys } = secrets
  const signing =
    signingKey === undefined
      ? undefined
      : {
          signer: await openResponseSigner(signingKey, (reason) =>
            log.warn(
              { reason },
              'Signing with OpenSSL, which takes about twice as long as libsodium',
            ),
          ),
          keys: publishedKeys,
        }
  if (signing === undefined) log.warn({}, 'No signing key is configured; answers are unsigned')

  let app: App | undefined
  const noIndex = config.deployment === 'preview'
  const server = createListener(
    (request) => {
      if (app === undefined) throw new Error('A request came before the app was composed')
      return app(request)
    },
    { noIndex, log, ...(onAnswer === undefined ? {} : { onAnswer }) },
  )
  const port = await listen(server, config.port, config.host)
  const timeQuality = openTime(config, log)
  // Composed once the port is known, since the OpenAPI document names the origin and the system may have picked it. No
  // connection is taken up before this turn of the event loop ends.
  app = createApp({
    runtime: config.runtime,
    deployment: config.deployment,
    baseUrl: config.baseUrl ?? originOf(config.host, port),
    releases,
    signing,
    apiKeys: createUnavailableApiKeys(),
    timeQuality,
    challenge: describeChallenge(config),
    clock: SYSTEM_CLOCK,
    newRequestId: () => randomUUID(),
    log,
  })
  return {
    port,
    isAccepting: () => server.listening,
    close: async () => {
      await stopListening(server, graceMs)
      timeQuality.close()
    },
  }
}
