// Own code instead of an npm client: the candidates (sntp, ntp-time, ntp-time-sync) send the real time on the wire
// and measure the delay with the wall clock, so a forged response or a stepping clock would pass as a measurement.
// SNTP is not authenticated: anyone on the path can forge it. Use a daemon on this machine or in a trusted network.
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { NtpServer } from './ntp-server.ts'

const PACKET_BYTES = 48
const VERSION = 4
const MODE_CLIENT = 3
const MODE_SERVER = 4
const LEAP_UNSYNCHRONIZED = 3
const MAX_STRATUM = 15
/** Seconds from the NTP epoch (1900) to the Unix epoch (1970), RFC 5905 figure 4. */
const NTP_UNIX_SECONDS = 2_208_988_800
const ERA_SECONDS = 2 ** 32
/** RFC 5905 MAXDISP: a source whose root distance reaches 16 s is unsynchronized. */
const MAX_ROOT_DISTANCE_MS = 16_000
/** How much longer than the round trip the server's processing time may be, because two clocks measure them. */
const HOLD_TOLERANCE_MS = 1

/** Why a measurement failed; see `SntpError`. */
export type SntpErrorCode =
  | 'LOOKUP_FAILED'
  | 'UNREACHABLE'
  | 'NO_RESPONSE'
  /** Packets arrived, but none matched the query (RFC 5905 calls them bogus). */
  | 'ORIGIN_MISMATCH'
  | 'MALFORMED'
  /** The server requests fewer queries or none; `kissCode` says which (RFC 5905 section 7.4). */
  | 'KISS_OF_DEATH'
  | 'UNSYNCHRONIZED'
  | 'IMPLAUSIBLE'

/** A measurement failed. `kissCode` is set only for KISS_OF_DEATH. */
export class SntpError extends Error {
  override readonly name = 'SntpError'
  readonly code: SntpErrorCode
  readonly kissCode: string | null

  constructor(
    code: SntpErrorCode,
    message: string,
    options: { readonly kissCode?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options)
    this.code = code
    this.kissCode = options.kissCode ?? null
  }
}

/**
 * One response: when our monotonic clock was `atMonotonicMs`, the reference was `referenceMs` (Unix milliseconds) ±
 * `errorMs`. The wall clock is not used, so it may step in the meantime. All values are milliseconds and may have
 * fractions.
 */
export interface SntpSample {
  readonly referenceMs: number
  readonly atMonotonicMs: number
  /** Half the round trip without the server's processing time, plus the server's own root distance and precision. */
  readonly errorMs: number
}

