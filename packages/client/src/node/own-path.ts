// What a path below a folder leads through. Other people may write such a folder, and a link in it could name any file.
// For Node only.

import fs from 'node:fs'
import path from 'node:path'

/** What a name of a folder stands for. Only files and folders are opened. */
export type EntryKind = 'file' | 'folder' | 'link' | 'special file'

/** A component of a path is of another kind than expected. The message names the component, not the folder. */
export class EntryKindError extends Error {
  override readonly name = 'EntryKindError'
}

/** The kind of an entry of a folder. */
export function kindOf(entry: fs.Stats | fs.Dirent): EntryKind {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'folder' : 'special file'
}

function requireKind(name: string, found: EntryKind, expected: EntryKind): void {
  if (found === expected) return
  throw new EntryKindError(`${name} is a ${found}; expected a ${expected}`)
}

/**
 * The components of a path below a folder, with slashes. All but the last one are folders. Throws an EntryKindError for a path
 * out of it.
 */
export function componentsOf(name: string, last: EntryKind) {
  const parts = name.split('/')
  return parts.map((part, index) => {
    if (part === '' || part === '.' || part === '..') {
      throw new EntryKindError(`${JSON.stringify(name)} is not a path below the folder`)
    }
    const isLast = index === parts.length - 1
    return {
      part,
      isLast,
      kind: isLast ? last : 'folder',
      name: parts.slice(0, index + 1).join('/'),
    }
  })
}

/**
 * Throws an EntryKindError if a component of a path below a folder is a link or of another kind than expected. For files
 * that are written: what is missing can be created.
 */
export function requireOwnPath(folder: string, name: string, kind: EntryKind = 'file'): void {
  let place = folder
  for (const { part, kind: expected, name: reached } of componentsOf(name, kind)) {
    place = path.join(place, part)
    const stats = fs.lstatSync(place, { throwIfNoEntry: false })
    if (stats === undefined) return
    requireKind(reached, kindOf(stats), expected)
  }
}
