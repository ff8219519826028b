import { createHmac } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { DAY_MS, formatDate } from '../contract/instant.ts'
import type { Counters } from '../storage/counters.ts'
import type { Clock } from './clock.ts'

/** Name prefix of the daily keys in the shared secrets. */
export const ACTOR_KEY_PREFIX = 'actor-key:'

/** How long a day's key is stored after the day, for processes whose clock is slow. */
const CLOCK_MARGIN_MS = 60_000

/** The 32 hexadecimal digits of an IPv6 address. The URL parser writes every spelling as groups with at most one `::`. */
function ipv6Digits(address: string): string {
  const { hostname } = new URL(`http://[${address}]`)
  const [left = '', right] = hostname.slice(1, -1).split('::')
  const digitsOf = (groups: string): string =>
    groups
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join('')
  const tail = right === undefined ? '' : digitsOf(right)
  return digitsOf(left).padEnd(32 - tail.length, '0') + tail
}

/** The start of ::ffff:0:0/96: an IPv4 address as a dual-stack socket reports it (RFC 4291 2.5.5.2). */
const MAPPED = '00000000000000000000ffff'

/** The bytes of an address that limits apply to: four for IPv4 and eight for IPv6, so they never collide. */
function rateLimitBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number)
  // The zone (RFC 4007) is an interface of this machine.
  const [unscoped = ''] = address.split('%')
  // The address is not quoted, since logs must not contain one.
  if (!isIPv6(address) || !isIPv6(unscoped)) throw new TypeError('Expected an IPv4 or IPv6 address')
  const digits = ipv6Digits(unscoped)
  const counted = digits.startsWith(MAPPED) ? digits.slice(MAPPED.length) : digits.slice(0, 16)
  return Buffer.from(counted, 'hex')
}

/** Pseudonyms of client addresses for rate limits, under the day's key, which all processes share. */
export function createActors({
  counters,
  clock,
}: {
  readonly counters: Pick<Counters, 'secret'>
  readonly clock: Clock
}) {
  /** Fetched for each request, because shared counters have another key after a data loss. */
  function dailyKey(): Promise<Uint8Array> {
    const day = Math.floor(clock.nowMs() / DAY_MS)
    const name = `${ACTOR_KEY_PREFIX}${formatDate(day * DAY_MS)}`
    return counters.secret(name, (day + 1) * DAY_MS + CLOCK_MARGIN_MS)
  }

  return {
    /**
     * The actor of a client address: base64url of HMAC-SHA256 over the IPv4 address, or over the first 64 bits of the IPv6
     * address, the smallest network a provider assigns to a customer. The key is random and changes daily (UTC), so an actor
     * cannot be linked across days. Throws TypeError for an invalid address; rejects with CountersError when the key is
     * unavailable.
     */
    async actorOf(address: string): Promise<string> {
      const bytes = rateLimitBytes(address)
      return createHmac('sha256', await dailyKey())
        .update(bytes)
        .digest('base64url')
    },
  }
}
