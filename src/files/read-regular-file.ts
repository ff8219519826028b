import fs from 'node:fs'

/** Opening a FIFO would wait for a writer without O_NONBLOCK. */
const OPEN_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY

/**
 * Reads a file of at most `maxBytes`. Throws system errors, and an Error for anything that is not a regular file or is
 * larger. Never waits for a writer and never reads a device.
 */
export function readRegularFile(file: string, maxBytes: number): Buffer {
  const handle = fs.openSync(file, OPEN_FLAGS)
  try {
    // Checks the handle, because the name may refer to another file by now.
    const stats = fs.fstatSync(handle)
    if (!stats.isFile()) throw new Error('it is not a regular file')
    const buffer = Buffer.allocUnsafe(Math.min(stats.size, maxBytes) + 1)
    let length = 0
    // The buffer has one extra byte, to detect a file that grows.
    while (length < buffer.length) {
      const count = fs.readSync(handle, buffer, length, buffer.length - length, null)
      length += count
      if (count === 0 || length === stats.size) return buffer.subarray(0, length)
    }
    throw new Error(
      stats.size > maxBytes
        ? `it has ${stats.size} bytes; expected at most ${maxBytes}`
        : 'it grew while it was read',
    )
  } finally {
    fs.closeSync(handle)
  }
}
