import path from 'node:path'
import type { TestContext } from 'node:test'
import type {
  SealedRegistration,
  StoredRegistration,
  WaitlistCount,
} from '../../../src/storage/stores/waitlist-store.ts'
import { type Outcome, type RunOptions, svcIn } from '../../support/run-svc.ts'
import {
  askDatabase,
  fillDatabase,
  makeServiceFolder,
  type ServiceFolder,
} from '../../support/service-folder.ts'
import { ADDRESS_HASH_SECRET, type KeyPair, makeKeyPair } from './waitlist-fixture.ts'

/** A folder as the service has it after its first start: a database, and secrets with the identity still there. */
export interface Deployment extends ServiceFolder {
  readonly recipientFile: string
  readonly keys: KeyPair
}

/** Runs `svc waitlist` in a folder. */
export function waitlist(
  folder: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  return svcIn(folder, ['waitlist', ...args], options)
}

/** Adds registrations to a database, in their order; it is made where it is missing. */
export function addRegistrations(
  database: string,
  registrations: readonly SealedRegistration[],
): Promise<void> {
  return fillDatabase(database, (storage) =>
    registrations.map((each) => storage.waitlist.add(each)),
  )
}

/** All rows of a database, in the order of registering. */
export function readRows(database: string): Promise<readonly StoredRegistration[]> {
  return askDatabase(database, (storage) => storage.waitlist.readAfter(0, 1_000_000))
}

/** How many rows a database has, and for whom. */
export function countRows(database: string): Promise<WaitlistCount> {
  return askDatabase(database, (storage) => storage.waitlist.count())
}

/** Makes a deployment; `fill` gives its registrations. */
export async function makeDeployment(
  t: TestContext,
  fill: (keys: KeyPair) => Promise<readonly SealedRegistration[]>,
): Promise<Deployment> {
  const keys = await makeKeyPair()
  const made = makeServiceFolder(t, {
    'waitlist-recipient.txt': keys.recipient,
    'waitlist-identity.txt': keys.identity,
    'address-hash-secret.txt': ADDRESS_HASH_SECRET,
  })
  await addRegistrations(made.database, await fill(keys))
  return { ...made, recipientFile: path.join(made.secretsDir, 'waitlist-recipient.txt'), keys }
}
