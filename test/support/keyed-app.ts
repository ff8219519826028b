import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import type { Issuance } from '@public-api/contract/keys/issuance'
import { ENDPOINTS, type Endpoint } from '@public-api/contract/registry/endpoints'
import { LIMITS } from '@public-api/contract/terms/limits'
import type { AppDependencies } from '../../src/app.ts'
import { createApiKeys, type ApiKeys } from '../../src/service/api-keys/api-keys.ts'
import { solveAltcha } from '../../src/service/challenge/altcha-challenge-solver.ts'
import { createAltchaChallenge } from '../../src/service/challenge/altcha-challenge.ts'
import {
  type Challenge,
  type ChallengePurpose,
  createTestChallenge,
} from '../../src/service/challenge/challenge.ts'
import type { Counters } from '../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../src/storage/counters/memory-counters.ts'
import { openSqlite } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { ApiKeyStore, StoredApiKey } from '../../src/storage/stores/api-key-store.ts'
import { ask, type ReceivedResponse } from './received-response.ts'
import { runApp, TEST_NOW_MS, type RunningApp } from './running-app.ts'
import { issueInto, type MadeKeyOptions, TEST_HASH_SECRET } from './stored-keys.ts'
import { temporaryDatabase } from './temporary-folder.ts'

export const KEYS = '/api/v1/keys'
export const SELF = '/api/v1/keys/self'

/** A registry with open issuance. Only code can open it. */
export const OPEN_ISSUANCE = {
  enabled: true,
  approvedBy: 'a test',
  approvedAt: '2026-11-21',
  reference: 'test/support/keyed-app.ts',
} as const satisfies Issuance

/** An app over keys that are really stored, with issuance open unless `issuance` is undefined in its options. */
export interface KeyedApp extends RunningApp {
  /** The database. */
  readonly file: string
  readonly store: ApiKeyStore
  readonly counters: Counters
  readonly challenge: Challenge
  /** A key that is made past the API, at the app's time. */
  makeKey(options?: MadeKeyOptions): Promise<string>
  /** Counts requests with a key without sending them. */
  spend(key: string, times: number): Promise<void>
  /** POST /keys with this body, as JSON unless it is a text or bytes already. */
  post(body: unknown, headers?: { readonly [name: string]: string }): Promise<ReceivedResponse>
  /** All that is kept, in the order of key IDs. */
  rows(): Promise<readonly StoredApiKey[]>
}

/** Options of a test. */
export interface KeyedAppOptions {
  /** False: the registry's own word, which is the pause. */
  readonly isOpen?: boolean
  /** Wraps the store, such as to let it fail. */
  readonly store?: (store: ApiKeyStore) => ApiKeyStore
  readonly counters?: (counters: Counters) => Counters
  /** Another challenge than the test mode. */
  readonly challenge?: (parts: { counters: Counters; clock: AppDependencies['clock'] }) => Challenge
  readonly previousHashSecrets?: readonly string[]
  readonly randomBytes?: (count: number) => Uint8Array
  readonly parts?: Partial<AppDependencies>
}

/** Starts the app over its own database; both are removed when the test ends. */
export async function runKeyedApp(
  t: TestContext,
  options: KeyedAppOptions = {},
): Promise<KeyedApp> {
  const time = { ms: TEST_NOW_MS }
  const clock = { nowMs: () => time.ms }
  const wrapStore = options.store ?? ((each) => each)
  const wrapCounters = options.counters ?? ((each) => each)
  const file = temporaryDatabase(t)
  const storage = await openSqlite('create', { file })
  t.after(() => storage.close())
  const counters = wrapCounters(createMemoryCounters({ clock }))
  const store = wrapStore(storage.apiKeys)
  const apiKeys: ApiKeys = createApiKeys({
    store,
    counters,
    clock,
    hashSecret: TEST_HASH_SECRET,
    previousHashSecrets: options.previousHashSecrets ?? [],
    randomBytes: options.randomBytes ?? randomBytes,
    onRehashFailure: () => {},
  })
  const challenge = options.challenge?.({ counters, clock }) ?? createTestChallenge()
  const app = await runApp(t, {
    apiKeys,
    challenge,
    clock,
    ...(options.isOpen === false ? {} : { issuance: OPEN_ISSUANCE }),
    ...options.parts,
  })
  return {
    ...app,
    clock: time,
    file,
    store: storage.apiKeys,
    counters,
    challenge,
    makeKey: async (made) => (await issueInto(storage.apiKeys, { nowMs: time.ms, ...made })).key,
    async spend(key, times) {
      const window = { key: `key:${sliceKeyId(key)}`, ...LIMITS.keyedRequests }
      for (let each = 0; each < times; each += 1) await counters.count([window])
    },
    post: (body, headers = {}) =>
      ask(app, KEYS, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' || body instanceof ArrayBuffer ? body : JSON.stringify(body),
      }),
    rows: () => storage.apiKeys.readAfter('', 20_000),
  }
}

