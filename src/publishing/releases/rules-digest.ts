import fs from 'node:fs'
import path from 'node:path'
import { sha256Base64url } from '../../crypto/sha256.ts'

/** Rules and schemas. The lock file has the packages, such as those that parse files and find secrets. */
const FOLDERS = ['src/publishing', 'packages/contract']
const LOCK_FILE = 'package-lock.json'

/**
 * Identifies what the program in a folder checks content by. Its versions do not: two programs with other rules may have the
 * same registry version.
 */
export function digestOfRules(program: string): string {
  const sources = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(program, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.join(folder, name)),
  )
  const digests = [LOCK_FILE, ...sources.toSorted()].map((file) => [
    file,
    sha256Base64url(fs.readFileSync(path.join(program, file))),
  ])
  return sha256Base64url(JSON.stringify(digests))
}

let own: string | undefined

/** The digest of this program's rules, computed once. */
export const digestOfOwnRules = (): string =>
  (own ??= digestOfRules(path.join(import.meta.dirname, '../../..')))
