import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { SntpQuery } from '../../../src/service/time/sntp.ts'

/** The default wall clock of a rig. */
export const NOW_MS = Date.UTC(2026, 4, 17, 12, 0, 0)
/** Long enough never to pass on a busy machine, where the response is certain to come. */
export const PATIENT_MS = 20_000

/** The fields of a response, with what a healthy server of stratum 2 would put there. */
export interface ResponseFields {
  readonly leap?: number
  readonly version?: number
  readonly mode?: number
  readonly stratum?: number
  readonly precision?: number
  readonly rootDelayMs?: number
  readonly rootDispersionMs?: number
  readonly referenceId?: string
  /** Eight bytes; what the query carried as its transmit timestamp unless given. */
  readonly origin?: Uint8Array
  /** Unix milliseconds; null leaves the field empty. */
  readonly receiveMs?: number | null
  readonly transmitMs?: number | null
}

export interface Peer {
  readonly port: number
  readonly address: string
}

export interface SntpServer {
  readonly port: number
  /** The queries that came, as they came. */
  readonly queries: readonly Buffer[]
  stop(): Promise<void>
}

/** A time server on loopback that answers each query with the packets `respond` returns, in that order. */
export async function startSntpServer(
  respond: (query: Buffer, peer: Peer) => readonly Uint8Array[],
): Promise<SntpServer> {
  const socket = createSocket('udp4')
  const queries: Buffer[] = []
  socket.on('message', (query, peer) => {
    queries.push(query)
    for (const packet of respond(query, peer)) socket.send(packet, peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    queries,
    stop: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** A free port on loopback. */
export async function freeUdpPort(): Promise<number> {
  const server = await startSntpServer(() => [])
  await server.stop()
  return server.port
}

export function responseTo(query: Buffer, fields: ResponseFields = {}): Buffer {
  const packet = Buffer.alloc(48)
  packet[0] = ((fields.leap ?? 0) << 6) | ((fields.version ?? 4) << 3) | (fields.mode ?? 4)
  packet[1] = fields.stratum ?? 2
  packet.writeInt8(fields.precision ?? -24, 3)
  packet.writeUInt32BE(Math.round(((fields.rootDelayMs ?? 0) * 65_536) / 1000), 4)
  packet.writeUInt32BE(Math.round(((fields.rootDispersionMs ?? 0) * 65_536) / 1000), 8)
  packet.write(fields.referenceId ?? '', 12, 4, 'latin1')
  packet.set(fields.origin ?? query.subarray(40, 48), 24)
  writeTimestamp(packet, 32, fields.receiveMs ?? null)
  writeTimestamp(packet, 40, fields.transmitMs ?? null)
  return packet
}

/** Whatever the era: only the low 32 bits of the seconds since 1900 go on the wire. */
function writeTimestamp(packet: Buffer, offset: number, unixMs: number | null): void {
  if (unixMs === null) return
  const seconds = Math.floor(unixMs / 1000)
  packet.writeUInt32BE((seconds + 2_208_988_800) % 2 ** 32, offset)
  packet.writeUInt32BE(Math.round((unixMs / 1000 - seconds) * 2 ** 32), offset + 4)
}

export interface SntpRig {
  readonly query: SntpQuery
  readonly sent: readonly Buffer[]
}

/** A server whose way there and back takes `tripMs` on a monotonic clock that moves only then: no real time is measured. */
export async function sntpRig(
  t: TestContext,
  respond: (query: Buffer) => readonly Uint8Array[],
  { tripMs = 0, nowMs = NOW_MS }: { tripMs?: number; nowMs?: number } = {},
): Promise<SntpRig> {
  let monotonicMs = 5000
  const server = await startSntpServer((query) => {
    monotonicMs += tripMs
    return respond(query)
  })
  t.after(() => server.stop())
  return {
    query: {
      server: { host: '127.0.0.1', port: server.port },
      turn: 0,
      timeoutMs: PATIENT_MS,
      nowMs: () => nowMs,
      monotonicMs: () => monotonicMs,
    },
    sent: server.queries,
  }
}
