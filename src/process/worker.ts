import { importSite } from '../app.ts'
import type { Config } from '../config.ts'
import { openReleaseStore } from '../releases/release-store.ts'
import { inspectSecrets, requireSecrets } from '../secrets.ts'
import type { Log } from '../service/logger.ts'
import { loadReleases } from '../service/releases/releases.ts'
import { openMetrics } from './metrics.ts'
import { onShutdownSignal } from './primary.ts'
import { startServer } from './server.ts'
import { createClusterCounters, type PrimaryChannel } from './worker-channel.ts'

/** Much longer than the primary takes to pass a connection on. */
const ACCEPT_QUIET_MS = 400

/** Serves as one of several workers until a stop is requested. The primary looks for releases and keys. */
export async function serveAsWorker(
  config: Config,
  log: Log,
  { boot, call, serve }: PrimaryChannel,
  graceMs: number,
): Promise<void> {
  const shutdown = onShutdownSignal()
  // Ignored: only the primary reloads, but a terminal that closes sends SIGHUP to the whole group.
  process.on('SIGHUP', () => {})
  // Before it listens, so that the primary sees a start that fails.
  await importSite()
  const releases = loadReleases(openReleaseStore(config.releasesDir), boot.head, 'unread')
  const secrets = requireSecrets(inspectSecrets(config, Date.now()))
  const metrics = config.adminPort === undefined ? undefined : await openMetrics()
  const localCounters = createClusterCounters(call)
  const server = await startServer({
    config,
    graceMs,
    releases,
    secrets,
    localCounters,
    acceptQuietMs: ACCEPT_QUIET_MS,
    log,
    metrics,
  })

  serve({
    release(update) {
      try {
        server.applyUpdate(update)
      } catch (error) {
        // The other workers serve it. After a restart this worker loads the release of the primary.
        log.error({ err: error }, 'A release of the primary cannot be served; ending this worker')
        process.exit(1)
      }
    },
    async signing(texts) {
      const next = inspectSecrets({ ...config, secretVariables: texts }, Date.now())
      await server.applySigning(next.secrets).catch((error: unknown) => {
        log.error(
          { err: error },
          'Signing keys of the primary refused; the previous ones stay in use',
        )
      })
    },
    status: async () => ({
      reasons: await server.reasons(),
      metrics: (await metrics?.readFigures()) ?? [],
    }),
  })
  await shutdown
  await server.close()
  process.disconnect?.()
}
