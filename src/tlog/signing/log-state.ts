import { statSync } from 'node:fs'
import path from 'node:path'
import { decodeCanonicalBase64, encodeBase64 } from '@public-api/client-internal/base64'
import type { HashTree } from '@public-api/client-internal/log/hash-tree'
import { equalHashes, rootOf } from '@public-api/client-internal/log/merkle-tree'
import {
  makeFolder,
  removePartialFiles,
  replaceFile,
} from '@public-api/client-internal/node/durable-file'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { readRegularFile } from '../../files/read-regular-file.ts'
import { readTlog, TlogError, writeTlog } from '../tlog-error.ts'

/** The largest tree that may have been signed. It is kept beside the key, apart from the releases. */
export interface LogState {
  readonly size: number
  readonly root: Uint8Array
}

/** The state of a log; undefined if the file does not exist. Throws a TlogError. */
export function readLogState(file: string): LogState | undefined {
  const text = readTlog(file, () => readRegularFile(file, 4096).toString('utf8'))
  if (text === undefined) return undefined
  const value = parseJson(text)
  const [size, stated] = [propertyOf(value, 'size'), propertyOf(value, 'root')]
  const root = typeof stated === 'string' ? decodeCanonicalBase64(stated, 32) : undefined
  if (typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 && root !== undefined) {
    return { size, root }
  }
  throw new TlogError('LOG_FILE', `${file}: expected { "size": number, "root": base64 }`)
}

/** Replaces the state; durable when it returns. Publishers who share the key share the state. Throws a TlogError. */
export function writeLogState(file: string, { size, root }: LogState, isShared: boolean): void {
  writeTlog(file, () => {
    const folder = path.dirname(file)
    makeFolder(folder, 0o700)
    removePartialFiles(folder)
    const text = `${JSON.stringify({ size, root: encodeBase64(root) })}\n`
    replaceFile(file, text, isShared ? { mode: 0o660, owner: statSync(folder) } : { mode: 0o600 })
  })
}

/**
 * Refuses versions that do not extend the largest tree that was signed, such as a releases folder restored from an old
 * backup. A log must never sign two trees that contradict each other. Throws a TlogError (BEHIND).
 */
export async function requireExtension(tree: HashTree, state: LogState): Promise<void> {
  if (state.size > tree.size) {
    const found = `the log signed ${state.size} versions, and the folder has ${tree.size}`
    throw new TlogError('BEHIND', `${found}; restore the missing versions`)
  }
  if (equalHashes(await rootOf(tree, state.size), state.root)) return
  const found = `the first ${state.size} versions are not those that the log signed`
  throw new TlogError('BEHIND', `${found}; restore the versions that were published`)
}
