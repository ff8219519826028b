import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { AppDependencies } from '../../src/app.ts'
import { createDecryptor, createEncryptor } from '../../src/crypto/age-file.ts'
import { createKeyedHash } from '../../src/crypto/keyed-hash.ts'
import { createTestChallenge, type Challenge } from '../../src/service/challenge/challenge.ts'
import { admitRegistration } from '../../src/service/waitlist/rate-limits.ts'
import {
  ADDRESS_HASH_LABEL,
  parseWaitlistEntry,
  type WaitlistEntry,
} from '../../src/service/waitlist/waitlist-entry.ts'
import { createWaitlist } from '../../src/service/waitlist/waitlist.ts'
import type { Counters } from '../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../src/storage/counters/memory-counters.ts'
import { openSqlite } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/stores/storage.ts'
import { proxies } from './proxies.ts'
import { ask, type ReceivedResponse } from './received-response.ts'
import { runApp, TEST_NOW_MS, type RunningApp } from './running-app.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { TestScope } from './test-scope.ts'

export const REGISTER = '/api/v1/early-access/register'

/** A body that is accepted, as often as its address is new. */
export const GOOD_BODY = {
  email: 'reader@example.org',
  consent: true,
  challengeToken: 'test-pass',
} as const

/** An app with an open waitlist: the real service over a database in its own folder. */
export interface RegisteringApp extends RunningApp {
  readonly folder: string
  readonly storage: Storage
  readonly counters: Counters
  /**
   * Registers with this body, as JSON unless it is a text or a buffer. By default each call comes from another
   * address, behind a trusted proxy, so that only the global limit applies.
   */
  register(body: unknown, headers?: { readonly [name: string]: string }): Promise<ReceivedResponse>
  /** All that is kept, opened with the identity, in the order of registering. */
  entries(): Promise<readonly WaitlistEntry[]>
}

/** Options of a test. */
export interface RegisteringOptions {
  /** Wraps the store, such as to let it fail. */
  readonly store?: (storage: Storage) => Storage
  /** Another challenge than the test mode, made over the app's own counters and clock. */
  readonly challenge?: (parts: { counters: Counters; clock: AppDependencies['clock'] }) => Challenge
  readonly parts?: Partial<AppDependencies>
}

/** Starts the app with an open waitlist; it and its database are gone when the test ends. */
export async function runRegisteringApp(
  t: TestScope,
  { store = (storage) => storage, challenge: makeChallenge, parts = {} }: RegisteringOptions = {},
): Promise<RegisteringApp> {
  const folder = temporaryFolder(t)
  const time = { ms: TEST_NOW_MS }
  const clock = { nowMs: () => time.ms }
  const counters = createMemoryCounters({ clock })
  const storage = store(await openSqlite('create', { file: path.join(folder, 'service.sqlite') }))
  t.after(() => storage.close())
  const identity = await generateX25519Identity()
  const challenge = makeChallenge?.({ counters, clock }) ?? createTestChallenge()
  const waitlist = createWaitlist({
    store: storage.waitlist,
    admitRegistration: (address) => admitRegistration(address, counters, clock),
    challenge,
    encryptor: createEncryptor(await identityToRecipient(identity)),
    hashAddress: createKeyedHash('test secret of addresses', ADDRESS_HASH_LABEL),
    clock,
    randomBytes,
  })
  const app = await runApp(t, {
    waitlist,
    challenge,
    trustedProxies: proxies('127.0.0.1'),
    clock,
    ...parts,
  })
  let callers = 0
  return {
    ...app,
    clock: time,
    folder,
    storage,
    counters,
    register(body, headers = {}) {
      callers += 1
      return ask(app, REGISTER, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': `10.${(callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}`,
          ...headers,
        },
        body: typeof body === 'string' || body instanceof ArrayBuffer ? body : JSON.stringify(body),
      })
    },
    async entries() {
      const decryptor = await createDecryptor([identity])
      const rows = await storage.waitlist.readAfter(0, 1000)
      return Promise.all(
        rows.map(async ({ sealed }) => parseWaitlistEntry(await decryptor.decrypt(sealed))),
      )
    },
  }
}
