import cluster from 'node:cluster'
import { accessSync, constants, statSync } from 'node:fs'
import { messageOf } from '../contract/error-message.ts'
import { openAdmin, type AdminListener } from './admin.ts'
import { ConfigError, inspectConfig, originOf, type Config, type Environment } from '../config.ts'
import { openSecrets } from '../local-secrets.ts'
import { openLog } from '../log.ts'
import { openMetrics, openWorkerMetrics, type Metrics } from './metrics.ts'
import {
  findExposedSecretFiles,
  findWaitlistIdentity,
  inspectSecrets,
  readSecretVariables,
  type Secrets,
} from '../secrets.ts'
import { startServer } from './server.ts'
import { SYSTEM_CLOCK } from '../service/clock.ts'
import type { Log } from '../service/log.ts'
import { loadReleases, type Releases } from '../service/releases.ts'
import { periodStateOf } from '../service/signing-key-period.ts'
import { createClusterCounters, serveCounters } from '../storage/cluster-counters.ts'
import { createMemoryCounters } from '../storage/memory-counters.ts'
import { openReleaseStore } from '../storage/release-store.ts'
import { findFreePort, openWorkers } from './workers.ts'

/** What is wrong with a folder, or undefined. One that does not exist yet can be made, unless it `mustExist`. */
function folderMistake(
  variable: string,
  folder: string,
  what: string,
  mustExist: boolean,
): string | undefined {
  const expected = `${variable}: expected a folder ${what}, found`
  try {
    if (!statSync(folder).isDirectory()) return `${expected} a file at ${folder}`
    accessSync(folder, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return mustExist ? `${expected} nothing at ${folder}` : undefined
    return `${expected} none that can be read at ${folder} (${code})`
  }
}

/** Everything wrong with the configuration, found before anything is opened or created. Throws ConfigError. */
function checkStart(env: Environment, workingDir: string, nowMs: number): Config {
  const { config, mistakes } = inspectConfig(env, workingDir)
  const folders = [
    folderMistake('SVC_RELEASES_DIR', config.releasesDir, 'of published releases', true),
    folderMistake('SVC_DATA_DIR', config.dataDir, 'for the embedded database', false),
    folderMistake('SVC_SECRETS_DIR', config.secretsDir, 'for secrets', false),
  ].filter((mistake) => mistake !== undefined)
  const all = [...mistakes, ...folders, ...inspectSecrets(config, nowMs).mistakes]
  if (all.length > 0) throw new ConfigError(all)
  return config
}

/** How long a stop may take. */
export interface StopTimes {
  /** What is in flight may take this long. */
  readonly graceMs: number
  /** A worker that has not ended after so long is killed. */
  readonly killAfterMs: number
}

/** Ten seconds are promised; half of one is for ending the process. */
export const STOP_TIMES: StopTimes = { graceMs: 9500, killAfterMs: 10_000 }

/** What serves: this process, or the workers it looks after. */
interface Serving {
  readonly port: number
  /** Undefined where no metrics are asked for. */
  readonly metrics: Metrics | undefined
  readonly isAccepting: () => boolean
  readonly close: () => Promise<void>
}

/**
 * Resolves at the first signal to stop. Later ones change nothing and must not end the process: a terminal sends Ctrl-C
 * to the whole group, and npm and the primary pass on what their children got already.
 */
function stopAsked(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve)
    process.on('SIGINT', resolve)
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
  if (config.baseUrl === undefined && (config.host === '0.0.0.0' || config.host === '::')) {
    log.warn({}, `SVC_BASE_URL is not set; ${config.host} is no address that a reader can follow`)
  }
  const identity = findWaitlistIdentity(config)
  if (identity !== undefined) {
    const level = config.runtime === 'production' ? 'warn' : 'info'
    log[level](
      { file: identity },
      `Whoever has ${identity} can read the waitlist, and nothing here needs it: move it to another machine`,
    )
  }
  const exposed = findExposedSecretFiles(config)
  if (exposed.length > 0) {
    log.warn({ files: exposed }, 'Other users can access these secret files; run chmod go= on them')
  }
}

