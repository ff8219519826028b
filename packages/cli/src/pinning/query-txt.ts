import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import {
  AUTHENTIC_DATA,
  decode,
  encode,
  type Packet,
  RECURSION_DESIRED,
  streamEncode,
  TRUNCATED_RESPONSE,
} from 'dns-packet'

const DNS_PORT = 53
/** For each server and attempt. */
const TIMEOUT_MS = 3000
/** The size of responses over UDP that needs no fragmentation on common paths (RFC 9715). */
const UDP_PAYLOAD_BYTES = 1232

/** No resolver answered. */
export class DnsError extends Error {
  override readonly name = 'DnsError'
}

type Server = ReturnType<typeof parseServer>

/** `1.1.1.1`, `1.1.1.1:5300` or `[::1]:5300`, as `dns.getServers` writes them. */
function parseServer(text: string) {
  const [, bracketed, v4, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d+))?$/.exec(text) ?? []
  return { host: bracketed ?? v4 ?? text, port: port === undefined ? DNS_PORT : Number(port) }
}

/**
 * Whether the resolver's word about DNSSEC reaches this program unchanged: it runs on this machine, or the administrator
 * says so (`options trust-ad` of resolv.conf(5)).
 */
function isTrustedPath({ host }: Server): boolean {
  if (host.startsWith('127.') || host === '::1') return true
  try {
    return /^\s*options\b.*\btrust-ad\b/m.test(readFileSync('/etc/resolv.conf', 'utf8'))
  } catch {
    return false
  }
}

function createQuery(name: string, id: number): Packet {
  return {
    id,
    type: 'query',
    // A query with this flag asks for the flag in the response (RFC 6840 5.7).
    flags: RECURSION_DESIRED | AUTHENTIC_DATA,
    questions: [{ type: 'TXT', name }],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: UDP_PAYLOAD_BYTES,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  }
}

/** Sends a query over UDP. The connected socket accepts only datagrams of the server. */
async function askOverUdp(server: Server, query: Buffer, signal: AbortSignal): Promise<Buffer> {
  const socket = createSocket(server.host.includes(':') ? 'udp6' : 'udp4')
  try {
    socket.connect(server.port, server.host)
    await once(socket, 'connect', { signal })
    socket.send(query)
    for (;;) {
      const [message] = (await once(socket, 'message', { signal })) as [Buffer]
      // A late or forged response has another ID.
      if (message.length >= 2 && message.readUInt16BE(0) === query.readUInt16BE(0)) return message
    }
  } finally {
    socket.close()
  }
}

/** Sends a query over TCP, for a response that is too large for UDP. */
async function askOverTcp(server: Server, query: Buffer, signal: AbortSignal): Promise<Buffer> {
  const socket = connect({ host: server.host, port: server.port, signal })
  try {
    socket.write(query)
    const chunks: Buffer[] = []
    for await (const chunk of socket) {
      chunks.push(chunk as Buffer)
      const received = Buffer.concat(chunks)
      // Two bytes with the length come first (RFC 1035 4.2.2).
      const end = received.length < 2 ? Infinity : 2 + received.readUInt16BE(0)
      if (received.length >= end) return received.subarray(2, end)
    }
    throw new DnsError('the connection was closed before the end of the response')
  } finally {
    socket.destroy()
  }
}

async function askServer(server: Server, name: string): Promise<Packet> {
  const query = createQuery(name, randomInt(0x1_0000))
  const udp = await askOverUdp(server, encode(query), AbortSignal.timeout(TIMEOUT_MS))
  const response = decode(udp)
  if (((response.flags ?? 0) & TRUNCATED_RESPONSE) === 0) return response
  return decode(await askOverTcp(server, streamEncode(query), AbortSignal.timeout(TIMEOUT_MS)))
}

/** Response codes (RFC 1035 4.1.1): the name exists; it does not exist. */
const [NO_ERROR, NAME_ERROR] = [0, 3]
const RESPONSE_CODE_BITS = 0xf

/** Throws a DnsError for a response that does not answer the question. */
function readAnswer({ type, flags = 0, questions = [], answers = [] }: Packet, name: string) {
  const [question] = questions
  const isOurs = question?.type === 'TXT' && question.name.toLowerCase() === name.toLowerCase()
  if (type !== 'response' || !isOurs) throw new DnsError('its response belongs to another question')
  const code = flags & RESPONSE_CODE_BITS
  if (code !== NO_ERROR && code !== NAME_ERROR) {
    throw new DnsError(`it reported the DNS error ${code}`)
  }
  return {
    records: answers.flatMap((answer) =>
      answer.type === 'TXT' ? [[answer.data].flat().map(String).join('')] : [],
    ),
    isValidated: (flags & AUTHENTIC_DATA) !== 0,
  }
}

function reasonOf(error: unknown): string {
  const { name, message } = error as Error
  const isTimeout = name === 'AbortError' || name === 'TimeoutError'
  return isTimeout ? `no response within ${TIMEOUT_MS / 1000} s` : message
}

/**
 * Reads the TXT records of a name through the system's resolvers, in their order, each once more if a datagram was lost.
 * node:dns does not report whether the resolver validated a response. Rejects with a DnsError if no resolver answers.
 */
export async function queryTxt(name: string) {
  // Not a named import, which would not follow `dns.setServers`.
  const resolvers = dns.getServers()
  if (resolvers.length === 0) throw new DnsError('the system has no resolver')
  const failures = new Map<string, string>()
  for (const resolver of [...resolvers, ...resolvers]) {
    const server = parseServer(resolver)
    try {
      const { records, isValidated } = readAnswer(await askServer(server, name), name)
      return {
        /** Each record as one text; empty if the name or the type does not exist. */
        records,
        /** Whether the resolver validated them by DNSSEC, and the path to the resolver can be trusted. */
        isAuthenticated: isValidated && isTrustedPath(server),
        resolver,
      }
    } catch (error) {
      failures.set(resolver, reasonOf(error))
    }
  }
  throw new DnsError([...failures].map(([resolver, why]) => `${resolver}: ${why}`).join('; '))
}
