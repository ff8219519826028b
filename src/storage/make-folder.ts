import fs from 'node:fs'
import path from 'node:path'

import { syncFolder } from './sync-folder.ts'

/**
 * Makes a folder, with those above it that are missing, and makes their names durable. One that is there stays as it is.
 * `mode` passes through the umask. Throws what the system says.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const last = path.resolve(folder)
  const first = fs.mkdirSync(last, { recursive: true, mode })
  if (first === undefined) return
  // Each folder that was made is a name in the one above it.
  for (let made = last; ; made = path.dirname(made)) {
    syncFolder(path.dirname(made))
    if (made === first || made === path.dirname(made)) return
  }
}
