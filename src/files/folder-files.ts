// Files of the releases, content and data folders. Such a folder may come from a repository to which other people
// commit, so a link in it could name any file that the process can read. A file is opened below the folder without
// following a link in any component of its path, and only if it is a regular file. The path of the folder itself
// belongs to the operator and may lead through links.

import fs from 'node:fs'
import path from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { rewriteFile } from '@public-api/client-internal/node/durable-file'
import {
  componentsOf,
  type EntryKind,
  kindOf,
  requireOwnPath,
} from '@public-api/client-internal/node/own-path'
import { readOpened } from './read-regular-file.ts'

export { PARTIAL_PATTERN } from '@public-api/client-internal/node/durable-file'

/** Names an open folder on Linux: the next component is looked up in that folder, even if its path leads elsewhere now. */
const OPEN_FILES = '/proc/self/fd'
const HAS_OPEN_FILES = fs.existsSync(OPEN_FILES)

// Windows lacks these flags, which count as 0.
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants
const FOLDER_FLAGS = O_RDONLY | O_DIRECTORY

/**
 * Opens a file if no component of its path is a link, nor of the folder's, as the name of the open file shows; undefined if
 * one may be. Takes a third of the time of one open for each component: a copy of 10,000 versions reads 30,000 files.
 */
function openDirectly(folder: string, name: string, flags: number): number | undefined {
  const place = path.resolve(folder, name)
  const handle = fs.openSync(place, flags | O_NOFOLLOW)
  if (fs.readlinkSync(`${OPEN_FILES}/${handle}`) === place) return handle
  fs.closeSync(handle)
  return undefined
}

/** Opens a file. Where an open folder has no name, another process could replace a component meanwhile. */
function openBelow(folder: string, name: string, flags: number): number {
  if (!HAS_OPEN_FILES) {
    requireOwnPath(folder, name)
    return fs.openSync(path.join(folder, name), flags | O_NOFOLLOW)
  }
  const components = componentsOf(name, 'file')
  const direct = openDirectly(folder, name, flags)
  if (direct !== undefined) return direct
  let handle = fs.openSync(folder, FOLDER_FLAGS)
  for (const { part, isLast } of components) {
    const parent = handle
    try {
      const place = `${OPEN_FILES}/${parent}/${part}`
      handle = fs.openSync(place, O_NOFOLLOW | (isLast ? flags : FOLDER_FLAGS))
    } finally {
      fs.closeSync(parent)
    }
  }
  return handle
}

/**
 * Reads a file of at most `maxBytes` below a folder; `name` is its path there, with slashes. Throws an EntryKindError for a
 * link or a component of another kind, an Error with `code` and without a path for an error of the system, and otherwise as
 * `readOpened` does.
 */
export function readBelow(folder: string, name: string, maxBytes: number, room?: Buffer): Buffer {
  try {
    return readOpened((flags) => openBelow(folder, name, flags), maxBytes, room)
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException
    if (errno === undefined) throw error
    // Names the component that is a link, for which the system has several errors.
    requireOwnPath(folder, name)
    // The path in the system's message is that of an open folder.
    throw Object.assign(new Error(`${code}: ${getSystemErrorMessage(errno)}`), { code, errno })
  }
}

/** The same; undefined for a missing file. */
export function findBelow(folder: string, name: string, maxBytes: number): Buffer | undefined {
  try {
    return readBelow(folder, name, maxBytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Creates or replaces a file that everyone may read below a folder as `rewriteFile` does, but never through a link. Throws
 * an EntryKindError, and the error of the system.
 */
export function rewriteBelow(folder: string, name: string, content: string | Uint8Array): void {
  requireOwnPath(folder, name)
  rewriteFile(path.join(folder, name), content, 0o644)
}

/** An entry of a folder. */
export interface FolderEntry {
  /** Its path below the listed folder, with slashes. */
  readonly name: string
  readonly kind: EntryKind
}

/**
 * Every entry below a folder, or below one of its folders. Links are listed and not followed; folders whose own name `skips`
 * accepts are not read. `pass` gets the name of each folder below that cannot be read, and its error; without it, that error
 * is thrown. Throws an EntryKindError if `name` leads through a link, and the error of the system.
 */
export function listBelow(
  folder: string,
  name?: string,
  skips: (part: string) => boolean = () => false,
  pass?: (name: string, error: unknown) => void,
): readonly FolderEntry[] {
  if (name !== undefined) requireOwnPath(folder, name, 'folder')
  const found: FolderEntry[] = []
  // Not `recursive`, which follows links to folders.
  const visit = (place: string, prefix: string): void => {
    for (const entry of fs.readdirSync(place, { withFileTypes: true })) {
      const kind = kindOf(entry)
      found.push({ name: prefix + entry.name, kind })
      if (kind !== 'folder' || skips(entry.name)) continue
      try {
        visit(path.join(place, entry.name), `${prefix}${entry.name}/`)
      } catch (error) {
        if (pass === undefined) throw error
        pass(prefix + entry.name, error)
      }
    }
  }
  visit(path.join(folder, name ?? ''), '')
  return found
}
