import cluster from 'node:cluster'
import { messageOf } from '../contract/error-message.ts'
import { ConfigError, type Config } from '../config.ts'
import type { Environment } from '../environment-reader.ts'
import { openLog } from '../log.ts'
import { readSecretTexts } from '../secrets.ts'
import { SYSTEM_CLOCK } from '../service/clock.ts'
import type { Log } from '../service/log.ts'
import { serveCounters } from '../storage/cluster-counters.ts'
import { createMemoryCounters } from '../storage/memory-counters.ts'
import { lead, type LeaderDependencies, type Opened } from './leader.ts'
import { openClusterMetrics, openProcessMetrics, type ProcessMetrics } from './metrics.ts'
import { startServer, type Serving } from './server.ts'
import { checkStart } from './start-check.ts'
import { serveAsWorker } from './worker.ts'
import { openWorkerChannel, requestStatus } from './worker-channel.ts'
import { findFreePort, openWorkers, type Workers } from './workers.ts'

export interface StopTimes {
  /** Requests in flight may take this long. */
  readonly graceMs: number
  /** A worker that has not ended after this long is killed. */
  readonly killAfterMs: number
}

/** A stop takes at most ten seconds; half a second is for ending the process. */
export const STOP_TIMES: StopTimes = { graceMs: 9500, killAfterMs: 10_000 }

function createSingleProcess(config: Config, log: Log, { graceMs }: StopTimes): LeaderDependencies {
  let metrics: ProcessMetrics | undefined
  return {
    log,
    async openMetrics(state) {
      metrics = await openProcessMetrics()
      metrics.lead(state)
      return metrics.metrics
    },
    async openServing(opened) {
      const localCounters = createMemoryCounters({ clock: SYSTEM_CLOCK })
      return startServer({ config, graceMs, ...opened, localCounters, log, metrics })
    },
  }
}

/** Serves with workers, and restarts those that crash. */
function createCluster(config: Config, log: Log, { killAfterMs }: StopTimes): LeaderDependencies {
  let workers: Workers | undefined
  const accepting = () => workers?.accepting() ?? []

  async function openServing({ releases: initial }: Opened): Promise<Serving> {
    let releases = initial
    // A restarted worker gets the secrets of the others, even if the files have changed.
    let secrets = readSecretTexts(config)
    // Started before the first worker sends a request.
    const stopCounting = serveCounters(createMemoryCounters({ clock: SYSTEM_CLOCK }))
    const port = config.port === 0 ? await findFreePort(config.host) : config.port
    const boot = () => {
      const { snapshotId, hash } = releases.served.head
      return { secrets, head: { snapshotId, hash } }
    }
    const running = openWorkers({ count: config.workers, port, killAfterMs, log, boot })
    workers = running
    await running.listening
    return {
      port,
      served: () => releases.served,
      takeUp(update) {
        releases = releases.extend(update)
        running.broadcast({ tag: 'svc.release', update })
        const { snapshotId } = releases.served.head
        log.info({ snapshotId }, `Release ${snapshotId} passed to the workers`)
      },
      async applySigning() {
        // The others are read once.
        const { signingKey, signingKeys } = readSecretTexts(config)
        secrets = { ...secrets, signingKey, signingKeys }
        running.broadcast({ tag: 'svc.signing', secrets })
      },
      async reasons() {
        if (!running.isAccepting()) {
          return [{ code: 'NO_WORKER', message: 'No worker accepts requests' }]
        }
        const statuses = await Promise.all(running.accepting().map(requestStatus))
        const reasons = statuses.flatMap((status) => status?.reasons ?? [])
        // Workers share the store, so all of their reasons are the same one.
        return reasons.slice(0, 1)
      },
      close: async () => {
        await running.close()
        stopCounting()
      },
    }
  }

  return {
    log,
    openServing,
    openMetrics: (state) =>
      openClusterMetrics({ accepting, crashes: () => workers?.crashes() ?? 0 }, state),
  }
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) {
    return `${error.message}:\n${error.mistakes.map((each) => `  ${each}\n`).join('')}`
  }
  return `${messageOf(error)}\n`
}

/** Runs the service until it is asked to stop. Resolves with the exit code: 0 after a stop, 1 if it cannot start. */
export async function run(
  env: Environment,
  workingDir: string,
  times: StopTimes = STOP_TIMES,
): Promise<number> {
  const channel = cluster.isWorker ? openWorkerChannel() : undefined
  const boot = await channel?.boot
  let config: Config
  try {
    config = checkStart(env, workingDir, Date.now(), boot?.secrets)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(explain(error))
    return 1
  }
  const log = openLog(config.logLevel, cluster.worker?.id)
  try {
    if (channel !== undefined && boot !== undefined) {
      await serveAsWorker(config, { log, channel, head: boot.head, graceMs: times.graceMs })
    } else {
      const create = config.workers > 1 ? createCluster : createSingleProcess
      await lead(config, create(config, log, times))
    }
    return 0
  } catch (error) {
    const reason = messageOf(error)
    log.error({ err: error }, `The service does not start: ${reason}`)
    process.stderr.write(`The service does not start: ${explain(error)}`)
    // Timers and sockets that are open already must not keep the process alive.
    return process.exit(1)
  }
}
