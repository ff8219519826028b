import { createHmac } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { DAY_MS, formatDate } from '../contract/instant.ts'
import type { Counters } from '../storage/counters.ts'
import type { Clock } from './clock.ts'

/** Who is counted: the households and hosts behind addresses, under names that say nothing of them. */
export interface Actors {
  /**
   * The actor of a client address: base64url of HMAC-SHA256 over the IPv4 address, or over the first 64 bits of the IPv6
   * address, which is what one customer of a provider gets at least. The key is random and another one each day (UTC), so
   * an actor cannot be told again on the next. Throws TypeError for what is no address; rejects with CountersError when
   * the key cannot be had.
   */
  actorOf(address: string): Promise<string>
}

/** What actors are made from. */
export interface ActorsOptions {
  /** Where the processes of a deployment share the day's key. */
  readonly counters: Pick<Counters, 'secret'>
  readonly clock: Clock
}

/** A day's key is kept a little beyond it, for a process whose clock is behind the others'. */
const CLOCK_MARGIN_MS = 60_000
const IPV6_GROUPS = 8
const COUNTED_IPV6_BYTES = 8

function ipv4Bytes(address: string): Uint8Array {
  return Uint8Array.from(address.split('.'), Number)
}

/** The groups of one side of `::`; four numbers with dots at the end are two groups (RFC 4291 2.2). */
function groupsOf(side: string): readonly number[] {
  if (side === '') return []
  return side.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = ipv4Bytes(group)
    return [a * 256 + b, c * 256 + d]
  })
}

function ipv6Bytes(address: string): Uint8Array {
  const [left = '', right] = address.split('::')
  const head = groupsOf(left)
  const tail = right === undefined ? [] : groupsOf(right)
  const zeros = Array.from({ length: IPV6_GROUPS - head.length - tail.length }, () => 0)
  return Uint8Array.from([...head, ...zeros, ...tail].flatMap((group) => [group >> 8, group & 255]))
}

/** Whether it is ::ffff:0:0/96, an IPv4 address as a socket for both families shows it (RFC 4291 2.5.5.2). */
function isMapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
}

/** The bytes an actor is told by: four for IPv4, eight for IPv6, so that no address of one is one of the other. */
function countedBytes(address: string): Uint8Array {
  if (isIPv4(address)) return ipv4Bytes(address)
  // Which interface of this machine it came in on (RFC 4007) says nothing of the client.
  const [unscoped = ''] = address.split('%')
  // The address is not quoted: no log may hold one.
  if (!isIPv6(address) || !isIPv6(unscoped)) throw new TypeError('Expected an IPv4 or IPv6 address')
  const bytes = ipv6Bytes(unscoped)
  return isMapped(bytes) ? bytes.subarray(12) : bytes.subarray(0, COUNTED_IPV6_BYTES)
}

/** Makes actors of addresses, with the day's key that all processes share through their counters. */
export function createActors({ counters, clock }: ActorsOptions): Actors {
  let kept: { readonly day: number; readonly key: Promise<Uint8Array> } | undefined

  function keyOfToday(): Promise<Uint8Array> {
    const day = Math.floor(clock.nowMs() / DAY_MS)
    if (kept?.day === day) return kept.key
    const name = `actor-key:${formatDate(day * DAY_MS)}`
    const key = counters.secret(name, (day + 1) * DAY_MS + CLOCK_MARGIN_MS)
    const made = { day, key }
    kept = made
    // The next call asks again when this one gets none.
    key.catch(() => {
      if (kept === made) kept = undefined
    })
    return key
  }

  return {
    async actorOf(address) {
      const bytes = countedBytes(address)
      return createHmac('sha256', await keyOfToday())
        .update(bytes)
        .digest('base64url')
    },
  }
}
