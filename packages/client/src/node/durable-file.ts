import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** The mode of a file or folder, set regardless of the umask. Without it, the default of the system minus the umask. */
export interface FileRights {
  /** Permission bits, such as 0o600. */
  readonly mode?: number
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/** Error codes of systems that cannot sync a folder: some file systems do not support it, and Windows cannot open one. */
const CANNOT_BE_SYNCED: ReadonlySet<unknown> = new Set([
  'EINVAL',
  'ENOTSUP',
  'ENOSYS',
  'EACCES',
  'EPERM',
  'EISDIR',
])

/** Makes the names in a folder durable if the system can. Otherwise a power failure may lose them. */
function syncFolder(folder: string): void {
  try {
    const handle = fs.openSync(folder, 'r')
    try {
      fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
  } catch (error) {
    if (!CANNOT_BE_SYNCED.has(codeOf(error))) throw error
  }
}

/**
 * Creates a folder and its missing parents, durably. An existing folder keeps its mode. Throws the error of the system.
 */
export function makeFolder(folder: string, rights: FileRights = {}): void {
  // Not `recursive`, which never ends if the system refuses a folder as if its parent were missing, as in /proc.
  const make = () => {
    try {
      fs.mkdirSync(folder)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      return
    }
    if (rights.mode !== undefined) fs.chmodSync(folder, rights.mode)
    syncFolder(path.dirname(folder))
  }
  try {
    make()
  } catch (error) {
    const parent = path.dirname(folder)
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error
    makeFolder(parent, rights)
    make()
  }
}

/** Writes a complete file under a temporary name, which `place` gives its own. Leaves no temporary file. */
function writeBeside(
  file: string,
  content: string | Uint8Array,
  { mode }: FileRights,
  place: (partial: string) => void,
): void {
  // Random, because another process may write the same file, and a killed one may have left its partial file.
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`
  try {
    const handle = fs.openSync(partial, 'wx', mode ?? 0o666)
    try {
      if (mode !== undefined) fs.fchmodSync(handle, mode)
      fs.writeFileSync(handle, content, 'utf8')
      // If the file got its name before its bytes are on disk, a power failure could leave it empty.
      fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
    place(partial)
    syncFolder(path.dirname(file))
  } finally {
    fs.rmSync(partial, { force: true })
  }
}

/**
 * Creates or replaces a file in an existing folder. A reader finds all of the old content or all of the new, also after
 * a power failure and while other processes write the file. Durable when it returns. Throws the error of the system.
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array,
  rights: FileRights = {},
): void {
  writeBeside(file, content, rights, (partial) => fs.renameSync(partial, file))
}

/** The errors of file systems without hard links, such as FAT. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/**
 * Creates a file in an existing folder: complete or not at all, also after a power failure. Throws EEXIST if the name
 * exists, and otherwise the error of the system; an existing file is left unchanged. On a file system without hard links,
 * a crash between claiming the name and moving the content can leave an empty file.
 */
export function createFile(
  file: string,
  content: string | Uint8Array,
  rights: FileRights = {},
): void {
  writeBeside(file, content, rights, (partial) => {
    try {
      // Unlike a rename, a hard link never replaces a file, so one of several concurrent calls gets the name.
      fs.linkSync(partial, file)
    } catch (error) {
      if (!NO_LINKS.has(codeOf(error))) throw error
      fs.closeSync(fs.openSync(file, 'wx', 0o600))
      try {
        fs.renameSync(partial, file)
      } catch (failure) {
        fs.rmSync(file, { force: true })
        throw failure
      }
    }
  })
}
