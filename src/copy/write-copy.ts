import { hash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { makeFolder, syncFile } from '@public-api/client-internal/node/durable-file'
import { LockedError, withFileLock } from '@public-api/client-internal/node/file-lock'
import { requireOwnPath } from '@public-api/client-internal/node/own-path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { COPY_FILES_SCHEMA } from '@public-api/contract/http/copy-files'
import { propertyOf } from '@public-api/contract/json/property-of'
import { readBelow } from '../files/folder-files.ts'
import {
  CopyFailure,
  LIST_FILE,
  type CopyList,
  readList,
  readValue,
  type WrittenFile,
} from './copy-list.ts'
import type { CopyFile } from './copy-source.ts'

/** Complete files wait here until all of them are there. */
const STAGING = '.staging'
/** Names the files that a run creates, replaces or removes, until the list is right again. A run that was killed leaves it. */
const MOVED_FILE = '.site.moved.json'
const LOCK = '.site.lock'
/** Names the process that has the lock. */
const HOLDER = '.site.lock.pid'
const LOCK_WAIT_MS = 1000
const RIGHTS = { mode: 0o644 }
const FOLDER_MODE = 0o755

/** What a copy is to have. */
export interface CopyContent {
  /** Changes with everything that the files are made of. */
  readonly madeOf: string
  /** Called unless the copy has them. An error leaves the copy as it was. */
  files(): AsyncIterable<CopyFile> | Iterable<CopyFile>
}

/** Throws a CopyFailure for a folder with files that no run wrote: a mistyped name must not mix two sites. */
function requireOwnFolder(folder: string): void {
  const names = fs.readdirSync(folder)
  // Without the list, the lock shows that an earlier run wrote there.
  if ([LIST_FILE, LOCK].some((name) => names.includes(name))) return
  // GitHub writes CNAME into the branch of its pages when a domain is set before the first copy.
  const other = names.find((name) => !name.startsWith('.') && name !== 'CNAME')
  if (other === undefined) return
  throw new CopyFailure(
    `${folder}: found ${JSON.stringify(other)}, expected an empty folder, or one that svc site wrote before`,
  )
}

/**
 * Throws a CopyFailure unless each file that exists is a file of the folder itself. A link that others placed there, or a name
 * in their list, must not lead a run to files outside.
 */
function requireOwnFiles(folder: string, files: readonly string[]): void {
  for (const file of files) {
    try {
      requireOwnPath(folder, file)
    } catch (error) {
      throw new CopyFailure(`${folder}: ${messageOf(error)}`, { cause: error })
    }
  }
}

/** What the last run left, also if it was killed while it moved files. */
function readState(folder: string): CopyList {
  const list = readList(folder)
  const moved = readValue(folder, MOVED_FILE)
  if (moved === undefined) return list
  if (!Array.isArray(moved)) {
    throw new CopyFailure(
      `${path.join(folder, MOVED_FILE)}: expected a list of files; remove it and ${LIST_FILE} to write every file again`,
    )
  }
  return { files: new Map([...list.files, ...moved.map((file) => [String(file), []] as const)]) }
}

/** Removes a file and the folders that it leaves empty. */
function removeFile(folder: string, file: string): void {
  fs.rmSync(path.join(folder, file), { force: true })
  for (let parent = path.dirname(file); parent !== '.'; parent = path.dirname(parent)) {
    try {
      fs.rmdirSync(path.join(folder, parent))
    } catch {
      return
    }
  }
}

/** Creates a folder below the copy that a web server can enter, whatever the umask. */
function makeReadableFolder(folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) {
    fs.chmodSync(made, FOLDER_MODE)
  }
}

/**
 * Lets a web server read a copy that was written under a stricter umask, which its list tells. The list is mended last, so
 * that a run which is killed leaves the rest to the next one.
 */
function mendRights(folder: string, files: readonly string[]): void {
  const list = path.join(folder, LIST_FILE)
  if (((fs.lstatSync(list, { throwIfNoEntry: false })?.mode ?? 0o777) & 0o044) === 0o044) return
  requireOwnFiles(folder, files)
  const folders = new Set(['.'])
  for (const file of files) {
    const place = path.join(folder, file)
    if (fs.existsSync(place)) fs.chmodSync(place, RIGHTS.mode)
    for (let at = path.dirname(file); !folders.has(at); at = path.dirname(at)) folders.add(at)
  }
  for (const each of folders) {
    const place = path.join(folder, each)
    if (fs.existsSync(place)) fs.chmodSync(place, FOLDER_MODE)
  }
  fs.chmodSync(list, RIGHTS.mode)
}

