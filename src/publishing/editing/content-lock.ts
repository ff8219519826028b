import path from 'node:path'
import { withFileLock } from '@public-api/client-internal/node/file-lock'
import { ignoreInGit } from '../../files/git-files.ts'

/** The lock of a content folder. Its dot excludes it from the content. */
const LOCK_FILE = '.lock'
/** A file is compared and replaced in milliseconds. */
const LOCK_WAIT_MS = 30_000

/** Runs work that replaces files of a content folder, one at a time. Rejects also if the lock cannot be made. */
export async function withContentLock<Result>(
  contentDir: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = path.join(contentDir, LOCK_FILE)
  ignoreInGit(lock)
  return withFileLock(lock, LOCK_WAIT_MS, work)
}
