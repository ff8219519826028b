import fs from 'node:fs'

/** Opening a FIFO would wait for a writer without O_NONBLOCK. */
const READ_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY

/**
 * Reads at most `maxBytes` of what `open` opens with the given flags. Throws system errors, and an Error for anything that
 * is not a regular file or is larger. Never waits for a writer and never reads a device. Bytes that fit into `room` are read
 * into it.
 */
export function readOpened(
  open: (flags: number) => number,
  maxBytes: number,
  room?: Buffer,
): Buffer {
  const handle = open(READ_FLAGS)
  try {
    // Checks the handle, because the name may refer to another file by now.
    const stats = fs.fstatSync(handle)
    if (!stats.isFile()) throw new Error('it is not a regular file')
    if (stats.size > maxBytes) {
      throw new Error(`it has ${stats.size} bytes; expected at most ${maxBytes}`)
    }
    const needed = stats.size + 1
    const buffer =
      room !== undefined && room.length >= needed
        ? room.subarray(0, needed)
        : Buffer.allocUnsafe(needed)
    let length = 0
    // The buffer has one extra byte, to detect a file that grows.
    while (length < buffer.length) {
      const count = fs.readSync(handle, buffer, length, buffer.length - length, null)
      length += count
      if (count === 0 || length === stats.size) return buffer.subarray(0, length)
    }
    throw new Error('it grew while it was read')
  } finally {
    fs.closeSync(handle)
  }
}

/** Reads a file that the operator names, also through links. Throws as `readOpened` does. */
export function readRegularFile(file: string, maxBytes: number): Buffer {
  return readOpened((flags) => fs.openSync(file, flags), maxBytes)
}
