import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { syncFolder } from './sync-folder.ts'

/** Whose a file is to be, and who else may use it. */
export interface FileRights {
  /** Exactly these, whatever the umask takes away; when left out 0644, as far as the umask permits. */
  readonly mode?: number
  /** The process's own user when left out. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/**
 * What is done on a file system without hard links, such as that of a memory stick. `refuse` throws; `claim` makes an
 * empty file of the name first, and a crash at that moment leaves it empty.
 */
export type WithoutLinks = 'refuse' | 'claim'

/** What a file system answers that has no hard links. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/**
 * A name beside a file's own for its bytes until they are all there. At random: a process id comes again after a restart,
 * and what a crash left behind would stop whoever has it next.
 */
export function partialNameOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.partial`
}

/**
 * Gives a file that is complete and on the disk another name, unless that is taken (EEXIST); durable when it returns. The
 * first name is the caller's to take away. Throws what the system says.
 */
export function claimName(partial: string, file: string, withoutLinks: WithoutLinks): void {
  try {
    // Unlike a rename, a hard link never replaces: of several at one time exactly one gets the name.
    fs.linkSync(partial, file)
  } catch (error) {
    if (withoutLinks === 'refuse' || !NO_LINKS.has((error as NodeJS.ErrnoException).code))
      throw error
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
    try {
      fs.renameSync(partial, file)
    } catch (failure) {
      fs.rmSync(file, { force: true })
      throw failure
    }
  }
  syncFolder(path.dirname(file))
}

function setRights(handle: number, { mode, owner }: FileRights): void {
  const { uid, gid } = fs.fstatSync(handle)
  // Only root may give a file away, so nobody is asked to who need not.
  if (owner !== undefined && (owner.uid !== uid || owner.gid !== gid)) {
    fs.fchownSync(handle, owner.uid, owner.gid)
  }
  // The mode at creation passes through the umask, which may only take rights away.
  if (mode !== undefined) fs.fchmodSync(handle, mode)
}

/** Writes a complete file beside its name and lets `place` move it there. Leaves nothing else behind. */
function writeBeside(
  file: string,
  text: string,
  rights: FileRights,
  place: (partial: string) => void,
): void {
  const partial = partialNameOf(file)
  try {
    const handle = fs.openSync(partial, 'wx', rights.mode ?? 0o644)
    try {
      setRights(handle, rights)
      fs.writeFileSync(handle, text, 'utf8')
      // With its name on the disk before its bytes are, a power cut could leave it empty.
      fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
    place(partial)
  } finally {
    try {
      fs.rmSync(partial, { force: true })
    } catch {
      // The file that matters is in its place or was told about; this name means nothing to anyone.
    }
  }
}

/**
 * Makes a file in a folder that is there: whole or not at all, also after a power cut, and durable when it returns. A file
 * that has the name already stays as it is (EEXIST). Throws what the system says.
 */
export function createFile(
  file: string,
  text: string,
  {
    withoutLinks = 'refuse',
    ...rights
  }: FileRights & { readonly withoutLinks?: WithoutLinks } = {},
): void {
  writeBeside(file, text, rights, (partial) => claimName(partial, file, withoutLinks))
}

/**
 * Makes or replaces a file in a folder that is there: whoever reads it, also after a power cut, finds all of the old text
 * or all of the new one. Durable when it returns. Throws what the system says.
 */
export function replaceFile(file: string, text: string, rights: FileRights = {}): void {
  writeBeside(file, text, rights, (partial) => {
    fs.renameSync(partial, file)
    syncFolder(path.dirname(file))
  })
}
