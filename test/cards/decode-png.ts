import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

const SIGNATURE = '89504e470d0a1a0a'

/** A decoded PNG: its colors as #rrggbb by row and column. Reads 8-bit palettes without filters. */
export function decodePng(png: Uint8Array) {
  const bytes = Buffer.from(png)
  assert.equal(bytes.subarray(0, 8).toString('hex'), SIGNATURE)
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  assert.deepEqual([...chunks.keys()], ['IHDR', 'PLTE', 'IDAT', 'IEND'])
  const [header, palette, data] = ['IHDR', 'PLTE', 'IDAT'].map(
    (type) => chunks.get(type) ?? Buffer.alloc(0),
  ) as [Buffer, Buffer, Buffer]
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  const rows = inflateSync(data)
  assert.equal(rows.length, (width + 1) * height)
  const colorAt = (x: number, y: number): string => {
    const index = rows[y * (width + 1) + 1 + x] ?? 0
    return `#${palette.toString('hex', index * 3, index * 3 + 3)}`
  }
  return { width, height, colorAt }
}
