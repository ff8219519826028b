import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The bytes of every file below a folder as Latin-1, by path from the folder, sorted. */
export function textsBelow(folder: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [path.relative(folder, file), readFileSync(file, 'latin1')]),
  )
}
