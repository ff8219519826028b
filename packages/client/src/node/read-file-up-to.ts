import { open } from 'node:fs/promises'

/**
 * The bytes of a file, of which there may be so many. Reads no more than that, so that a device or a pipe without an end
 * does no harm. Rejects with a RangeError where there are more, and else as `open` and `read` of node:fs do.
 */
export async function readFileUpTo(file: string, maxBytes: number): Promise<Buffer> {
  const handle = await open(file)
  try {
    const parts: Buffer[] = []
    let length = 0
    for await (const part of handle.createReadStream({ autoClose: false })) {
      const bytes = part as Buffer
      length += bytes.length
      if (length > maxBytes) {
        throw new RangeError(`${file}: expected at most ${maxBytes} bytes, there are more`)
      }
      parts.push(bytes)
    }
    return Buffer.concat(parts, length)
  } finally {
    await handle.close()
  }
}
