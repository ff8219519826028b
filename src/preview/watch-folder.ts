import { lstatSync } from 'node:fs'
import path from 'node:path'
import { listBelow } from '../files/folder-files.ts'
import { isLeftover } from '../publishing/rules/content-folder.ts'

/** Half of this is the average delay between saving a file and seeing it. */
const INTERVAL_MS = 150

/** Names, sizes and times of all files below a folder, as one text. */
function describeFolder(folder: string): string {
  try {
    return listBelow(folder, undefined, isLeftover)
      .map(({ name }) => {
        const stats = lstatSync(path.join(folder, name), { throwIfNoEntry: false })
        return `${name} ${stats?.size} ${stats?.mtimeMs} ${stats?.ino}`
      })
      .join('\n')
  } catch (error) {
    return String(error)
  }
}

/**
 * Calls `onChange` after a file below the folder was changed, and once at the beginning; never again before it is done.
 * A content folder has some dozen files, so they are compared at an interval: notifications of the system do not reach
 * folders of other machines and of containers. Returns a function that stops.
 */
export function watchFolder(folder: string, onChange: () => Promise<void>): () => void {
  let seen: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const look = async (): Promise<void> => {
    const found = describeFolder(folder)
    if (found !== seen) {
      seen = found
      await onChange()
    }
    if (!isStopped) timer = setTimeout(() => void look(), INTERVAL_MS)
  }
  void look()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
