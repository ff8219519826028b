import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseSavedHead, type HeadStore } from '../client/head-store.ts'

/** Keeps the head of the last audit in a file, which is replaced as a whole; its folder is made where it is missing. */
export function createFileHeadStore(file: string): HeadStore {
  return {
    async load() {
      let text: string
      try {
        text = await readFile(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
      return parseSavedHead(text, file)
    },
    async save(head) {
      await mkdir(path.dirname(file), { recursive: true })
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
      } finally {
        await rm(beside, { force: true })
      }
    },
  }
}
