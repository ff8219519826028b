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
 * What the system answers where nobody can sync a folder: its file system knows no such thing, or the folder may be
 * written and not read. The file is complete all the same, so this is no reason to fail.
 */
const CANNOT_BE_SYNCED: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EACCES'])

/**
 * Makes the names in a folder durable, where that is possible: a file is only safe once the folder that names it is. Throws
 * what the system says of a folder that is missing or a disk that fails.
 */
export function syncFolder(folder: string): void {
  try {
    syncFile(folder)
  } catch (error) {
    if (!CANNOT_BE_SYNCED.has((error as NodeJS.ErrnoException).code)) throw error
  }
}