/** Where the complete files of a run wait, and the list that names all files of the copy. */
function createStaging(folder: string) {
  const staging = path.join(folder, STAGING)
  fs.rmSync(staging, { recursive: true, force: true })
  fs.mkdirSync(staging)
  const at = (name: string): string => path.join(staging, name)
  const write = (name: string, bytes: Uint8Array | string) => {
    fs.writeFileSync(at(name), bytes, RIGHTS)
    // A web server reads the copy, whatever the umask of the run.
    fs.chmodSync(at(name), RIGHTS.mode)
  }
  /** Replaces a file that must survive a power failure. */
  const replace = (file: string, text: string) => {
    write('flushed', text)
    syncFile(at('flushed'))
    fs.renameSync(at('flushed'), path.join(folder, file))
  }
  return {
    write,
    move: (name: string, file: string) => fs.renameSync(at(name), path.join(folder, file)),
    writeMoved: (files: readonly string[]) => replace(MOVED_FILE, JSON.stringify(files)),
    writeList(files: CopyList['files'], madeOf: string): void {
      // A line for each file: an object of all would need as much memory as the rest of the run.
      const lines = Array.from(
        files,
        ([file, written]) => `${JSON.stringify(file)}:${JSON.stringify(written)}`,
      )
      const first = JSON.stringify({ schema: COPY_FILES_SCHEMA, madeOf }).slice(0, -1)
      replace(LIST_FILE, `${first},"files":{\n${lines.join(',\n')}\n}}\n`)
    },
    end: () => fs.rmSync(staging, { recursive: true, force: true }),
  }
}

/**
 * Writes the files of a copy that changed since the last run. Every new file is complete before the first one is moved to
 * its place. They are moved in the order of the list, and files that no longer belong are removed after that, so a reader
 * finds what a file names at any moment. The list is replaced when all are moved; until then another one names what changes,
 * and the run after one that was killed writes or removes these. Resolves with what it changed. Rejects with a CopyFailure, or
 * with the error of the system.
 */
export async function writeCopy(
  folder: string,
  content: CopyContent,
  onFile: () => void = () => {},
) {
  const { files: before, madeOf: madeBefore } = readState(folder)
  mendRights(folder, [...before.keys()])
  const { madeOf } = content
  if (madeBefore === madeOf) return { files: before.size, written: 0, removed: 0 }
  const files = content.files()
  const staging = createStaging(folder)
  // What a failed run leaves would keep a full disk full.
  try {
    const after = new Map<string, WrittenFile>()
    const staged: string[] = []
    for await (const { file, key, make } of files) {
      onFile()
      const known = before.get(file)
      if (known !== undefined && key !== undefined && known[1] === key) {
        after.set(file, known)
        continue
      }
      const bytes = await make()
      const digest = hash('sha256', bytes, 'base64url')
      after.set(file, key === undefined ? [digest] : [digest, key])
      if (known?.[0] === digest) continue
      staging.write(String(staged.length), bytes)
      staged.push(file)
    }
    const removed = [...before.keys()].filter((file) => !after.has(file))
    requireOwnFiles(folder, [...staged, ...removed])
    staging.writeMoved([...staged, ...removed])
    const made = new Set<string>()
    for (const [index, file] of staged.entries()) {
      const parent = path.join(folder, path.dirname(file))
      if (!made.has(parent)) makeReadableFolder(parent)
      made.add(parent)
      staging.move(String(index), file)
    }
    // Pages before the data that they name.
    for (const file of removed.toReversed()) removeFile(folder, file)
    staging.writeList(after, madeOf)
    fs.rmSync(path.join(folder, MOVED_FILE), { force: true })
    return { files: after.size, written: staged.length, removed: removed.length }
  } finally {
    staging.end()
  }
}

/** The process that has the lock, if it says so. */
function nameOfHolder(folder: string): string {
  try {
    const text = readBelow(folder, HOLDER, 20).toString()
    if (/^\d+$/.test(text)) return `process ${text}`
  } catch {
    // It has just ended, or something else is in the place of its file.
  }
  return 'a process'
}

/**
 * Runs work while no other run writes this copy. Creates the folder. Rejects with a CopyFailure for a folder of other files,
 * or if another run has not ended within a second, and with the error of `work`.
 */
export async function withCopyFolder<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  makeFolder(folder, FOLDER_MODE)
  requireOwnFolder(folder)
  const holder = path.join(folder, HOLDER)
  try {
    return await withFileLock(path.join(folder, LOCK), LOCK_WAIT_MS, async () => {
      // A link or a hard link in its place must not lead to another file.
      fs.rmSync(holder, { force: true })
      fs.writeFileSync(holder, String(process.pid), { ...RIGHTS, flag: 'wx' })
      try {
        return await work()
      } finally {
        fs.rmSync(holder, { force: true })
      }
    })
  } catch (error) {
    // Such as a full disk while a file is written: the system's message has no path.
    if (propertyOf(error, 'syscall') !== undefined && propertyOf(error, 'path') === undefined) {
      throw new CopyFailure(`${folder}: ${messageOf(error)}`, { cause: error })
    }
    if (!(error instanceof LockedError)) throw error
    throw new CopyFailure(
      `${nameOfHolder(folder)} writes ${folder} at the moment; try again when it has ended`,
      { cause: error },
    )
  }
}
