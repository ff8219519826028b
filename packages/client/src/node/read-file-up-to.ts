import { open } from 'node:fs/promises'

/**
 * Reads a file of at most `maxBytes`. Stops at the limit, also for an endless device or pipe. Rejects with a RangeError
 * for a larger file, and otherwise as `open` and `read` of node:fs do.
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
        throw new RangeError(`${file}: expected at most ${maxBytes} bytes, found more`)
      }
      parts.push(bytes)
    }
    return Buffer.concat(parts, length)
  } finally {
    await handle.close()
  }
}
