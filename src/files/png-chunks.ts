import { crc32 } from 'node:zlib'

/** What a PNG begins with. */
export const PNG_SIGNATURE: Buffer = Buffer.from('89504e470d0a1a0a', 'hex')

/** Length and type before the data of a chunk, and its check value after it. */
const CHUNK_BYTES = 12

/** The chunks of a PNG from IHDR to IEND (PNG 3rd edition, 5); undefined unless each is intact. */
export function readPngChunks(bytes: Buffer) {
  const chunks: { readonly type: string; readonly start: number; readonly end: number }[] = []
  if (!bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return undefined
  let start = PNG_SIGNATURE.length
  while (start + CHUNK_BYTES <= bytes.length) {
    const end = start + CHUNK_BYTES + bytes.readUInt32BE(start)
    if (end > bytes.length) return undefined
    const typed = bytes.subarray(start + 4, end - 4)
    const type = typed.toString('latin1', 0, 4)
    if (crc32(typed) !== bytes.readUInt32BE(end - 4)) return undefined
    if (chunks.length === 0 && type !== 'IHDR') return undefined
    chunks.push({ type, start, end })
    if (type === 'IEND') return chunks
    start = end
  }
  return undefined
}
