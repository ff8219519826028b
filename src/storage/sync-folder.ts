import fs from 'node:fs'

/** Makes the bytes of a file that is complete durable. Throws what the system says where it cannot. */
export function syncFile(file: string): void {
  const handle = fs.openSync(file, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

/**
 * Makes the names in a folder durable: a file is only safe once the folder that names it is. Throws what the system says
 * where it cannot; some file systems, such as those of memory sticks, know no such thing.
 */
export function syncFolder(folder: string): void {
  syncFile(folder)
}
