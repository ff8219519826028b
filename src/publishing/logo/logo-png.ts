import { crc32 } from 'node:zlib'
import { type Checked, mistakeOf } from '../rules/content-mistake.ts'

/** A logo that is safe to publish. */
export interface LogoImage {
  readonly bytes: Buffer
  /** In CSS pixels. */
  readonly width: number
  readonly height: number
}

const SIGNATURE: Buffer = Buffer.from('89504e470d0a1a0a', 'hex')

const MAX_SIDE = 2048

/** Chunks that affect the rendering. All others, such as comments and camera metadata, are removed. */
const KEPT_CHUNKS: ReadonlySet<string> = new Set('IHDR PLTE tRNS gAMA sRGB IDAT IEND'.split(' '))

/** Checks a PNG (ISO/IEC 15948) and removes its metadata. Pixels are not decoded. */
export function cleanPng(file: string, bytes: Buffer): Checked<LogoImage> {
  const refuse = (found: string, expected: string) => ({
    mistakes: [mistakeOf(file, found, expected)],
  })
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    return refuse('a file that is not a PNG', 'a PNG image')
  }
  const kept: Buffer[] = [SIGNATURE]
  let [width, height] = [0, 0]
  let isComplete = false
  let offset = SIGNATURE.length
  while (!isComplete && offset + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(offset)
    const end = offset + 12 + length
    const type = bytes.toString('latin1', offset + 4, offset + 8)
    if (
      end > bytes.length ||
      crc32(bytes.subarray(offset + 4, end - 4)) !== bytes.readUInt32BE(end - 4)
    ) {
      break
    }
    if (offset === SIGNATURE.length) {
      if (type !== 'IHDR' || length !== 13) break
      width = bytes.readUInt32BE(offset + 8)
      height = bytes.readUInt32BE(offset + 12)
    }
    if (KEPT_CHUNKS.has(type)) kept.push(bytes.subarray(offset, end))
    isComplete = type === 'IEND'
    offset = end
  }
  if (!isComplete) return refuse('a damaged PNG', 'a complete PNG image')
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) {
    return refuse(`${width} × ${height} pixels`, `1 to ${MAX_SIDE} pixels on each side`)
  }
  return { value: { bytes: Buffer.concat(kept), width, height }, mistakes: [] }
}
