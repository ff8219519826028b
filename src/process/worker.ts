import type { Config } from '../config.ts'
import { openReleaseStore } from '../releases/release-store.ts'
import { inspectSecrets, requireSecrets } from '../secrets.ts'
import type { Log } from '../service/logger.ts'
import { loadReleases } from '../service/releases/releases.ts'
import { createClusterCounters } from '../storage/counters/cluster-counters.ts'
import { openMetrics } from './metrics.ts'
import { onShutdownSignal } from './primary.ts'
import { startServer } from './server.ts'
import type { ProcessStatus, WorkerChannel } from './worker-channel.ts'

/** Much longer than the primary takes to pass a connection on. */
const ACCEPT_QUIET_MS = 400

/** Serves as one of several workers until a stop is requested. The primary looks for releases and keys. */
export async function serveAsWorker(
  config: Config,
  log: Log,
  { boot, messages }: WorkerChannel,
  graceMs: number,
): Promise<void> {
  const shutdown = onShutdownSignal()
  // Ignored: only the primary reloads, but a terminal that closes sends SIGHUP to the whole group.
  process.on('SIGHUP', () => {})
  const releases = loadReleases(openReleaseStore(config.releasesDir), boot.head)
  const secrets = requireSecrets(inspectSecrets(config, Date.now()))
  const metrics = config.adminPort === undefined ? undefined : await openMetrics()
  const localCounters = createClusterCounters()
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

  async function followPrimary(): Promise<void> {
    for await (const message of messages) {
      if (message.tag === 'svc.release') {
        try {
          server.applyUpdate(message.update)
        } catch (error) {
          // The other workers serve it. After a restart this worker loads the release of the primary.
          log.error({ err: error }, 'A release of the primary cannot be served; ending this worker')
          process.exit(1)
        }
      } else if (message.tag === 'svc.signing') {
        const next = inspectSecrets({ ...config, secretVariables: message.secrets }, Date.now())
        await server.applySigning(next.secrets).catch((error: unknown) => {
          log.error(
            { err: error },
            'Signing keys of the primary refused; the previous ones stay in use',
          )
        })
      } else if (message.tag === 'svc.status') {
        const status: ProcessStatus = {
          reasons: await server.reasons(),
          metrics: (await metrics?.readFigures()) ?? [],
        }
        // The callback prevents an error event when the primary exits.
        process.send?.({ tag: message.tag, status }, undefined, undefined, () => {})
      }
    }
  }

  void followPrimary()
  await shutdown
  await server.close()
  process.disconnect?.()
}
