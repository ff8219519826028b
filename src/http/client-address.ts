import { BlockList, isIP, isIPv6 } from 'node:net'
import type { ApiRequest } from './api-request.ts'

const FORWARDED_FOR = 'x-forwarded-for'
/** An address with the port that some proxies add; an IPv6 address has brackets then. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/

/** Finds the address that a request comes from, as far as it is known. */
export type ClientAddress = (request: Pick<ApiRequest, 'peerAddress' | 'header'>) => string

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

function trustedListOf(proxies: readonly string[]): BlockList {
  const list = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

/** The address in one member of X-Forwarded-For; undefined for anything else, such as `unknown`. */
function addressIn(member: string): string | undefined {
  const text = member.trim()
  if (isIP(text) !== 0) return text
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  return isIP(address) === 0 ? undefined : address
}

/**
 * Reads client addresses behind the given proxies (addresses and ranges). Each proxy appends the address it was asked
 * from, so X-Forwarded-For is read from the right, and only as far as the proxies are trusted: what a client wrote into
 * it itself stands to the left of that and is never believed.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = trustedListOf(trustedProxies)
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, familyOf(address))
  return (request) => {
    let client = request.peerAddress()
    if (!isTrusted(client)) return client
    const members = request.header(FORWARDED_FOR)?.split(',') ?? []
    for (const member of members.toReversed()) {
      const address = addressIn(member)
      // Whoever is nearest and known: a proxy that writes no address cannot make its clients one with another's.
      if (address === undefined) return client
      client = address
      if (!isTrusted(client)) return client
    }
    return client
  }
}
