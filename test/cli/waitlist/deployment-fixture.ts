import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { openSqliteStorageHere } from '../../../src/storage/sqlite-here.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite-storage.ts'
import type {
  SealedRegistration,
  StoredRegistration,
  WaitlistCount,
  WaitlistStore,
} from '../../../src/storage/storage.ts'
import { makeFolder } from '../../publishing/content-fixture.ts'
import { ADDRESS_HASH_SECRET, type KeyPair, makeKeyPair } from './waitlist-fixture.ts'

export const SVC: string = fileURLToPath(new URL('../../../src/cli/svc.ts', import.meta.url))

/** What a run of the program came to. */
export interface Outcome {
  readonly status: number | null
  readonly out: string
  readonly error: string
}

/** A folder as the service has it after its first start: a database, and secrets with the identity still there. */
export interface Deployment {
  readonly folder: string
  readonly database: string
  readonly secretsDir: string
  readonly recipientFile: string
  readonly keys: KeyPair
}

/** The environment without any variable of the service's own. */
export function cleanEnvironment(changes: { readonly [name: string]: string } = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  return { ...Object.fromEntries(kept), ...changes }
}

/** Runs `svc waitlist` as a person would, in a folder. */
export function waitlist(
  folder: string,
  args: readonly string[],
  {
    input = '',
    env = {},
  }: { readonly input?: string; readonly env?: { readonly [name: string]: string } } = {},
): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SVC, 'waitlist', ...args], {
    cwd: folder,
    env: cleanEnvironment(env),
    encoding: 'utf8',
    input,
    timeout: 60_000,
  })
  return { status, out: stdout, error: stderr }
}

/** Adds registrations to a database, which is made where it is missing. */
export async function addRegistrations(
  database: string,
  registrations: readonly SealedRegistration[],
): Promise<void> {
  const storage = await openSqliteStorage({ file: database })
  // Its queue keeps their order, and shares one sync of the disk among them.
  await Promise.all(registrations.map((each) => storage.waitlist.add(each)))
  await storage.close()
}

async function ask<Answer>(
  database: string,
  question: (store: WaitlistStore) => Promise<Answer>,
): Promise<Answer> {
  const storage = await openSqliteStorageHere({ file: database, mode: 'read-only' })
  try {
    return await question(storage.waitlist)
  } finally {
    await storage.close()
  }
}

/** All rows of a database, in the order of registering. */
export function readRows(database: string): Promise<readonly StoredRegistration[]> {
  return ask(database, (store) => store.readAfter(0, 1_000_000))
}

/** How many rows a database has, and for whom. */
export function countRows(database: string): Promise<WaitlistCount> {
  return ask(database, (store) => store.count())
}

/** Makes a deployment; `fill` gives its registrations. */
export async function makeDeployment(
  t: TestContext,
  fill: (keys: KeyPair) => Promise<readonly SealedRegistration[]>,
): Promise<Deployment> {
  const folder = makeFolder(t)
  const keys = await makeKeyPair()
  const secretsDir = path.join(folder, 'secrets')
  const database = path.join(folder, 'data', 'service.sqlite')
  const recipientFile = path.join(secretsDir, 'waitlist-recipient.txt')
  mkdirSync(secretsDir, { mode: 0o700 })
  const write = (file: string, text: string) =>
    writeFileSync(path.join(secretsDir, file), `${text}\n`, { mode: 0o600 })
  write('waitlist-recipient.txt', keys.recipient)
  write('waitlist-identity.txt', keys.identity)
  write('address-hash-secret.txt', ADDRESS_HASH_SECRET)
  await addRegistrations(database, await fill(keys))
  return { folder, database, secretsDir, recipientFile, keys }
}
