import { isIP } from 'node:net'
import { createRangeCheck, type AddressRange } from '../service/waitlist/address-range.ts'
import type { ApiRequest } from './api-request.ts'

/** An address with the port that some proxies add; IPv6 addresses are then in brackets. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/

/** Determines the client address of a request, if known. */
export type ClientAddress = (request: Pick<ApiRequest, 'peerAddress' | 'header'>) => string

/** The address in one member of X-Forwarded-For; undefined for anything else, such as `unknown`. */
function addressIn(member: string): string | undefined {
  const text = member.trim()
  if (isIP(text) !== 0) return text
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  return isIP(address) === 0 ? undefined : address
}

/**
 * Reads client addresses behind the given proxies. Each proxy appends the address of its peer, so X-Forwarded-For is
 * read from the right, and only as far as the proxies are trusted. Values that a client wrote itself are further left
 * and are ignored.
 */
export function createClientAddress(trustedProxies: readonly AddressRange[]): ClientAddress {
  const isTrusted = createRangeCheck(trustedProxies)
  return (request) => {
    let client = request.peerAddress()
    if (!isTrusted(client)) return client
    const members = request.header('x-forwarded-for')?.split(',') ?? []
    for (const member of members.toReversed()) {
      const address = addressIn(member)
      // The nearest known address: a proxy that omits addresses must not merge its clients with those of another.
      if (address === undefined) return client
      client = address
      if (!isTrusted(client)) return client
    }
    return client
  }
}
