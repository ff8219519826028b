import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { openAdmin, openMetrics, type AdminListener } from './admin.ts'
import { ConfigError, inspectConfig, originOf, type Config, type Environment } from './config.ts'
import { openLog } from './log.ts'
import { inspectSecrets, openSecrets } from './secrets.ts'
import { startServer } from './server.ts'
import type { Log } from './service/log.ts'
import { findFreePort, openWorkers } from './workers.ts'

/** Everything wrong with the configuration, found before anything is opened or created. Throws ConfigError. */
function checkStart(env: Environment, workingDir: string): Config {
  const { config, mistakes } = inspectConfig(env, workingDir)
  const releases = existsSync(config.releasesDir)
    ? []
    : [
        `SVC_RELEASES_DIR: expected a folder of published releases, found nothing at ${config.releasesDir}`,
      ]
  const all = [...mistakes, ...inspectSecrets(config).mistakes, ...releases]
  if (all.length > 0) throw new ConfigError(all)
  return config
}

/** What serves: this process, or the workers it looks after. */
interface Serving {
  readonly port: number
  readonly isAccepting: () => boolean
  readonly close: () => Promise<void>
}

function stopAsked(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
}

function warnOfEnvironment(config: Config, log: Log): void {
  for (const name of config.unknownVariables) {
    log.warn({ variable: name }, `The variable ${name} is none of this service’s and has no effect`)
  }
  if (config.runtime === 'production' && config.baseUrl === undefined) {
    log.warn(
      {},
      'SVC_BASE_URL is not set; links and the origin rule use the listener’s own address',
    )
  }
}

async function serve(config: Config, log: Log): Promise<void> {
  const { secrets, made } = await openSecrets(config, Date.now())
  if (made.length > 0) {
    const advice = 'keep a copy, and move waitlist-identity.txt to another machine'
    log.info({ files: made }, `Made local secrets in ${config.secretsDir}; ${advice}`)
  }
  // The workers have the same environment; it is told of once.
  if (cluster.isPrimary) warnOfEnvironment(config, log)

  // Asked for from here on: a signal during the start ends it as soon as it is up.
  const stop = stopAsked()
  const counted = config.adminPort === undefined ? undefined : await openMetrics()
  let serving: Serving
  if (config.workers > 1 && cluster.isPrimary) {
    const port = config.port === 0 ? await findFreePort(config.host) : config.port
    const workers = openWorkers(config.workers, port, log)
    await workers.listening
    serving = { port, isAccepting: workers.isAccepting, close: workers.close }
  } else {
    serving = await startServer(config, secrets, log, counted?.observe)
  }
  let admin: AdminListener | undefined
  if (config.adminPort !== undefined && counted !== undefined && cluster.isPrimary) {
    const { metrics } = counted
    admin = await openAdmin({ port: config.adminPort, isReady: serving.isAccepting, metrics })
    log.info({ port: admin.port }, 'Health and metrics on loopback')
  }
  const origin = originOf(config.host, serving.port)
  if (cluster.isPrimary) log.info({ url: origin, api: `${origin}/api/v1` }, `Serving at ${origin}`)

  const signal = await stop
  if (cluster.isPrimary) log.info({ signal }, 'Stopping: answering what is in flight')
  await serving.close()
  await admin?.close()
  if (cluster.isWorker) process.disconnect?.()
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) {
    return `${error.message}:\n${error.mistakes.map((each) => `  ${each}\n`).join('')}`
  }
  return `${error instanceof Error ? error.message : String(error)}\n`
}

/** Runs the service until it is told to stop. Resolves with the exit code: 0 after a stop, 1 when it cannot start. */
export async function run(env: Environment, workingDir: string): Promise<number> {
  let config: Config
  try {
    config = checkStart(env, workingDir)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(explain(error))
    return 1
  }
  const log = openLog(config.logLevel, cluster.worker?.id)
  try {
    await serve(config, log)
    return 0
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.error({ err: error }, `The service does not start: ${reason}`)
    process.stderr.write(`The service does not start: ${explain(error)}`)
    // Timers and sockets of what was opened already must not keep the process.
    return process.exit(1)
  }
}
