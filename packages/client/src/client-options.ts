import type { ConnectionLimits, Fetch } from './connection.ts'
import type { ResponseStore } from './copies/copy-settings.ts'
import type { OnRetry, Wait } from './retries.ts'

/** Options of `createClient`. */
export interface ClientOptions extends ConnectionLimits {
  /** Origin of the service, such as `https://api.example.org`. */
  readonly baseUrl: string | URL
  /**
   * Ids of the keys to trust, learned from a source other than the service. Without them, the client trusts the keys of
   * the first key document, and accepts a copy of the service with its own keys.
   */
  readonly pinnedKeyIds?: readonly string[]
  /** Maximum age of a signature in seconds. Default: 900. */
  readonly maxAgeSeconds?: number
  /** Sent as a bearer token. */
  readonly apiKey?: string
  /** Attempts after the first one. Default: 2. */
  readonly maxRetries?: number
  /** A response that asks for a longer wait, in seconds, is not retried. Default: 30. */
  readonly maxWaitSeconds?: number
  /**
   * URLs of copies, which are read in their order while the service is away: after a connection that failed, a time-out, or
   * a 5xx or 429 that is not signed. `source` of a result says where it comes from.
   */
  readonly mirrors?: readonly (string | URL)[]
  /** A copy that was proved longer ago, in seconds, is a CopyError. Default: any age. */
  readonly maxMirrorAgeSeconds?: number
  /** Stores the last verified responses, which are read if no copy is valid. */
  readonly store?: ResponseStore
  /** Called before each retry. */
  readonly onRetry?: OnRetry
  /** Sends the requests. Default: the fetch of the platform. */
  readonly fetch?: Fetch
  /** The clock: milliseconds since 1970. */
  readonly now?: () => number
  /** Waits before a retry. */
  readonly wait?: Wait
}

type Rule = readonly [isAccepted: (value: unknown) => boolean, expected: string]

const CALLABLE: Rule = [(value) => typeof value === 'function', 'a function']
const POSITIVE: Rule = [(value) => typeof value === 'number' && value > 0, 'more than 0']

/** Whether a value is the URL of a copy: an origin and a path. */
function isMirrorUrl(value: unknown): boolean {
  try {
    const { href, origin, pathname } = new URL(String(value))
    return /^https?:/.test(href) && href === origin + pathname
  } catch {
    return false
  }
}

const KEY_ID = /^[\w-]{43}$/

/** For each option, the check of a value and the expectation in the error. */
const RULES: Readonly<Record<keyof ClientOptions, Rule>> = {
  // The connection checks the format.
  baseUrl: [Boolean, 'an origin'],
  pinnedKeyIds: [
    (value) => Array.isArray(value) && value[0] && value.every((id) => KEY_ID.test(id)),
    'key IDs of 43 characters',
  ],
  maxAgeSeconds: POSITIVE,
  apiKey: [(value) => /^[!-~]+$/.test(String(value)), 'visible ASCII'],
  maxRetries: [(value) => Number.isInteger(value) && Number(value) >= 0, 'an integer from 0'],
  maxWaitSeconds: POSITIVE,
  mirrors: [
    (value) => Array.isArray(value) && value.every(isMirrorUrl),
    'a list of URLs such as https://copy.example.net/status/',
  ],
  maxMirrorAgeSeconds: POSITIVE,
  store: [(value) => typeof value === 'object', 'a store'],
  timeoutMs: POSITIVE,
  maxBodyBytes: POSITIVE,
  onRetry: CALLABLE,
  fetch: CALLABLE,
  now: CALLABLE,
  wait: CALLABLE,
}

/**
 * Throws a TypeError for an unknown option or a wrong value. The message never quotes the value, which may be an API
 * key.
 */
export function checkOptions(options: ClientOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name as keyof ClientOptions] : undefined
    if (rule === undefined) {
      throw new TypeError(`unknown option; expected ${Object.keys(RULES).join()}`)
    }
    if (value !== undefined && !rule[0](value)) throw new TypeError(`${name}: expected ${rule[1]}`)
  }
}
