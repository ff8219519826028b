import { isIPv4, isIPv6 } from 'node:net'
import { isHostName } from '@public-api/contract/http/host-name'

/** A time server: a name or an address without brackets, and its UDP port. */
export interface NtpServer {
  readonly host: string
  readonly port: number
  /** As it was written, which is what `/time` reports. */
  readonly source: string
}

/** Parses `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; the default port is 123. Throws a RangeError. */
export function parseNtpServer(text: string): NtpServer {
  const match = /^(?:\[([^\]]+)\]|([^[\]:]+))(?::(\d{1,5}))?$/.exec(text)
  const [, bracketed, plain = '', portText = '123'] = match ?? []
  const port = Number(portText)
  const host = bracketed ?? plain
  const isKnown = bracketed === undefined ? isIPv4(host) || isHostName(host) : isIPv6(host)
  if (!isKnown || port < 1 || port > 65_535) {
    throw new RangeError(
      `"${text}" is not a time server: expected a host or IPv4 address, or an IPv6 address in brackets, ` +
        'with an optional :port from 1 to 65535',
    )
  }
  return { host, port, source: text }
}