/** One query. `nowMs` only selects the NTP era; intervals are measured with `monotonicMs`. */
export interface SntpQuery {
  readonly server: Pick<NtpServer, 'host' | 'port'>
  /** Selects an address of the server's name, by remainder. Increment it to try the next address. */
  readonly turn: number
  /** Deadline for name lookup and response together. */
  readonly timeoutMs: number
  readonly nowMs: () => number
  readonly monotonicMs: () => number
  readonly randomBytes?: (size: number) => Uint8Array
  /** Whether the process may end before the response. Default: false. */
  readonly isBackground?: boolean
  /** All addresses of a name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>
}

/**
 * Queries a time server once, at one address of its name. Packets that do not match this query are ignored, so a
 * forger off the path can neither set the time nor end the wait. Throws `SntpError`.
 */
export async function querySntp(query: SntpQuery): Promise<SntpSample> {
  const { server, timeoutMs, resolve: resolveName = (host) => lookup(host, { all: true }) } = query
  const nonce = (query.randomBytes ?? randomBytes)(8)
  const { promise, resolve, reject } = Promise.withResolvers<SntpSample>()
  const unreachable = (cause: unknown): void => {
    reject(new SntpError('UNREACHABLE', 'the time server cannot be reached', { cause }))
  }
  let reason: SntpErrorCode = 'LOOKUP_FAILED'
  let socket: Socket | undefined
  let sentMs = 0
  let isOver = false

  function connect(connecting: Socket, address: string): void {
    connecting.on('error', unreachable)
    connecting.on('message', (packet) => {
      const receivedMs = query.monotonicMs()
      if (packet.length < PACKET_BYTES) reason = 'MALFORMED'
      else if (!packet.subarray(24, 32).equals(nonce)) reason = 'ORIGIN_MISMATCH'
      else resolve(Promise.try(readResponse, packet, { sentMs, receivedMs, nowMs: query.nowMs() }))
    })
    connecting.on('connect', () => {
      sentMs = query.monotonicMs()
      connecting.send(queryPacket(nonce), (error) => {
        if (error) unreachable(error)
      })
    })
    // Connects the socket, so that the kernel delivers only packets of this peer and reports a closed port.
    connecting.connect(server.port, address)
  }

  async function start(): Promise<void> {
    const notFound = `the name ${server.host} was not found`
    const addresses = await resolveName(server.host).catch((cause: unknown) => {
      throw new SntpError('LOOKUP_FAILED', notFound, { cause })
    })
    const chosen = addresses[query.turn % addresses.length]
    if (chosen === undefined) throw new SntpError('LOOKUP_FAILED', notFound)
    if (isOver) return
    reason = 'NO_RESPONSE'
    socket = createSocket(chosen.family === 6 ? 'udp6' : 'udp4')
    if (query.isBackground) socket.unref()
    connect(socket, chosen.address)
  }

  const timer = setTimeout(() => {
    reject(new SntpError(reason, `no usable response within ${timeoutMs} ms`))
  }, timeoutMs)
  if (query.isBackground) timer.unref()
  start().catch(reject)
  try {
    return await promise
  } finally {
    isOver = true
    clearTimeout(timer)
    socket?.close()
  }
}

/**
 * Everything is zero but version, mode and a random transmit timestamp: the server copies it back, which proves that
 * the response belongs to this query, and the network learns nothing about our clock.
 */
function queryPacket(nonce: Uint8Array): Buffer {
  const packet = Buffer.alloc(PACKET_BYTES)
  packet[0] = (VERSION << 3) | MODE_CLIENT
  packet.set(nonce, 40)
  return packet
}

/** The checks of RFC 5905 section 8 and RFC 4330 section 5 on a response that carries our nonce. */
function readResponse(
  packet: Buffer,
  local: { readonly sentMs: number; readonly receivedMs: number; readonly nowMs: number },
): SntpSample {
  const first = packet.readUInt8(0)
  const version = (first >> 3) & 7
  const mode = first & 7
  // Servers of version 3 respond with their own number; the fields that are read have the same layout.
  if (mode !== MODE_SERVER || (version !== 3 && version !== VERSION)) {
    const expected = 'expected a response of mode 4 and version 3 or 4'
    throw new SntpError('MALFORMED', `${expected}, got mode ${mode} and version ${version}`)
  }
  const stratum = packet.readUInt8(1)
  const kissCode = packet.toString('latin1', 12, 16)
  if (stratum === 0 && /^[A-Z0-9]{4}$/.test(kissCode)) {
    const message = `the time server responded with the kiss code ${kissCode}`
    throw new SntpError('KISS_OF_DEATH', message, { kissCode })
  }
  // A server that is not synchronized yet responds with stratum 0 and no code.
  if (first >> 6 === LEAP_UNSYNCHRONIZED || stratum === 0 || stratum > MAX_STRATUM) {
    throw new SntpError('UNSYNCHRONIZED', 'the time server reports that it is not synchronized')
  }
  const receiveMs = timestampMs(packet, 32, local.nowMs)
  const transmitMs = timestampMs(packet, 40, local.nowMs)
  if (receiveMs === null || transmitMs === null) {
    throw new SntpError('MALFORMED', 'the response lacks its receive or transmit timestamp')
  }
  // 16.16 fixed point, unsigned: the negative root delay that version 3 allowed reads as hours and is refused below.
  const rootDelayMs = (packet.readUInt32BE(4) * 1000) / 2 ** 16
  const rootDispersionMs = (packet.readUInt32BE(8) * 1000) / 2 ** 16
  // Log2 of seconds. Zero would mean a precision of one second, so it means that the server does not set the field.
  const exponent = packet.readInt8(3)
  const precisionMs = exponent < 0 ? 1000 * 2 ** exponent : 0
  const rootDistanceMs = rootDelayMs / 2 + rootDispersionMs + precisionMs
  if (rootDistanceMs >= MAX_ROOT_DISTANCE_MS) {
    throw new SntpError('IMPLAUSIBLE', 'the time server is 16 s or more away from its own source')
  }
  const heldMs = transmitMs - receiveMs
  const tripMs = local.receivedMs - local.sentMs
  if (heldMs < -HOLD_TOLERANCE_MS || heldMs > tripMs + HOLD_TOLERANCE_MS) {
    throw new SntpError(
      'IMPLAUSIBLE',
      'the server reports more processing time than the round trip took',
    )
  }
  const delayMs = Math.max(0, tripMs - heldMs)
  return {
    referenceMs: (receiveMs + transmitMs) / 2,
    atMonotonicMs: (local.sentMs + local.receivedMs) / 2,
    errorMs: delayMs / 2 + rootDistanceMs,
  }
}

/**
 * A 64-bit NTP timestamp as Unix milliseconds; null for the empty one. It counts seconds modulo 2^32 (the first era
 * ends on 7 February 2036), so it is read in the era that brings it nearest to our own clock (RFC 5905 section 6).
 */
function timestampMs(packet: Buffer, offset: number, nowMs: number): number | null {
  const seconds = packet.readUInt32BE(offset)
  const fraction = packet.readUInt32BE(offset + 4)
  if (seconds === 0 && fraction === 0) return null
  const unixSeconds = seconds - NTP_UNIX_SECONDS
  const era = Math.round((nowMs / 1000 - unixSeconds) / ERA_SECONDS)
  return (unixSeconds + era * ERA_SECONDS) * 1000 + (fraction * 1000) / ERA_SECONDS
}
