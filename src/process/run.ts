import cluster from 'node:cluster'
import { messageOf } from '@public-api/contract/errors/error-message'
import { ConfigError } from '../config-mistake.ts'
import type { Config } from '../config.ts'
import type { Environment } from '../environment-reader.ts'
import { ListenError } from '../http/connection/listener.ts'
import { openLog } from '../logger.ts'
import { runPrimary } from './primary.ts'
import type { StopTimes } from './server.ts'
import { checkStart } from './start-check.ts'

/** A stop takes at most ten seconds, with the accepting before and the end of the process. */
export const STOP_TIMES: StopTimes = { graceMs: 9200, killAfterMs: 9700 }

function explain(error: unknown): string {
  if (error instanceof ConfigError) {
    return `${error.message}:\n${error.lines.map((each) => `  ${each}\n`).join('')}`
  }
  return `${messageOf(error)}\n`
}

/** Runs the service until it is asked to stop. Resolves with the exit code: 0 after a stop, 1 if it cannot start. */
export async function run(
  env: Environment,
  workingDir: string,
  times: StopTimes = STOP_TIMES,
): Promise<number> {
  // A worker whose primary has ended cannot listen, and has nothing more to say.
  cluster.worker?.on('error', () => process.exit(1))
  const channel =
    cluster.worker &&
    (await (await import('./worker-channel.ts')).openPrimaryChannel(cluster.worker))
  let config: Config
  try {
    config = checkStart(env, workingDir, Date.now(), channel?.boot.secrets)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(explain(error))
    return 1
  }
  const log = openLog(config, cluster.worker?.id)
  try {
    if (channel === undefined) await runPrimary(config, log, times)
    else await (await import('./worker.ts')).serveAsWorker(config, log, channel, times.graceMs)
    return 0
  } catch (error) {
    const reason = messageOf(error)
    // No stack for what the operator can change.
    if (!(error instanceof ListenError))
      log.error({ err: error }, `The service could not start: ${reason}`)
    process.stderr.write(`The service could not start: ${explain(error)}`)
    // Timers and sockets that are open already must not keep the process alive.
    return process.exit(1)
  }
}
