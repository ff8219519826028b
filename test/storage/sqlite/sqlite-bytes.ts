import { execFileSync } from 'node:child_process'
import { filesOf } from './sqlite-fixture.ts'

/**
 * The bytes of a database's files. Another process reads them, because closing a file in this process would release the
 * locks that SQLite has on it.
 */
export function readFilesOf(file: string): Buffer {
  return execFileSync('cat', [...filesOf(file)], { maxBuffer: 2 ** 28 })
}

/** Whether the files of a database contain any 16-byte block of these bytes. */
export function isTraceLeft(file: string, bytes: Uint8Array): boolean {
  const held = readFilesOf(file)
  for (let start = 0; start + 16 <= bytes.length; start += 16) {
    if (held.includes(bytes.subarray(start, start + 16))) return true
  }
  return false
}
