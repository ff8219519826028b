import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

const SIGNATURE = '89504e470d0a1a0a'

/** What a filter predicts of a byte (PNG 1.2, section 6). */
function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  if (filter !== 4) return 0
  const [a, b, c] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs) as [
    number,
    number,
    number,
  ]
  return a <= b && a <= c ? left : b <= c ? above : corner
}

function unfilter(rows: Buffer, stride: number): Buffer {
  const pixels = Buffer.alloc((rows.length / (stride + 1)) * stride)
  for (let at = 0; at < pixels.length; at += 1) {
    const row = Math.floor(at / stride)
    const hasLeft = at % stride >= 4
    const left = hasLeft ? (pixels[at - 4] ?? 0) : 0
    const corner = hasLeft ? (pixels[at - stride - 4] ?? 0) : 0
    const filter = rows[row * (stride + 1)] ?? 0
    const found = rows[at + row + 1] ?? 0
    pixels[at] = found + predicted(filter, left, pixels[at - stride] ?? 0, corner)
  }
  return pixels
}

/** A decoded PNG: its colors as #rrggbb by row and column. Reads 8-bit RGBA. */
export function decodePng(png: Uint8Array) {
  const bytes = Buffer.from(png)
  assert.equal(bytes.subarray(0, 8).toString('hex'), SIGNATURE)
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const header = chunks.get('IHDR') ?? Buffer.alloc(13)
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  assert.deepEqual([...header.subarray(8, 10)], [8, 6])
  const rows = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))
  assert.equal(rows.length, (width * 4 + 1) * height)
  let pixels: Buffer | undefined
  const colorAt = (x: number, y: number): string => {
    pixels ??= unfilter(rows, width * 4)
    return `#${pixels.toString('hex', (y * width + x) * 4, (y * width + x) * 4 + 3)}`
  }
  return { width, height, colorAt }
}
