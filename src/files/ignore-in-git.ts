import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { createFile } from '@public-api/client-internal/node/durable-file'

/**
 * Keeps a lock file out of a repository that contains its folder: creates `.gitignore`, unless the folder has one. Throws
 * the error of the system.
 */
export function ignoreInGit(lock: string): void {
  const folder = path.dirname(lock)
  const file = path.join(folder, '.gitignore')
  if (existsSync(file)) return
  try {
    const text = `${path.basename(lock)}\n.gitignore\n`
    createFile(file, text, { mode: 0o644, owner: statSync(folder) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
