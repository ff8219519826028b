import fs from 'node:fs'
import path from 'node:path'

/** Makes the bytes of a complete file durable. Throws the error of the system. */
export function syncFile(file: string): void {
  const handle = fs.openSync(file, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

/**
 * The errors of a folder that cannot be synced: its file system does not support it, or the folder is writable but not
 * readable. The file is complete anyway, so they are ignored.
 */
const CANNOT_BE_SYNCED: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EACCES'])

/** Makes the entries of a folder durable, as a new file needs, if the system can. Throws the error of the system. */
export function syncFolder(folder: string): void {
  try {
    syncFile(folder)
  } catch (error) {
    if (!CANNOT_BE_SYNCED.has((error as NodeJS.ErrnoException).code)) throw error
  }
}

/**
 * Creates a folder and its missing parents, durably. `mode` is set on each regardless of the umask; without it the umask
 * applies. Throws the error of the system.
 */
export function makeFolder(folder: string, mode?: number): void {
  const last = path.resolve(folder)
  const first = fs.mkdirSync(last, { recursive: true, mode: mode ?? 0o777 })
  if (first === undefined) return
  // Syncs the parent of each new folder, which contains its entry.
  for (let made = last; ; made = path.dirname(made)) {
    if (mode !== undefined) fs.chmodSync(made, mode)
    syncFolder(path.dirname(made))
    if (made === first || made === path.dirname(made)) return
  }
}
