// The one writer of files: complete or not at all, also after a power failure. For Node only.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Rights of a new file. */
export interface FileRights {
  /** Permission bits such as 0o600, set regardless of the umask. Default: 0644 minus the umask. */
  readonly mode?: number
  /** Default: the user of the process. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/**
 * The behavior on a file system without hard links, such as FAT. `refuse` throws; `claim` creates an empty file with the
 * name first, and a crash at that moment leaves it empty.
 */
type WithoutLinks = 'refuse' | 'claim'

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

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
 * The errors of a folder that cannot be synced: its file system does not support it, it is writable but not readable, or
 * the system is Windows. The file is complete anyway, so they are ignored.
 */
const CANNOT_BE_SYNCED: ReadonlySet<unknown> = new Set([
  'EINVAL',
  'ENOTSUP',
  'ENOSYS',
  'EACCES',
  'EPERM',
  'EISDIR',
])

/** Makes the entries of a folder durable, as a new file needs, if the system can. Throws the error of the system. */
export function syncFolder(folder: string): void {
  try {
    syncFile(folder)
  } catch (error) {
    if (!CANNOT_BE_SYNCED.has(codeOf(error))) throw error
  }
}

/** The rights of a folder whose group shares it: the group may write, and new entries belong to it (setgid). */
const SHARED = 0o2020

/** The mode of a new entry below a folder: the group that shares the folder may write what it may read. */
function sharedMode(above: string, mode: number): number {
  const isShared = (fs.statSync(above).mode & SHARED) === SHARED && (mode & 0o040) !== 0
  return isShared ? mode | SHARED : mode
}

/**
 * Creates a folder and its missing parents, durably. `mode` is set on each that is new, regardless of the umask; without
 * it the umask applies. A group that shares the folder above shares a folder that it may read. Throws the error of the
 * system.
 */
export function makeFolder(folder: string, mode?: number): void {
  // Not `recursive`, which never ends if the system refuses a folder as if its parent were missing, as in /proc.
  const make = () => {
    try {
      fs.mkdirSync(folder)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      return
    }
    if (mode !== undefined) fs.chmodSync(folder, sharedMode(path.dirname(folder), mode))
    syncFolder(path.dirname(folder))
  }
  try {
    make()
  } catch (error) {
    const parent = path.dirname(folder)
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error
    makeFolder(parent, mode)
    make()
  }
}

/** A temporary name beside a file. Random, because another process may write the same file or have left a partial one. */
export function partialNameOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.partial`
}

/** The end of such a name, as a regular expression. */
export const PARTIAL_PATTERN = String.raw`\.[0-9a-f]{12}\.partial`

/** With what SQLite writes beside a partial database. */
const PARTIAL_NAME = new RegExp(`${PARTIAL_PATTERN}(?:-journal|-wal|-shm)?$`)
/** A file is written in seconds. */
const ABANDONED_AFTER_MS = 600_000

/** Removes the partial files that killed processes left in a folder. One that another process may still write stays. */
export function removePartialFiles(folder: string): void {
  try {
    for (const name of fs.readdirSync(folder)) {
      if (!PARTIAL_NAME.test(name)) continue
      const file = path.join(folder, name)
      const stats = fs.lstatSync(file)
      if (stats.isFile() && Date.now() - stats.mtimeMs > ABANDONED_AFTER_MS) fs.rmSync(file)
    }
  } catch {
    // They are ignored wherever files are read.
  }
}

/**
 * Removes a file, and what killed processes left of it. Returns how many files those were. Throws the error of the system,
 * also if the folder does not exist. A caller that needs the removal to be durable flushes the folder.
 */
export function removeWithPartials(file: string): number {
  const [folder, own] = [path.dirname(file), path.basename(file)]
  const names = fs
    .readdirSync(folder)
    .filter((name) => name === own || (name.startsWith(`${own}.`) && name.endsWith('.partial')))
  for (const name of names) fs.rmSync(path.join(folder, name), { force: true })
  return names.length
}

/** The errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/**
 * Gives a complete and synced file another name. Throws EEXIST if that name exists. Durable when it returns. The caller
 * removes the first name. Throws the error of the system.
 */
export function claimName(
  partial: string,
  file: string,
  withoutLinks: WithoutLinks = 'claim',
): void {
  try {
    // Unlike a rename, a hard link never replaces a file, so exactly one of several concurrent calls gets the name.
    fs.linkSync(partial, file)
  } catch (error) {
    if (withoutLinks === 'refuse' || !NO_LINKS.has(codeOf(error))) throw error
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

/**
 * Gives a new file the owner of what it replaces or belongs to. A user who is not root can give it to a group of theirs
 * at most. Returns whether the owner is the wanted one. Throws the error of the system.
 */
export function giveTo(handle: number, { uid, gid }: NonNullable<FileRights['owner']>): boolean {
  const own = fs.fstatSync(handle)
  for (const owner of [uid, own.uid]) {
    if (own.uid === owner && own.gid === gid) return owner === uid
    try {
      fs.fchownSync(handle, owner, gid)
      return owner === uid
    } catch (error) {
      if (codeOf(error) !== 'EPERM') throw error
    }
  }
  return own.uid === uid
}

function setRights(handle: number, { mode, owner }: FileRights): void {
  const isOwned = owner === undefined || giveTo(handle, owner)
  if (!isOwned && mode !== undefined && (mode & 0o044) === 0) {
    throw new Error('its owner could not be kept, and only the owner may read it')
  }
  // The umask may have removed permissions at creation.
  if (mode !== undefined) fs.fchmodSync(handle, mode)
}

/** Writes a complete file under a temporary name, which `place` moves. Leaves nothing else. */
function writeBeside(
  file: string,
  content: string | Uint8Array,
  rights: FileRights,
  place: (partial: string) => void,
): void {
  const partial = partialNameOf(file)
  try {
    const handle = fs.openSync(partial, 'wx', rights.mode ?? 0o644)
    try {
      setRights(handle, rights)
      fs.writeFileSync(handle, content, 'utf8')
      // If the file got its name before its bytes are on disk, a power failure could leave it empty.
      fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
    place(partial)
  } finally {
    try {
      fs.rmSync(partial, { force: true })
    } catch {
      // A leftover temporary file is harmless.
    }
  }
}

/**
 * Creates a file in an existing folder: complete or not at all, also after a power failure, and durable when it returns. An
 * existing file is left unchanged (EEXIST). Throws the error of the system.
 */
export function createFile(
  file: string,
  content: string | Uint8Array,
  rights: FileRights = {},
  withoutLinks?: WithoutLinks,
): void {
  writeBeside(file, content, rights, (partial) => claimName(partial, file, withoutLinks))
}

/**
 * Creates or replaces a file in an existing folder: a reader finds all of the old content or all of the new one, also after
 * a power failure and while other processes write the file. Durable when it returns. Throws the error of the system.
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array,
  rights: FileRights = {},
): void {
  writeBeside(file, content, rights, (partial) => {
    fs.renameSync(partial, file)
    syncFolder(path.dirname(file))
  })
}

/**
 * Creates or replaces a file as `replaceFile` does. Keeps its mode and owner, so that a change by root leaves it readable
 * for the service (a member of its group keeps the group alone), and follows a symbolic link. A new file gets `mode` and
 * the owner of its folder, and a group that shares the folder may write it. Throws the error of the system.
 */
export function rewriteFile(file: string, content: string | Uint8Array, mode: number): void {
  const known = fs.statSync(file, { throwIfNoEntry: false })
  const target = known === undefined ? file : fs.realpathSync(file)
  const folder = path.dirname(target)
  removePartialFiles(folder)
  replaceFile(target, content, {
    mode: (known?.mode ?? sharedMode(folder, mode)) & 0o777,
    owner: known ?? fs.statSync(folder),
  })
}
