import { PNG_SIGNATURE, readPngChunks } from '../../files/png-chunks.ts'
import { type Checked, mistakeOf } from '../rules/content-mistake.ts'

/** A logo that is safe to publish. */
export interface LogoImage {
  readonly bytes: Buffer
  /** In CSS pixels. */
  readonly width: number
  readonly height: number
}

/** The chunk IHDR: 13 bytes of data. */
const HEADER_BYTES = 25

const MAX_SIDE = 2048

/** Chunks that affect the rendering. All others, such as comments and camera metadata, are removed. */
const KEPT_CHUNKS: ReadonlySet<string> = new Set('IHDR PLTE tRNS gAMA sRGB IDAT IEND'.split(' '))

/** Checks a PNG (ISO/IEC 15948) and removes its metadata. Pixels are not decoded. */
export function cleanPng(file: string, bytes: Buffer): Checked<LogoImage> {
  const refuse = (found: string, expected: string) => ({
    mistakes: [mistakeOf(file, found, expected)],
  })
  if (!bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) {
    return refuse('a file that is not a PNG', 'a PNG image')
  }
  const chunks = readPngChunks(bytes) ?? []
  const [header] = chunks
  if (header === undefined || header.end - header.start !== HEADER_BYTES) {
    return refuse('a damaged PNG', 'a complete PNG image')
  }
  const [width, height] = [
    bytes.readUInt32BE(header.start + 8),
    bytes.readUInt32BE(header.start + 12),
  ]
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) {
    return refuse(`${width} × ${height} pixels`, `1 to ${MAX_SIDE} pixels on each side`)
  }
  const kept = chunks
    .filter(({ type }) => KEPT_CHUNKS.has(type))
    .map(({ start, end }) => bytes.subarray(start, end))
  return { value: { bytes: Buffer.concat([PNG_SIGNATURE, ...kept]), width, height }, mistakes: [] }
}
