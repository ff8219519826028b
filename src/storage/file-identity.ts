import fs from 'node:fs'

/** Tells one file from another that has taken its name, as long as someone has it open. */
export function identityOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats === undefined ? MISSING_FILE : `${stats.dev}:${stats.ino}`
}

/** The identity of a file that is not there. */
export const MISSING_FILE = 'missing'

/** The identities of the files of a database's write-ahead log (WAL); holds MISSING_FILE where one of them is not there. */
export function walIdentityOf(file: string): string {
  return `${identityOf(`${file}-wal`)} ${identityOf(`${file}-shm`)}`
}
