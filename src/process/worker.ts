import type { Config } from '../config.ts'
import { inspectSecrets, requireSecrets } from '../secrets.ts'
import type { Log } from '../service/log.ts'
import type { ChainHead } from '../service/read-releases.ts'
import { loadReleases } from '../service/releases.ts'
import { createClusterCounters } from '../storage/cluster-counters.ts'
import { openReleaseStore } from '../storage/release-store.ts'
import { onShutdownSignal } from './leader.ts'
import { openMetrics } from './metrics.ts'
import { startServer } from './server.ts'
import type { WorkerChannel } from './worker-channel.ts'

interface WorkerOptions {
  readonly log: Log
  readonly channel: WorkerChannel
  /** The newest version to load; later ones come over the channel. */
  readonly head: ChainHead
  readonly graceMs: number
}

/** Serves as one of several workers until a stop is requested. The primary looks for releases and keys. */
export async function serveAsWorker(
  config: Config,
  { log, channel, head, graceMs }: WorkerOptions,
): Promise<void> {
  const shutdown = onShutdownSignal()
  // Ignored: only the primary reloads, but a terminal that closes sends SIGHUP to the whole group.
  process.on('SIGHUP', () => {})
  const releases = loadReleases(openReleaseStore(config.releasesDir), head)
  const secrets = requireSecrets(inspectSecrets(config, Date.now()))
  const metrics = config.adminPort === undefined ? undefined : await openMetrics()
  const localCounters = createClusterCounters()
  const server = await startServer({
    config,
    graceMs,
    releases,
    secrets,
    localCounters,
    log,
    metrics,
  })
  channel.serve({
    takeUp(update) {
      try {
        server.takeUp(update)
      } catch (error) {
        // The other workers serve it. After a restart this worker loads the release of the primary.
        log.error({ err: error }, 'A release of the primary cannot be served; ending this worker')
        process.exit(1)
      }
    },
    applySigning(secretVariables) {
      const next = inspectSecrets({ ...config, secretVariables }, Date.now())
      server.applySigning(next.secrets).catch((error: unknown) => {
        log.error(
          { err: error },
          'Signing keys of the primary refused; the previous ones stay in use',
        )
      })
    },
    async readStatus() {
      return { reasons: await server.reasons(), metrics: (await metrics?.readFigures()) ?? [] }
    },
  })
  await shutdown
  await server.close()
  process.disconnect?.()
}