/** No mistake: a service that is started again at night had better answer those who do not verify. */
function warnIfSigningKeyExpired({ publishedKeys }: Secrets, nowMs: number, log: Log): void {
  const current = publishedKeys.find(({ status }) => status === 'current')
  if (current === undefined || periodStateOf(current, nowMs) !== 'after') return
  const { keyId, notAfter } = current
  log.error(
    { keyId, notAfter },
    'The current signing key has expired; verifiers refuse every response until another key is promoted',
  )
}

async function serveWithWorkers(config: Config, log: Log, times: StopTimes): Promise<Serving> {
  // Before the first worker can ask.
  const stopCounting = serveCounters(createMemoryCounters({ clock: SYSTEM_CLOCK }))
  const port = config.port === 0 ? await findFreePort(config.host) : config.port
  const { killAfterMs } = times
  // A worker that takes another's place must sign, seal and hash as the others do, whatever the files say by then.
  const env = readSecretVariables(config)
  const workers = openWorkers({ count: config.workers, port, env, log, killAfterMs })
  await workers.listening
  const metrics = config.adminPort === undefined ? undefined : await openWorkerMetrics(workers)
  const close = async () => {
    await workers.close()
    stopCounting()
  }
  return { port, metrics, isAccepting: workers.isAccepting, close }
}

/** What was read before anything serves. */
interface Opened {
  readonly releases: Releases
  readonly secrets: Secrets
}

/**
 * Reads what is published before a secret is made: a broken chain ends the start and leaves nothing behind. With several
 * workers their process checks what each of them then loads.
 */
async function openFiles(config: Config, log: Log): Promise<Opened> {
  const releases = loadReleases(openReleaseStore(config.releasesDir))
  const { secrets, made } = await openSecrets(config, Date.now())
  if (made.length > 0) {
    log.info({ files: made }, `Made local secrets in ${config.secretsDir}; keep a copy of them`)
  }
  return { releases, secrets }
}

/** Serves in this process. */
async function serveHere(
  config: Config,
  log: Log,
  { graceMs }: StopTimes,
  opened: Opened,
): Promise<Serving> {
  const counted = config.adminPort === undefined ? undefined : await openMetrics()
  const localCounters = cluster.isWorker
    ? createClusterCounters()
    : createMemoryCounters({ clock: SYSTEM_CLOCK })
  const onAnswer = counted?.observe
  const server = await startServer({ config, ...opened, localCounters, log, graceMs, onAnswer })
  return { ...server, metrics: counted?.metrics }
}

/** The admin listener, where a port is configured; it is the primary's. */
async function openAdminOf(
  { adminPort: port }: Config,
  log: Log,
  { metrics, isAccepting: isReady }: Serving,
): Promise<AdminListener | undefined> {
  if (port === undefined || metrics === undefined) return undefined
  const admin = await openAdmin({ port, log, isReady, metrics })
  log.info({ port: admin.port }, 'Health and metrics on loopback')
  return admin
}

async function serve(config: Config, log: Log, times: StopTimes): Promise<void> {
  const opened = await openFiles(config, log)
  // The workers have the same environment; it is told of once.
  if (cluster.isPrimary) {
    warnOfEnvironment(config, log)
    warnIfSigningKeyExpired(opened.secrets, Date.now(), log)
  }
  // Asked for from here on: a signal during the start ends it as soon as it is up.
  const stop = stopAsked()
  const serving =
    config.workers > 1 && cluster.isPrimary
      ? await serveWithWorkers(config, log, times)
      : await serveHere(config, log, times, opened)
  const admin = cluster.isPrimary ? await openAdminOf(config, log, serving) : undefined
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
  return `${messageOf(error)}\n`
}

/** Runs the service until it is told to stop. Resolves with the exit code: 0 after a stop, 1 when it cannot start. */
export async function run(
  env: Environment,
  workingDir: string,
  times: StopTimes = STOP_TIMES,
): Promise<number> {
  let config: Config
  try {
    config = checkStart(env, workingDir, Date.now())
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(explain(error))
    return 1
  }
  const log = openLog(config.logLevel, cluster.worker?.id)
  try {
    await serve(config, log, times)
    return 0
  } catch (error) {
    const reason = messageOf(error)
    log.error({ err: error }, `The service does not start: ${reason}`)
    process.stderr.write(`The service does not start: ${explain(error)}`)
    // Timers and sockets of what was opened already must not keep the process.
    return process.exit(1)
  }
}
