import { randomBytes } from 'node:crypto'
import { messageOf } from '@public-api/contract/errors/error-message'
import type { RedisOptions } from 'ioredis'
import { type Counters, CountersError, SECRET_BYTES } from './counters.ts'
import { COUNT_SCRIPT, RELEASE_SCRIPT, SECRET_SCRIPT, SPEND_SCRIPT } from './valkey-scripts.ts'

export interface ValkeyOptions {
  /** `valkey://` or `redis://`, with TLS `valkeys://` or `rediss://`. May contain a password. */
  readonly url: string
  /**
   * The clock for windows and spent ids; for tests. Default: the server's clock, on which all nodes agree. Windows then
   * end by the clock of this machine.
   */
  readonly clock?: { nowMs(): number }
}

/** A command that takes longer fails, and its caller falls back. */
const COMMAND_TIMEOUT_MS = 500
const CONNECT_TIMEOUT_MS = 2000
/** A connection without data for this long while a command waits is replaced, because its peer may have vanished. */
const SOCKET_TIMEOUT_MS = 2000
const MAX_RECONNECT_DELAY_MS = 2000
const MIN_MAJOR_VERSION = 7
const PREFIX = 'svc:'

const CONNECTION_OPTIONS = {
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  // A call fails immediately while the server is unavailable, because the caller has a fallback.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS),
  // After a failover the address leads to the new primary.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
}

/** The reason not to use a server, from its INFO; undefined if it is suitable. */
function unsuitableReason(info: string): string | undefined {
  const version = field(info, 'valkey_version') ?? field(info, 'redis_version') ?? ''
  if (Number.parseInt(version, 10) < MIN_MAJOR_VERSION) {
    return `expected Valkey or Redis ${MIN_MAJOR_VERSION} or newer, found ${version}`
  }
  const policy = field(info, 'maxmemory_policy') ?? 'noeviction'
  // An evicted id of a spent challenge could be spent again.
  if (field(info, 'maxmemory') !== '0' && policy !== 'noeviction') {
    return `expected maxmemory-policy noeviction, found ${policy}`
  }
  return undefined
}

/**
 * Counters on Valkey or Redis. Each call is one Lua script, and so atomic over all nodes. A call rejects with CountersError
 * when the server is unreachable, slow, read-only or unsuitable; nothing is retried here. The connection is restored in the
 * background. Resolves after the first attempt to connect, whatever its outcome.
 */
export async function openValkeyCounters(options: ValkeyOptions) {
  const { url, clock } = options
  // Loaded only when configured.
  const { Redis: Client } = await import('ioredis')
  const client = new Client(url.replace(/^valkey/, 'redis'), CONNECTION_OPTIONS)
  let failure: string | undefined = 'not connected'
  const settled = Promise.withResolvers<void>()

  function fail(message: string): void {
    failure = message
    settled.resolve()
  }

  client.on('ready', () => {
    client
      .info()
      .then((info) => {
        failure = unsuitableReason(info)
        settled.resolve()
      })
      .catch((error: unknown) => {
        fail(messageOf(error))
        // The next connection repeats the check; without it the server would stay unused for as long as this one lasts.
        if (client.status === 'ready') client.disconnect(true)
      })
  })
  // Keeps only the message, because errors of ioredis contain the command and its arguments, such as a password.
  client.on('error', (error: Error) => fail(messageOf(error)))
  client.on('close', () => fail('the connection was closed'))

  async function run(
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    if (failure !== undefined) throw new CountersError(`Valkey is unavailable: ${failure}`)
    try {
      return await client.eval(script, keys.length, ...keys, ...args)
    } catch (error) {
      throw new CountersError(`Valkey is unavailable: ${messageOf(error)}`)
    }
  }

  await settled.promise

  /** The time argument of the scripts; '' lets the server's clock decide. */
  const scriptNow = clock === undefined ? () => '' : () => clock.nowMs()
  const nowMs = () => (clock === undefined ? Date.now() : clock.nowMs())

  const counters: Counters = {
    async count(windows) {
      const keys = windows.map(({ key }) => `${PREFIX}count:${key}`)
      const limits = windows.flatMap(({ requests, windowSeconds }) => [
        requests,
        windowSeconds * 1000,
      ])
      const reply = await run(COUNT_SCRIPT, keys, [scriptNow(), ...limits])
      const [admitted, ...states] = reply as readonly number[]
      const localNowMs = nowMs()
      return {
        isAdmitted: admitted === 1,
        windows: windows.map((_, index) => ({
          remaining: states[index * 2] ?? 0,
          endsAtMs: localNowMs + (states[index * 2 + 1] ?? 0),
        })),
      }
    },

    async spend(id, untilMs, secret) {
      const keys = [`${PREFIX}spent:${id}`, `${PREFIX}secret:${secret?.name ?? ''}`]
      const expected = secret === undefined ? '' : Buffer.from(secret.bytes).toString('hex')
      return (await run(SPEND_SCRIPT, keys, [scriptNow(), untilMs - nowMs(), expected])) === 1
    },

    async release(id) {
      await run(RELEASE_SCRIPT, [`${PREFIX}spent:${id}`], [])
    },

    async secret(name, untilMs) {
      const candidate = randomBytes(SECRET_BYTES).toString('hex')
      const args = [scriptNow(), untilMs - nowMs(), candidate]
      const secret = await run(SECRET_SCRIPT, [`${PREFIX}secret:${name}`], args)
      return Uint8Array.from(Buffer.from(String(secret), 'hex'))
    },
  }
  return {
    ...counters,
    /** Why the server cannot be used now; undefined if it can. Contains no password. */
    failure: () => failure,
    close: () => client.disconnect(),
  }
}
