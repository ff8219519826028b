import { createHmac } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { DAY_MS, formatDate } from '../contract/instant.ts'
import type { Counters } from '../storage/counters.ts'
import type { Clock } from './clock.ts'

/** Pseudonyms of client addresses for rate limits. */
export interface Actors {
  /**
   * The actor of a client address: base64url of HMAC-SHA256 over the IPv4 address, or over the first 64 bits of the IPv6
   * address, the smallest network a provider assigns to a customer. The key is random and changes daily (UTC), so an actor
   * cannot be linked across days. Throws TypeError for an invalid address; rejects with CountersError when the key is
   * unavailable.
   */
  actorOf(address: string): Promise<string>
}

export interface ActorsOptions {
  /** Share the key of the day between all processes. */
  readonly counters: Pick<Counters, 'secret'>
  readonly clock: Clock
}

/** Name prefix of the daily keys in the shared secrets. */
export const ACTOR_KEY_PREFIX = 'actor-key:'

/** How long a day's key is stored after the day, for processes whose clock is slow. */
const CLOCK_MARGIN_MS = 60_000
const IPV6_GROUPS = 8
const COUNTED_IPV6_BYTES = 8

function ipv4Bytes(address: string): Uint8Array {
  return Uint8Array.from(address.split('.'), Number)
}

/** The 16-bit groups on one side of `::`. A dotted quad at the end is two groups (RFC 4291 2.2). */
function parseGroups(side: string): readonly number[] {
  if (side === '') return []
  return side.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = ipv4Bytes(group)
    return [a * 256 + b, c * 256 + d]
  })
}

function ipv6Bytes(address: string): Uint8Array {
  const [left = '', right] = address.split('::')
  const head = parseGroups(left)
  const tail = right === undefined ? [] : parseGroups(right)
  const zeros = Array.from({ length: IPV6_GROUPS - head.length - tail.length }, () => 0)
  return Uint8Array.from([...head, ...zeros, ...tail].flatMap((group) => [group >> 8, group & 255]))
}

/** Whether the address is in ::ffff:0:0/96: an IPv4 address as a dual-stack socket reports it (RFC 4291 2.5.5.2). */
function isMapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
}

/**
 * The bytes of an address that limits apply to: four for IPv4, eight for IPv6. The lengths differ, so they never
 * collide.
 */
function rateLimitBytes(address: string): Uint8Array {
  if (isIPv4(address)) return ipv4Bytes(address)
  // The zone (RFC 4007) is an interface of this machine.
  const [unscoped = ''] = address.split('%')
  // The address is not quoted, since logs must not contain one.
  if (!isIPv6(address) || !isIPv6(unscoped)) throw new TypeError('Expected an IPv4 or IPv6 address')
  const bytes = ipv6Bytes(unscoped)
  return isMapped(bytes) ? bytes.subarray(12) : bytes.subarray(0, COUNTED_IPV6_BYTES)
}

/** Derives actors with the day's key, which all processes share. */
export function createActors({ counters, clock }: ActorsOptions): Actors {
  /** Fetched for each request, because shared counters have another key after a data loss. */
  function dailyKey(): Promise<Uint8Array> {
    const day = Math.floor(clock.nowMs() / DAY_MS)
    const name = `${ACTOR_KEY_PREFIX}${formatDate(day * DAY_MS)}`
    return counters.secret(name, (day + 1) * DAY_MS + CLOCK_MARGIN_MS)
  }

  return {
    async actorOf(address) {
      const bytes = rateLimitBytes(address)
      return createHmac('sha256', await dailyKey())
        .update(bytes)
        .digest('base64url')
    },
  }
}
