import { readdirSync, readFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import path from 'node:path'

/** Bytes that must not occur, with a description. */
export interface Needle {
  readonly what: string
  /** In lower case if case is ignored. */
  readonly bytes: Buffer
  readonly ignoresCase: boolean
}

/** ASCII letters in lower case, every other byte as it is. */
function lowerCased(bytes: Buffer): Buffer {
  const lower = Buffer.from(bytes)
  // An iterator takes seconds for the snapshot of a heap.
  for (let index = 0; index < lower.length; index += 1) {
    const byte = lower[index] ?? 0
    if (byte >= 0x41 && byte <= 0x5a) lower[index] = byte + 0x20
  }
  return lower
}

function needle(what: string, bytes: Buffer, ignoresCase = true): Needle {
  return { what, bytes: ignoresCase ? lowerCased(bytes) : bytes, ignoresCase }
}

/** The part of a text's base64 that is independent of its offset and its neighbors. */
function base64Forms(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const first = Math.ceil((offset * 4) / 3)
    const last = Math.floor(((offset + bytes.length) * 4) / 3)
    const inner = whole.slice(first, last)
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')].map((form) => Buffer.from(form))
  })
}

/** A text in the ways in which a program may write it down. */
export function needlesOfText(what: string, text: string): readonly Needle[] {
  const utf16 = Buffer.from(text, 'utf16le')
  const escaped = JSON.stringify(text).slice(1, -1)
  const ascii = text.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return [
    needle(`${what} (UTF-8)`, Buffer.from(text)),
    needle(`${what} (UTF-16LE)`, utf16),
    needle(`${what} (UTF-16BE)`, Buffer.from(utf16).swap16()),
    needle(`${what} (JSON)`, Buffer.from(escaped)),
    needle(`${what} (JSON in ASCII)`, Buffer.from(ascii)),
    needle(`${what} (in a URL)`, Buffer.from(encodeURIComponent(text))),
    needle(`${what} (hex)`, Buffer.from(Buffer.from(text).toString('hex'))),
    ...base64Forms(text).map((form) => needle(`${what} (base64)`, form, false)),
  ]
}

/** The bytes of an IPv4 address, or of an IPv6 address that is written out in eight groups. */
export function bytesOfAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const groups = address.split(':').map((group) => group.padStart(4, '0'))
  if (groups.length !== 8) throw new Error(`Expected eight groups, found ${address}`)
  return Buffer.from(groups.join(''), 'hex')
}

/** An address in its spellings. An IPv6 address is given in eight groups, and its network counts as much as itself. */
export function needlesOfAddress(address: string): readonly Needle[] {
  const bytes = bytesOfAddress(address)
  const hex = bytes.toString('hex')
  if (isIPv4(address)) {
    return [
      ...needlesOfText(address, address),
      needle(`${address} (as IPv6)`, Buffer.from(`${hex.slice(0, 4)}:${hex.slice(4)}`)),
      needle(`${address} (as a number)`, Buffer.from(String(bytes.readUInt32BE()))),
      needle(`${address} (in hex)`, Buffer.from(hex)),
    ]
  }
  const groups = address.split(':')
  const network = groups.slice(0, 4)
  return [
    ...needlesOfText(address, network.map((group) => group.replace(/^0+(?=.)/, '')).join(':')),
    ...needlesOfText(
      `${address} written out`,
      network.map((each) => each.padStart(4, '0')).join(':'),
    ),
    needle(`${address} (in hex)`, Buffer.from(hex.slice(0, 16))),
    needle(`${address} (bytes)`, bytes.subarray(0, 8), false),
  ]
}

const PREFIX_BYTES = 4
const FILTER_BITS = 20

/** A slot of the filter for a prefix, by multiplicative hashing. */
function slotOf(prefix: number): number {
  return Math.imul(prefix, 0x9e37_79b1) >>> (32 - FILTER_BITS)
}

/** Finds thousands of needles in one pass: the first four bytes of each decide where it is compared. */
function findExactly(bytes: Buffer, needles: readonly Needle[]): ReadonlySet<Needle> {
  const found = new Set<Needle>()
  const byPrefix = new Map<number, Needle[]>()
  const filter = new Uint8Array(2 ** FILTER_BITS)
  for (const each of needles) {
    if (each.bytes.length < PREFIX_BYTES) {
      if (bytes.includes(each.bytes)) found.add(each)
      continue
    }
    const prefix = each.bytes.readInt32LE()
    filter[slotOf(prefix)] = 1
    const same = byPrefix.get(prefix)
    if (same === undefined) byPrefix.set(prefix, [each])
    else same.push(each)
  }
  let prefix = 0
  for (let end = 0; end < bytes.length; end += 1) {
    prefix = (prefix >>> 8) | ((bytes[end] ?? 0) << 24)
    const start = end + 1 - PREFIX_BYTES
    if (start < 0 || filter[slotOf(prefix)] === 0) continue
    for (const each of byPrefix.get(prefix) ?? []) {
      if (bytes.subarray(start, start + each.bytes.length).equals(each.bytes)) found.add(each)
    }
  }
  return found
}

/** The needles that occur in these bytes. */
export function findNeedles(bytes: Buffer, needles: readonly Needle[]): readonly string[] {
  const exact = findExactly(
    bytes,
    needles.filter(({ ignoresCase }) => !ignoresCase),
  )
  const inLowerCase = findExactly(
    lowerCased(bytes),
    needles.filter(({ ignoresCase }) => ignoresCase),
  )
  return needles.filter((each) => exact.has(each) || inLowerCase.has(each)).map(({ what }) => what)
}

/** Every file below a folder with its bytes; skips files removed in the meantime. */
export function filesBelow(
  folder: string,
  isLeftOut: (file: string) => boolean = () => false,
): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (!entry.isFile() || isLeftOut(file)) continue
    try {
      files.set(file, readFileSync(file))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return files
}
