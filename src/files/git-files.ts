import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { createFile } from '@public-api/client-internal/node/durable-file'

/** Creates a file of Git in a folder, unless the folder has one. Throws the error of the system. */
function createGitFile(file: string, text: string): void {
  if (existsSync(file)) return
  try {
    createFile(file, text, { mode: 0o644, owner: statSync(path.dirname(file)) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Makes Git keep the bytes of the files in a folder, whatever `core.autocrlf` says, by `.gitattributes`. Returns a warning
 * if that is impossible.
 */
export function keepBytesInGit(folder: string): string | undefined {
  const file = path.join(folder, '.gitattributes')
  try {
    createGitFile(file, '* -text\n')
    return undefined
  } catch (error) {
    return `${file} could not be written (${(error as Error).message}); write "* -text" into it before you commit the folder`
  }
}

/**
 * Keeps a lock file out of a repository that contains its folder, by `.gitignore`. Throws the error of the system.
 */
export function ignoreInGit(lock: string): void {
  createGitFile(path.join(path.dirname(lock), '.gitignore'), `${path.basename(lock)}\n.gitignore\n`)
}

/** Why a published text has other bytes: no file of a releases folder has a carriage return. Undefined without one. */
export function carriageReturnFault(text: string | Buffer): string | undefined {
  return text.includes('\r')
    ? 'found a carriage return, as core.autocrlf of Git writes it; expected the published bytes: write "* -text" into .gitattributes of the releases folder and check the files out again'
    : undefined
}
