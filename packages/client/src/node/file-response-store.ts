import { createHash } from 'node:crypto'
import path from 'node:path'
import type { ResponseStore } from '../copies/copy-settings.ts'
import { makeFolder, replaceFile } from './durable-file.ts'
import { readFileUpTo } from './read-file-up-to.ts'

/** Larger than any response and its proof in base64. */
const MAX_BYTES = 64_000_000

/**
 * Stores verified responses in a folder, one file each with mode 0600, replaced atomically. The folder is created if it is
 * missing. For `store` of `createClient`, which reads them while the service and its copies are away.
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl, pinnedKeyIds, store: createFileResponseStore('responses') })
 * ```
 */
export function createFileResponseStore(folder: string): ResponseStore {
  const fileOf = (name: string) =>
    path.resolve(folder, `${createHash('sha256').update(name).digest('hex')}.json`)
  return {
    async load(name) {
      try {
        return (await readFileUpTo(fileOf(name), MAX_BYTES)).toString('utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    // Synchronous inside, so that a process that ends leaves a whole file.
    async save(name, text) {
      makeFolder(path.resolve(folder))
      replaceFile(fileOf(name), text, { mode: 0o600 })
    },
  }
}
