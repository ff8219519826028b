import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { withStorage } from '../../src/cli/database.ts'
import { openSqliteStorage } from '../../src/storage/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export const SVC: string = fileURLToPath(new URL('../../src/cli/svc.ts', import.meta.url))

/** What a run of a program came to. */
export interface Outcome {
  readonly status: number | null
  readonly out: string
  readonly error: string
}

/** What a program is started with besides its arguments. */
export interface RunOptions {
  readonly input?: string
  readonly env?: { readonly [name: string]: string }
}

/** The environment without any variable of the service's own. */
export function cleanEnvironment(changes: { readonly [name: string]: string } = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  return { ...Object.fromEntries(kept), ...changes }
}

/** Runs a program of Node as a person would, in a folder: its file, and its arguments behind it. */
export function runIn(
  folder: string,
  args: readonly string[],
  { input = '', env = {} }: RunOptions = {},
): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: cleanEnvironment(env),
    encoding: 'utf8',
    input,
    timeout: 60_000,
  })
  return { status, out: stdout, error: stderr }
}

/** A folder as the service has it: a database, and secrets beside it. */
export interface ServiceFolder {
  readonly folder: string
  readonly database: string
  readonly secretsDir: string
}

/** Makes a folder with these secrets, a line in each file. The database is not made yet. */
export function makeServiceFolder(
  t: TestContext,
  secrets: { readonly [file: string]: string },
): ServiceFolder {
  const folder = temporaryFolder(t)
  const secretsDir = path.join(folder, 'secrets')
  mkdirSync(secretsDir, { mode: 0o700 })
  for (const [file, text] of Object.entries(secrets)) {
    writeFileSync(path.join(secretsDir, file), `${text}\n`, { mode: 0o600 })
  }
  return { folder, database: path.join(folder, 'data', 'service.sqlite'), secretsDir }
}

/** Puts rows into a database, which is made where it is missing. What is begun together shares one sync of the disk. */
export async function fillDatabase(
  database: string,
  fill: (storage: Storage) => readonly Promise<unknown>[],
): Promise<void> {
  const storage = await openSqliteStorage({ file: database })
  await Promise.all(fill(storage))
  await storage.close()
}

/** Asks a database something. */
export function askDatabase<Answer>(
  database: string,
  question: (storage: Storage) => Promise<Answer>,
): Promise<Answer> {
  return withStorage(database, 'read-only', question)
}
