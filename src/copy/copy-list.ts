import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { COPY_FILES_SCHEMA } from '@public-api/contract/http/copy-files'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { readBelow } from '../files/folder-files.ts'

/** A failure to make a file of a copy. */
export class CopyFailure extends Error {}

/** Lists what a run wrote, so that the next one writes and removes only what changed. */
export const LIST_FILE = 'site.json'
/** Of a million files. */
export const MAX_LIST_BYTES = 256 * 1024 * 1024

/** Whether a file of a copy is a run's own, and no part of it. */
export const isOwnFile = (file: string): boolean =>
  file === LIST_FILE || /^\.(?:site\.|staging(?:\/|$))/.test(file)

/** Digest of the content, and the key that it was made for. Empty if a run that was killed may have replaced the file. */
export type WrittenFile = readonly [digest?: string, key?: string]

/** What `site.json` says. */
export interface CopyList {
  /** What the whole copy was made of; unknown after a run that was killed. */
  readonly madeOf?: string
  readonly files: ReadonlyMap<string, WrittenFile>
}

function isWrittenFile(value: unknown): value is WrittenFile {
  return (
    Array.isArray(value) && value.length <= 2 && value.every((each) => typeof each === 'string')
  )
}

/** The JSON value of a file; undefined without one, null if it is not JSON. */
export function readValue(folder: string, file: string): unknown {
  try {
    return parseJson(readBelow(folder, file, MAX_LIST_BYTES).toString()) ?? null
  } catch (error) {
    if (propertyOf(error, 'code') === 'ENOENT') return undefined
    throw new CopyFailure(`${path.join(folder, file)}: ${messageOf(error)}`, { cause: error })
  }
}

/** The list of the files of a copy; none without one. Throws a CopyFailure for another file in its place. */
export function readList(folder: string): CopyList {
  const list = readValue(folder, LIST_FILE)
  if (list === undefined) return { files: new Map() }
  const files = propertyOf(list, 'files')
  const isList =
    propertyOf(list, 'schema') === COPY_FILES_SCHEMA &&
    typeof files === 'object' &&
    files !== null &&
    Object.values(files).every(isWrittenFile)
  if (!isList) {
    throw new CopyFailure(
      `${path.join(folder, LIST_FILE)}: expected the list that svc site writes; remove it to write every file again`,
    )
  }
  const madeOf = propertyOf(list, 'madeOf')
  return {
    ...(typeof madeOf === 'string' ? { madeOf } : {}),
    files: new Map(Object.entries(files as { [file: string]: WrittenFile })),
  }
}
