import { crc32 } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Length and type before the data of a chunk, and its check value after it. */
const CHUNK_BYTES = 12

/** Whether these bytes are one PNG: intact chunks from IHDR to IEND, and nothing after them (PNG 3rd edition, 5). */
export function isPng(bytes: Buffer): boolean {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return false
  let start = SIGNATURE.length
  while (start + CHUNK_BYTES <= bytes.length) {
    const end = start + CHUNK_BYTES + bytes.readUInt32BE(start)
    if (end > bytes.length) return false
    const typed = bytes.subarray(start + 4, end - 4)
    const type = typed.toString('latin1', 0, 4)
    if ((start === SIGNATURE.length) !== (type === 'IHDR')) return false
    if (crc32(typed) !== bytes.readUInt32BE(end - 4)) return false
    if (type === 'IEND') return end === bytes.length
    start = end
  }
  return false
}
