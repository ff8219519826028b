import { createSocket } from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { TestContext } from 'node:test'
import {
  AUTHENTIC_DATA,
  decode,
  encode,
  type Packet,
  streamEncode,
  TRUNCATED_RESPONSE,
} from 'dns-packet'

/** What the server answers to every question; a test changes it as it goes on. */
export interface Zone {
  /** TXT records by name. A record of several strings is a list. */
  records: { readonly [name: string]: readonly (string | readonly string[])[] }
  /** Whether the resolver claims to have validated its response. */
  isValidated?: boolean
  /** 2: server failure. */
  errorCode?: number
  /** Responses over UDP are cut, so that the question comes again over TCP. */
  isTruncated?: boolean
  isSilent?: boolean
  /** Sent before each UDP response: a forged one with another ID. */
  forged?: string
}

const NAME_ERROR = 3

function respond(query: Packet, zone: Zone, isTcp: boolean): Packet {
  const [question] = query.questions ?? []
  const found = zone.records[question?.name.toLowerCase() ?? '']
  const isCut = zone.isTruncated === true && !isTcp
  const code = zone.errorCode ?? (found === undefined ? NAME_ERROR : 0)
  return {
    type: 'response',
    id: query.id ?? 0,
    flags: code | (zone.isValidated ? AUTHENTIC_DATA : 0) | (isCut ? TRUNCATED_RESPONSE : 0),
    questions: query.questions ?? [],
    answers: isCut
      ? []
      : (found ?? []).map((data) => ({
          type: 'TXT',
          name: question?.name ?? '',
          data: [data].flat(),
        })),
  }
}

/** A resolver on loopback, over UDP and TCP, which this process uses until the test ends. */
export async function useDnsServer(t: TestContext, zone: Zone): Promise<void> {
  const tcp = createServer((socket) => {
    socket.once('data', (data) => {
      const query = decode((data as Buffer).subarray(2))
      // In two parts, as a network may deliver it.
      const bytes = streamEncode(respond(query, zone, true))
      socket.write(bytes.subarray(0, 1))
      setImmediate(() => socket.end(bytes.subarray(1)))
    })
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4', (message, from) => {
    if (zone.isSilent) return
    const query = decode(message)
    if (zone.forged !== undefined) {
      const [question] = query.questions ?? []
      const lie: Zone = { records: { [question?.name ?? '']: [zone.forged] }, isValidated: true }
      udp.send(
        encode(respond({ ...query, id: ((query.id ?? 0) + 1) % 0x1_0000 }, lie, true)),
        from.port,
        from.address,
      )
    }
    udp.send(encode(respond(query, zone, false)), from.port, from.address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  const servers = dns.getServers()
  dns.setServers([`127.0.0.1:${port}`])
  t.after(() => {
    dns.setServers(servers)
    udp.close()
    tcp.close()
  })
}
