import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const PALETTE_TYPE = 3
const MAX_COLORS = 256

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const made = Buffer.alloc(typed.length + 8)
  made.writeUInt32BE(data.length)
  made.set(typed, 4)
  made.writeUInt32BE(crc32(typed), typed.length + 4)
  return made
}

/**
 * Opaque RGBA pixels as a PNG with a palette, a third of the size of one without; undefined for more than 256 colors, which
 * only a photographic logo has.
 */
export function encodePalettePng(rgba: Uint8Array, width: number): Buffer | undefined {
  const height = rgba.length / 4 / width
  // Signed, because V8 allocates memory for every number above 2^31.
  const pixels = new Int32Array(rgba.buffer, rgba.byteOffset, width * height)
  const indexes = new Map<number, number>()
  const palette: number[] = []
  // Each row begins with the number of its filter: 0, none.
  const rows = Buffer.alloc((width + 1) * height)
  let last: number | undefined
  let index = 0
  let position = 0
  for (let row = 0; row < height; row += 1) {
    for (let end = position + width; position < end; position += 1) {
      const color = pixels[position] ?? 0
      // Most pixels have the color of the pixel before.
      if (color !== last) {
        last = color
        index = indexes.get(color) ?? indexes.size
        if (index === MAX_COLORS) return undefined
        if (index === indexes.size) {
          indexes.set(color, index)
          palette.push(...rgba.subarray(position * 4, position * 4 + 3))
        }
      }
      rows[position + row + 1] = index
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, PALETTE_TYPE], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
