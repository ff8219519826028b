import fs from 'node:fs'

/** Identifies a file, so that its replacement by another file of the same name can be detected. */
export function identityOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats === undefined ? MISSING_FILE : `${stats.dev}:${stats.ino}`
}

export const MISSING_FILE = 'missing'

/** The identities of the files of a write-ahead log (WAL); contains MISSING_FILE if one of them is missing. */
export function walIdentityOf(file: string): string {
  return `${identityOf(`${file}-wal`)} ${identityOf(`${file}-shm`)}`
}
