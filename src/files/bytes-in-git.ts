import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { createFile } from '@public-api/client-internal/node/durable-file'

/**
 * Makes Git keep the bytes of the files in a folder, whatever `core.autocrlf` says: creates `.gitattributes`, unless the
 * folder has one. Returns a warning if that is impossible.
 */
export function keepBytesInGit(folder: string): string | undefined {
  const file = path.join(folder, '.gitattributes')
  if (existsSync(file)) return undefined
  try {
    createFile(file, '* -text\n', { mode: 0o644, owner: statSync(folder) })
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    return `${file} could not be written (${(error as Error).message}); write "* -text" into it before you commit the folder`
  }
}

/** Why a published text has other bytes: no file of a releases folder has a carriage return. Undefined without one. */
export function carriageReturnFault(text: string): string | undefined {
  return text.includes('\r')
    ? 'found a carriage return, as core.autocrlf of Git writes it; expected the published bytes: write "* -text" into .gitattributes of the releases folder and check the files out again'
    : undefined
}
