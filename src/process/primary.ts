import {
  futureVersionOf,
  laterProgramOf,
  noticesOf,
} from '@public-api/contract/registry/release-notices'
import { formatConfigMistake } from '../config-mistake.ts'
import { originOf, type Config } from '../config.ts'
import { openSecrets } from '../local-secrets.ts'
import { openReleaseStore } from '../releases/release-store.ts'
import { inspectSecrets } from '../secrets.ts'
import { SYSTEM_CLOCK } from '../service/clock.ts'
import type { Log } from '../service/logger.ts'
import { loadReleases } from '../service/releases/releases.ts'
import { createMemoryCounters } from '../storage/counters/memory-counters.ts'
import type { Readiness } from './admin.ts'
import { openReleaseWatcher } from './release-watcher.ts'
import { startServer, type SigningSecrets, type StopTimes } from './server.ts'
import { warnAboutEnvironment, warnIfSigningKeyExpired } from './start-check.ts'
import { openTlogMonitor } from './tlog-monitor.ts'

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
  // The watcher checks the bytes of older versions once the service listens; they are checked before each use besides.
  const releases = loadReleases(openReleaseStore(config.releasesDir), undefined, 'unread')
  const { secrets, made } = await openSecrets(config, Date.now())
  if (made.length > 0) {
    log.info({ files: made }, `Created local secrets in ${config.secretsDir}; keep a copy of them`)
  }
  return { releases, secrets }
}

/** Reads the signing keys again, and applies them if they changed. A fault leaves the keys in use. */
function createSigningReload(
  config: Config,
  log: Log,
  initial: SigningSecrets,
  apply: (secrets: SigningSecrets) => Promise<void>,
) {
  let current = initial
  return {
    current: () => current,
    async reload() {
      const { mistakes, secrets } = inspectSecrets(config, Date.now())
      const { signingKey, publishedKeys } = secrets
      if (mistakes.length > 0) {
        log.error(
          { mistakes: mistakes.map(formatConfigMistake) },
          'Signing keys refused; the previous ones stay in use',
        )
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

/**
 * Serves until a stop is requested, in this process or with workers: looks for releases, reloads on SIGHUP, reports
 * health.
 */
export async function runPrimary(config: Config, log: Log, times: StopTimes): Promise<void> {
  const shutdown = onShutdownSignal()
  let reload = async () => {}
  // Installed first, because SIGHUP without a handler ends the process.
  process.on('SIGHUP', () => void reload())

  let readiness = async (): Promise<Readiness> => ({
    reasons: [{ code: 'STARTING', message: 'No release is loaded yet' }],
  })
  const admin =
    config.adminPort === undefined
      ? undefined
      : await (await import('./admin.ts')).openAdmin(config.adminPort, log, () => readiness())
  const metrics = admin?.metrics

  const { releases, secrets } = await openFiles(config, log)
  warnAboutEnvironment(config, log)
  warnIfSigningKeyExpired(secrets.publishedKeys, Date.now(), log)
  const options = { config, releases, secrets, log, metrics, ...times }
  const serving =
    config.workers > 1
      ? await (await import('./workers.ts')).openWorkers(options)
      : await startServer({
          ...options,
          localCounters: createMemoryCounters({ clock: SYSTEM_CLOCK }),
        })
  const signing = createSigningReload(config, log, secrets, serving.applySigning)
  const tlog = openTlogMonitor(serving, log)
  tlog.check()
  const watcher = openReleaseWatcher(config.releasesDir, config.reloadSeconds * 1000, log, {
    served: serving.served,
    applyUpdate(update) {
      serving.applyUpdate(update)
      tlog.check()
    },
  })
  reload = createReload(log, signing.reload, watcher.reload)
  const notices = () => {
    const { head, unknownMembers } = serving.served()
    return noticesOf(head, Date.now(), unknownMembers).map(({ text }) => text)
  }
  readiness = async () => {
    await serving.pagesOpen
    return {
      reasons: await serving.reasons(),
      release: {
        snapshotId: serving.served().head.snapshotId,
        refused: watcher.refused(),
        unread: watcher.unread(),
        damage: watcher.damage(),
        logFault: tlog.fault(),
        notices: notices(),
      },
    }
  }
  metrics?.add({
    svc_release_info: {
      help: 'The served release: 1 for its id.',
      label: 'snapshot_id',
      read: () => ({ [serving.served().head.snapshotId]: 1 }),
    },
    svc_release_age_seconds: {
      help: 'Seconds since the served release was published.',
      read: () => (Date.now() - Date.parse(serving.served().head.createdAt)) / 1000,
    },
    svc_release_reload_failures_total: {
      help: 'How often a new release was refused, or the releases folder could not be read.',
      read: watcher.failures,
    },
    svc_release_refused: {
      help: '1 while the newest release is refused, or the releases folder cannot be read.',
      read: () => Number((watcher.refused() ?? watcher.unread()) !== undefined),
    },
    svc_release_later_program: {
      help: '1 while a later program wrote the served release, which this one reads in part.',
      read() {
        const { head, unknownMembers } = serving.served()
        return Number(laterProgramOf(head, unknownMembers) !== undefined)
      },
    },
    svc_release_future: {
      help: '1 while the served release is of a clock more than 5 minutes ahead of this one.',
      read: () => Number(futureVersionOf(serving.served().head, Date.now()) !== undefined),
    },
    svc_release_damaged: {
      help: '1 while files of the served versions are changed or missing in the releases folder.',
      read: () => Number(watcher.damage() !== undefined),
    },
    svc_signing_key_expires_timestamp_seconds: {
      help: 'When the current signing key’s period ends, in Unix time; absent without an end or a key.',
      read() {
        const keys = signing.current().publishedKeys
        const end = keys.find(({ status }) => status === 'current')?.notAfter
        return end === null || end === undefined ? undefined : Date.parse(end) / 1000
      },
    },
  })
  metrics?.add(tlog.metrics)
  const origin = originOf(config.host, serving.port)
  log.info({ url: origin, api: `${origin}/api/v1` }, `Serving at ${origin}`)

  await Promise.race([serving.pagesOpen, shutdown])
  const signal = await shutdown
  readiness = async () => ({
    reasons: [{ code: 'STOPPING', message: 'The service is stopping' }],
  })
  log.info({ signal }, 'Stopping: completing requests in flight')
  watcher.close()
  await serving.close()
  await admin?.close()
}
