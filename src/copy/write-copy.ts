import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { makeFolder, replaceFile } from '@public-api/client-internal/node/durable-file'
import { propertyOf } from '@public-api/contract/json/property-of'
import { type CopyFile, CopyError } from './copy-source.ts'

/** Lists what a run wrote, so that the next one writes and removes only what changed. */
const LIST_FILE = 'site.json'
const LIST_SCHEMA = 'svc.public.site.v1'
/** Complete files wait here until all of them are there. */
const STAGING = '.staging'
const RIGHTS = { mode: 0o644 }
const FOLDER_MODE = 0o755

/** Digest of the content, and the key that it was made for. */
type Written = readonly [digest: string, key?: string]

/** What a run changed. */
export interface CopyReport {
  readonly files: number
  readonly written: number
  readonly removed: number
}

function readList(folder: string): ReadonlyMap<string, Written> {
  let text: string
  try {
    text = fs.readFileSync(path.join(folder, LIST_FILE), 'utf8')
  } catch {
    return new Map()
  }
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    list = undefined
  }
  const files = propertyOf(list, 'files')
  if (propertyOf(list, 'schema') !== LIST_SCHEMA || typeof files !== 'object' || files === null) {
    throw new CopyError(
      `${path.join(folder, LIST_FILE)}: expected the list that svc site writes; remove it to write every file again`,
    )
  }
  return new Map(Object.entries(files as { [file: string]: Written }))
}

/** Throws a CopyError for a folder with files that no run wrote: a mistyped name must not mix two sites. */
function requireOwnFolder(folder: string, before: ReadonlyMap<string, Written>): void {
  const names = fs.readdirSync(folder).filter((name) => !name.startsWith('.'))
  if (before.size > 0 || names.length === 0) return
  throw new CopyError(`${folder}: expected an empty folder, or one that svc site wrote before`)
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

/**
 * Writes the files of a copy that changed since the last run. Every new file is complete before the first one is moved to
 * its place, in the order of the list, so that a run that is killed leaves the old copy; the next run removes what it left.
 * Rejects with a CopyError, or with the error of the system.
 */
export async function writeCopy(
  folder: string,
  files: AsyncIterable<CopyFile>,
  onFile: () => void = () => {},
): Promise<CopyReport> {
  makeFolder(folder, FOLDER_MODE)
  const before = readList(folder)
  requireOwnFolder(folder, before)
  const staging = path.join(folder, STAGING)
  fs.rmSync(staging, { recursive: true, force: true })
  fs.mkdirSync(staging)
  const after = new Map<string, Written>()
  const staged: string[] = []
  for await (const { file, key, make } of files) {
    onFile()
    const known = before.get(file)
    if (known !== undefined && key !== undefined && known[1] === key) {
      after.set(file, known)
      continue
    }
    const bytes = await make()
    const digest = createHash('sha256').update(bytes).digest('base64url')
    after.set(file, key === undefined ? [digest] : [digest, key])
    if (known?.[0] === digest) continue
    fs.writeFileSync(path.join(staging, String(staged.length)), bytes, RIGHTS)
    staged.push(file)
  }
  const removed = [...before.keys()].filter((file) => !after.has(file))
  const made = new Set<string>()
  for (const [index, file] of staged.entries()) {
    const parent = path.join(folder, path.dirname(file))
    if (!made.has(parent)) fs.mkdirSync(parent, { recursive: true })
    made.add(parent)
    fs.renameSync(path.join(staging, String(index)), path.join(folder, file))
  }
  for (const file of removed) removeFile(folder, file)
  fs.rmSync(staging, { recursive: true, force: true })
  if (staged.length > 0 || removed.length > 0 || after.size !== before.size) {
    const list = { schema: LIST_SCHEMA, files: Object.fromEntries(after) }
    replaceFile(path.join(folder, LIST_FILE), `${JSON.stringify(list)}\n`, RIGHTS)
  }
  return { files: after.size, written: staged.length, removed: removed.length }
}
