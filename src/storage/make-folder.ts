import fs from 'node:fs'
import path from 'node:path'

import { syncFolder } from './sync-folder.ts'

/** Creates a folder and its missing parents, durably. The umask applies to `mode`. Throws the error of the system. */
export function makeFolder(folder: string, mode = 0o777): void {
  const last = path.resolve(folder)
  const first = fs.mkdirSync(last, { recursive: true, mode })
  if (first === undefined) return
  // Syncs the parent of each new folder, which contains its entry.
  for (let made = last; ; made = path.dirname(made)) {
    syncFolder(path.dirname(made))
    if (made === first || made === path.dirname(made)) return
  }
}
