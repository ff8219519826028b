import { stat } from 'node:fs/promises'
import path from 'node:path'
import { parseSavedHead, type HeadStore } from '../history/head-store.ts'
import { makeFolder, replaceFile } from './durable-file.ts'
import { readFileUpTo } from './read-file-up-to.ts'

/** Larger than any head, whose response is limited by the client. */
const MAX_BYTES = 64_000_000

/**
 * Whether the file exists. Throws a TypeError for anything but a regular file: a device or a pipe does not contain a
 * head, and replacing it would destroy it.
 */
async function isThere(file: string): Promise<boolean> {
  try {
    if ((await stat(file)).isFile()) return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  throw new TypeError(`${file}: expected a regular file, found a folder, a device or a pipe`)
}

/**
 * Stores the head of the last audit in a file, with mode 0600, which is replaced atomically; its folder is created if it
 * is missing. A saved head survives a power cut if the file system can sync a folder. `load` and `save` reject with a TypeError
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
      makeFolder(path.dirname(path.resolve(file)))
      // What an auditor has seen is for the auditor alone.
      replaceFile(file, `${JSON.stringify(head)}\n`, { mode: 0o600 })
    },
  }
}
