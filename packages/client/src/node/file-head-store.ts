import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { parseSavedHead, type HeadStore } from '../head-store.ts'
import { readFileUpTo } from './read-file-up-to.ts'

/** Larger than any head, whose response is limited by the client. */
const MAX_BYTES = 64_000_000

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/**
 * Whether the file exists. Throws a TypeError for anything but a regular file: a device or a pipe does not contain a
 * head, and replacing it would destroy it.
 */
async function isThere(file: string): Promise<boolean> {
  try {
    if ((await stat(file)).isFile()) return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
  throw new TypeError(`${file}: expected a regular file, found a folder, a device or a pipe`)
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

/** Makes file names in a folder durable if the system supports it. Otherwise a power failure may lose them. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (!CANNOT_BE_SYNCED.has(codeOf(error))) throw error
  }
}

/** Not `recursive`, which never ends if the system refuses a folder as if its parent were missing, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  const make = async () => {
    try {
      await mkdir(folder)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      return
    }
    await syncFolder(path.dirname(folder))
  }
  try {
    await make()
  } catch (error) {
    const parent = path.dirname(folder)
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error
    await makeFolder(parent)
    await make()
  }
}

/**
 * Stores the head of the last audit in a file, which is replaced atomically; its folder is created if it is missing.
 * A saved head survives a power cut if the file system can sync a folder. `load` and `save` reject with a TypeError
 * if the name is not that of a regular file, `load` with a RangeError if the file is too large for a head.
 *
 * @example
 * ```ts
 * const report = await auditHistory({ client, store: createFileHeadStore('audit-state.json') })
 * ```
 */
export function createFileHeadStore(file: string): HeadStore {
  return {
    async load() {
      if (!(await isThere(file))) return undefined
      return parseSavedHead((await readFileUpTo(file, MAX_BYTES)).toString('utf8'), file)
    },
    async save(head) {
      await isThere(file)
      await makeFolder(path.dirname(file))
      const beside = `${file}.${randomUUID()}.tmp`
      try {
        const handle = await open(beside, 'wx')
        try {
          await handle.writeFile(`${JSON.stringify(head)}\n`)
          // If the rename happened before the bytes are on disk, a power failure could leave an empty file.
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(beside, file)
        await syncFolder(path.dirname(file))
      } finally {
        await rm(beside, { force: true })
      }
    },
  }
}
