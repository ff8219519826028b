import { createHmac } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { DAY_MS, formatDate, startOfDay } from '@public-api/contract/text/instant'
import type { Counters } from '../../storage/counters/counters.ts'
import type { Clock } from '../clock.ts'

/** Name prefix of the daily keys in the shared secrets. */
const ACTOR_KEY_PREFIX = 'actor-key:'

/** How long a day's key is stored after the day, for processes whose clock is slow. */
const CLOCK_MARGIN_MS = 60_000

/** The start of ::ffff:0:0/96: an IPv4 address as a dual-stack socket reports it (RFC 4291 2.5.5.2). */
const MAPPED = '00000000000000000000ffff'

/** The bytes of an address that limits apply to: four for IPv4 and eight for IPv6, so they never collide. */
function rateLimitBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number)
  // The zone (RFC 4007) is an interface of this machine.
  const [unscoped = ''] = address.split('%')
  // The address is not quoted, since logs must not contain one.
  if (!isIPv6(address) || !isIPv6(unscoped)) throw new TypeError('Expected an IPv4 or IPv6 address')
  // The URL parser writes every spelling as groups with at most one `::`.
  const { hostname } = new URL(`http://[${unscoped}]`)
  const padded = hostname.slice(1, -1).replaceAll(/[0-9a-f]+/g, (group) => group.padStart(4, '0'))
  const [left = '', right = ''] = padded.split('::').map((half) => half.replaceAll(':', ''))
  const digits = left.padEnd(32 - right.length, '0') + right
  const counted = digits.startsWith(MAPPED) ? digits.slice(MAPPED.length) : digits.slice(0, 16)
  return Buffer.from(counted, 'hex')
}

/**
 * The network of a peer while its connection is open: an IPv4 address, or the first 64 bits of an IPv6 address. Throws
 * TypeError for an invalid address.
 */
export function networkOf(address: string): string {
  return Buffer.from(rateLimitBytes(address)).toString('latin1')
}

/**
 * The actor of a client address, its pseudonym for rate limits: base64url of HMAC-SHA256 over the IPv4 address, or over the
 * first 64 bits of the IPv6 address, the smallest network a provider assigns to a customer. All processes share the key,
 * which is random and changes daily (UTC), so an actor cannot be linked across days. Rejects with TypeError for an invalid
 * address, and with CountersError when the key is unavailable.
 */
export async function actorOf(
  address: string,
  counters: Pick<Counters, 'secret'>,
  clock: Clock,
): Promise<string> {
  const bytes = rateLimitBytes(address)
  const startOfDayMs = startOfDay(clock.nowMs())
  // Fetched for each request, because shared counters have another key after a data loss.
  const key = await counters.secret(
    `${ACTOR_KEY_PREFIX}${formatDate(startOfDayMs)}`,
    startOfDayMs + DAY_MS + CLOCK_MARGIN_MS,
  )
  return createHmac('sha256', key).update(bytes).digest('base64url')
}
