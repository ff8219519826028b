import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { parseSavedHead, type HeadStore } from '../head-store.ts'
import { readFileUpTo } from './read-file-up-to.ts'

/** More than a head has whose response is as large as the client takes one. */
const MAX_BYTES = 64_000_000

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/**
 * Whether the file is there. Throws a TypeError where something else is: what comes out of a device or a pipe was not
 * kept there, and the file that takes the place of the last one would take theirs.
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

/** Makes the names in a folder durable, where that is possible: after a power cut a name that is not may be gone. */
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

/** Not by `recursive`: that never ends where the system refuses a folder as if its parent were missing, as in /proc. */
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
 * Keeps the head of the last audit in a file, which is replaced as a whole; its folder is made where it is missing. What
 * was saved outlives a power cut where the file system can sync a folder. `load` and `save` reject with a TypeError if the name is not that of a regular file, `load` with a
 * RangeError where it is larger than a head can be.
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
          // Renamed before its bytes are on disk, a power cut could leave an empty file in place of the head.
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
