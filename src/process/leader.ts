import { originOf, type Config } from '../config.ts'
import { openSecrets } from '../local-secrets.ts'
import { inspectSecrets } from '../secrets.ts'
import type { Log } from '../service/log.ts'
import { loadReleases } from '../service/releases.ts'
import { openReleaseStore } from '../storage/release-store.ts'
import { openAdmin, type Readiness } from './admin.ts'
import type { LeaderState, Metrics } from './metrics.ts'
import { openReleaseWatcher, type ReleaseWatcher } from './release-watcher.ts'
import type { Serving, SigningSecrets } from './server.ts'
import { warnAboutEnvironment, warnIfSigningKeyExpired } from './startup-warnings.ts'

/** How the leader starts the serving part, and its metrics if an admin port is configured. */
export interface LeaderDependencies {
  readonly log: Log
  readonly openServing: (opened: Opened) => Promise<Serving>
  readonly openMetrics: (state: LeaderState) => Promise<Metrics>
}

/**
 * Resolves at the first signal to stop. Later signals must not end the process, because npm and the primary repeat the
 * Ctrl-C that a terminal sends to the whole group.
 */
export function onShutdownSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve)
    process.on('SIGINT', resolve)
  })
}

/** Loads the releases before any secret is created: a broken chain ends the start without leaving files. */
async function openFiles(config: Config, log: Log) {
  const releases = loadReleases(openReleaseStore(config.releasesDir))
  const { secrets, made } = await openSecrets(config, Date.now())
  if (made.length > 0) {
    log.info({ files: made }, `Created local secrets in ${config.secretsDir}; keep a copy of them`)
  }
  return { releases, secrets }
}

export type Opened = Awaited<ReturnType<typeof openFiles>>

/** Reads the signing keys again, and applies them if they changed. A fault leaves the keys in use. */
function createSigningReload(
  config: Config,
  log: Log,
  initial: SigningSecrets,
  apply: (secrets: SigningSecrets) => Promise<void>,
): { readonly reload: () => Promise<void>; readonly current: () => SigningSecrets } {
  let current = initial
  return {
    current: () => current,
    async reload() {
      const { mistakes, secrets } = inspectSecrets(config, Date.now())
      const { signingKey, publishedKeys } = secrets
      if (mistakes.length > 0) {
        log.error({ mistakes }, 'Signing keys refused; the previous ones stay in use')
        return
      }
      if (signingKey === undefined && current.signingKey !== undefined) {
        log.error({}, 'The signing key is missing; the previous one stays in use')
        return
      }
      if (JSON.stringify(publishedKeys) === JSON.stringify(current.publishedKeys)) return
      const next = { signingKey, publishedKeys }
      await apply(next)
      current = next
      const keyId = publishedKeys.find(({ status }) => status === 'current')?.keyId
      log.info({ keyId, keys: publishedKeys.length }, 'Signing keys reloaded')
      warnIfSigningKeyExpired(publishedKeys, Date.now(), log)
    },
  }
}

/** Serves until a stop is requested: looks for releases, reloads on SIGHUP, reports health. */
export async function lead(
  config: Config,
  { log, openServing, openMetrics }: LeaderDependencies,
): Promise<void> {
  const shutdown = onShutdownSignal()
  let serving: Serving | undefined
  let watcher: ReleaseWatcher | undefined
  let reload = async () => {}
  let isStopping = false
  let signing: () => SigningSecrets | undefined = () => undefined
  // Installed first, because SIGHUP without a handler ends the process.
  process.on('SIGHUP', () => void reload())

  async function readiness(): Promise<Readiness> {
    if (isStopping) {
      return { reasons: [{ code: 'STOPPING', message: 'The service is stopping' }] }
    }
    if (serving === undefined) {
      return { reasons: [{ code: 'STARTING', message: 'No release is loaded yet' }] }
    }
    const { snapshotId } = serving.served().head
    return {
      reasons: await serving.reasons(),
      release: { snapshotId, refused: watcher?.refused() },
    }
  }

  const admin =
    config.adminPort === undefined
      ? undefined
      : await openAdmin({
          port: config.adminPort,
          log,
          readiness,
          metrics: await openMetrics({
            head: () => serving?.served().head,
            reloadFailures: () => watcher?.failures() ?? 0,
            isReleaseRefused: () => watcher?.refused() !== undefined,
            signingKeys: () => signing()?.publishedKeys ?? [],
          }),
        })
  if (admin !== undefined) log.info({ port: admin.port }, 'Health and metrics on loopback')

  const opened = await openFiles(config, log)
  warnAboutEnvironment(config, log)
  warnIfSigningKeyExpired(opened.secrets.publishedKeys, Date.now(), log)
  const running = await openServing(opened)
  serving = running
  const keys = createSigningReload(config, log, opened.secrets, running.applySigning)
  signing = keys.current
  const releases = openReleaseWatcher({
    releasesDir: config.releasesDir,
    intervalMs: config.reloadSeconds * 1000,
    log,
    serving: running,
  })
  watcher = releases
  reload = createReload(log, keys.reload, releases.reload)
  const origin = originOf(config.host, running.port)
  log.info({ url: origin, api: `${origin}/api/v1` }, `Serving at ${origin}`)

  const signal = await shutdown
  isStopping = true
  log.info({ signal }, 'Stopping: completing requests in flight')
  releases.close()
  await running.close()
  await admin?.close()
}

/** One reload at a time; those requested during a reload are combined into one more. */
function createReload(log: Log, ...steps: readonly (() => Promise<void>)[]): () => Promise<void> {
  let isRunning = false
  let isRequested = false
  return async () => {
    isRequested = true
    if (isRunning) return
    isRunning = true
    while (isRequested) {
      isRequested = false
      log.info({}, 'Reloading releases and signing keys')
      for (const step of steps) {
        await step().catch((error: unknown) => log.error({ err: error }, 'Reload failed'))
      }
    }
    isRunning = false
  }
}