/** A request with a key. */
export function withKey(key: string, method = 'GET') {
  return { method, headers: { 'X-SVC-Key': key } }
}

/** A proof of work that takes no time, over the app's own counters. */
export function easyAltcha({
  counters,
  clock,
}: {
  readonly counters: Counters
  readonly clock: AppDependencies['clock']
}): Challenge {
  return createAltchaChallenge({ counters, clock, work: { cost: 1, maxCounter: 10 } })
}

/** A token of such a challenge, solved. */
export async function solvedFor(
  { challenge }: Pick<KeyedApp, 'challenge'>,
  purpose: ChallengePurpose,
): Promise<string> {
  return (await solveAltcha((await challenge.issue?.(purpose)) ?? '', 600_000)).token
}

/** A body that a key is issued for, as often as it is sent. */
export const GOOD_KEY_REQUEST = { challengeToken: 'test-pass' } as const

/** One row of the registry as a request that reaches its handler. */
export interface EndpointRequest {
  readonly name: string
  readonly row: Endpoint
  readonly method: string
  readonly target: string
  /** Lines of headers that go with the body. */
  readonly headers: readonly string[]
  readonly body: string
}

/** A request for each row of the registry. */
export const ENDPOINT_REQUESTS: readonly EndpointRequest[] = Object.entries(
  ENDPOINTS as { readonly [name: string]: Endpoint },
).map(([name, row]) => {
  const { method, path: template, parameter, request } = row
  const body = request === undefined ? '' : JSON.stringify(GOOD_KEY_REQUEST)
  return {
    name,
    row,
    method,
    target: template.replace(/\{[^}]+\}$/, parameter?.example ?? ''),
    headers:
      request === undefined
        ? []
        : ['Content-Type: application/json', `Content-Length: ${body.length}`],
    body,
  }
})

/** Every way in which an existing key can be wrong: one text for each, none of them valid. */
export async function makeRefusedKeys(
  app: KeyedApp,
): Promise<{ readonly [reason: string]: string }> {
  const good = await app.makeKey()
  const other = await app.makeKey()
  const revoked = await app.makeKey()
  const changed = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')
  await app.store.revoke(sliceKeyId(revoked), app.clock.ms)
  return {
    malformed: 'nonsense',
    short: good.slice(0, -1),
    long: `${good}A`,
    'upper case': good.toUpperCase(),
    'another prefix': `svx${good.slice(3)}`,
    unknown: `svk_${'0'.repeat(16)}_${'s'.repeat(43)}`,
    wrong: changed(good),
    'another key’s secret': good.slice(0, 21) + other.slice(21),
    revoked,
    'revoked and wrong': changed(revoked),
  }
}

/** Every spelling by which a key could be found again: itself, its secret and a part of it, and their codings. Latin1. */
export function formsOfKey(key: string): { readonly [form: string]: string } {
  const secret = key.slice(21)
  const bytes = Buffer.from(secret, 'base64url')
  return {
    'the key': key,
    'the secret': secret,
    'a half of the secret': secret.slice(0, 21),
    'the other half': secret.slice(21),
    'the key in base64': Buffer.from(key).toString('base64').slice(0, -4),
    'the secret in base64': Buffer.from(secret).toString('base64').slice(0, -4),
    'the key in base64url': Buffer.from(key).toString('base64url'),
    'the secret in base64url': Buffer.from(secret).toString('base64url'),
    'the key in hex': Buffer.from(key).toString('hex'),
    'the secret in hex': Buffer.from(secret).toString('hex'),
    'the secret in upper-case hex': Buffer.from(secret).toString('hex').toUpperCase(),
    'the secret’s bytes': bytes.toString('latin1'),
    'the secret’s bytes in hex': bytes.toString('hex'),
    'the secret’s bytes in base64': bytes.toString('base64').slice(0, -1),
    'the secret in UTF-16': Buffer.from(secret, 'utf16le').toString('latin1'),
    'the secret backwards': Array.from(secret).toReversed().join(''),
  }
}
