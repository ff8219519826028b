import { messageOf } from '@public-api/contract/errors/error-message'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { MAX_AHEAD_MS } from '@public-api/contract/registry/release-notices'
import { querySntp } from '../service/time/sntp.ts'
import { formatLocation } from '../storage/open-storage.ts'
import { readConfig } from './database.ts'
import { confirm } from './standard-input.ts'

/** A larger difference is worth a warning. `/time` is as exact as the way to it. */
const MAX_OFFSET_MS = 2000
const TIMEOUT_MS = 2000

interface Reference {
  /** How far this machine's clock is ahead of it; undefined if it did not respond. */
  readonly offsetMs: number | undefined
  /** How far the reference itself may be off. */
  readonly errorMs: number
  readonly name: string
  readonly failure?: string
}

async function askTimeSource(): Promise<Reference | undefined> {
  const { ntpServer: server } = readConfig(['SVC_NTP_SERVER'])
  if (server === undefined) return undefined
  const name = `${server.host} (SVC_NTP_SERVER)`
  const monotonicMs = () => performance.now()
  try {
    const { referenceMs, atMonotonicMs, errorMs } = await querySntp({
      server,
      turn: 0,
      timeoutMs: TIMEOUT_MS,
      nowMs: Date.now,
      monotonicMs,
    })
    const offsetMs = Date.now() - (referenceMs + monotonicMs() - atMonotonicMs)
    return { offsetMs, errorMs, name }
  } catch (error) {
    return { offsetMs: undefined, errorMs: 0, name, failure: messageOf(error) }
  }
}

/** The time that the service serves. Nothing is said of a service that does not respond: an incident must be published. */
async function askService(): Promise<Reference | undefined> {
  const { baseUrl } = readConfig(['SVC_BASE_URL'])
  if (baseUrl === undefined) return undefined
  const startMs = performance.now()
  try {
    const response = await fetch(new URL(READ_PATHS.time, baseUrl), {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body = parseJson(await response.text())
    const servedMs = Number(propertyOf(propertyOf(body, 'data'), 'epochMs'))
    if (response.status !== 200 || !Number.isSafeInteger(servedMs)) return undefined
    const errorMs = performance.now() - startMs
    return { offsetMs: Date.now() - servedMs, errorMs, name: `${baseUrl} (SVC_BASE_URL)` }
  } catch {
    return undefined
  }
}

/** The clock of a PostgreSQL database; an embedded one has that of this machine. As silent as the service when it is away. */
async function askDatabase(): Promise<Reference | undefined> {
  // A mistake in its address is for the service to name.
  const { database } = readConfig([])
  if (database.kind === 'sqlite') return undefined
  const name = `${formatLocation(database)} (SVC_DATABASE_URL)`
  const { createPostgresSession } = await import('../storage/postgres/postgres-session.ts')
  const session = createPostgresSession({ url: database.url, where: name })
  const startMs = performance.now()
  try {
    const [row] = await session.query<{ readonly ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms',
    )
    if (row === undefined) return undefined
    return { offsetMs: Date.now() - row.ms, errorMs: performance.now() - startMs, name }
  } catch {
    return undefined
  } finally {
    await session.close()
  }
}

/** The newest of the clocks of the service and its database. */
async function askOthers(): Promise<Reference | undefined> {
  const clocks = await Promise.all([askService(), askDatabase()])
  const [newest] = clocks
    .filter((each) => each?.offsetMs !== undefined)
    .toSorted((one, other) => Number(one?.offsetMs) - Number(other?.offsetMs))
  return newest
}

/**
 * Compares the clock of this machine, by which versions are dated, with SVC_NTP_SERVER, or else with the newer of the times
 * of the service and of its PostgreSQL database. Resolves with a warning, undefined if they agree. A difference beyond MAX_AHEAD_MS, after which every reader would
 * report a version of the future, is asked about unless `isAccepted`: rejects with a CommandFailure, or with a UsageError where no one can be asked.
 */
export async function checkPublisherClock(isAccepted: boolean): Promise<string | undefined> {
  const reference = (await askTimeSource()) ?? (await askOthers())
  if (reference === undefined) return undefined
  const { offsetMs, errorMs, name, failure } = reference
  if (offsetMs === undefined) return `the clock could not be compared with ${name}: ${failure}`
  if (Math.abs(offsetMs) <= MAX_OFFSET_MS + errorMs) return undefined
  const direction = offsetMs > 0 ? 'ahead of' : 'behind'
  const warning = `the clock is ${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${direction} ${name}`
  if (Math.abs(offsetMs) > MAX_AHEAD_MS + errorMs && !isAccepted) {
    await confirm(
      `${warning}. Publish with this time? (yes/no) `,
      `${warning}; nothing was published`,
    )
  }
  return warning
}
