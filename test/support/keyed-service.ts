import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { withDatabase } from '../../src/cli/database.ts'
import type { StoredApiKey } from '../../src/storage/stores/api-key-store.ts'
import { makeDeployment, type Deployment } from './deployment.ts'
import { eventually } from './eventually.ts'
import { type RawResponse, sendRequest } from './raw-http.ts'
import { outcomeOf } from './received-response.ts'
import { databaseFileOf } from './registering-service.ts'
import { startService, type ServiceProcess } from './service-process.ts'
import { issueInto, type MadeKeyOptions, TEST_HASH_SECRET } from './stored-keys.ts'

/** The real program, with keys that a test can add to its database. */
export interface KeyedService extends Deployment {
  readonly service: ServiceProcess
  readonly port: number
  readonly file: string
  /** Sends a request over its own connection, with these header lines. */
  send(method: string, target: string, lines?: readonly string[]): Promise<RawResponse>
  /** GET of a path with a key; returns the status and the error code. */
  withKey(key: string, target?: string): Promise<string>
}

/** Puts a key into a database, as the service would make it; its secret is the test's unless another is given. */
export async function putKey(file: string, options: MadeKeyOptions = {}): Promise<string> {
  return withDatabase(
    { kind: 'sqlite', file },
    'read-write',
    async ({ apiKeys }) => (await issueInto(apiKeys, options)).key,
  )
}

/** Revokes a key in the database. */
export async function revokeKey(file: string, key: string): Promise<void> {
  await withDatabase({ kind: 'sqlite', file }, 'read-write', ({ apiKeys }) =>
    apiKeys.revoke(sliceKeyId(key), Date.now()),
  )
}

/** All keys of a database, in the order of their ids. */
export function rowsIn(file: string): Promise<readonly StoredApiKey[]> {
  return withDatabase({ kind: 'sqlite', file }, 'read-write', ({ apiKeys }) =>
    apiKeys.readAfter('', 20_000),
  )
}

/** Writes the secret that keys are hashed with, and the ones before it, as files of the secrets folder. */
export function writeHashSecrets(
  { secretsDir }: Deployment,
  current: string,
  previous: readonly string[] = [],
): void {
  mkdirSync(secretsDir, { recursive: true, mode: 0o700 })
  const write = (name: string, text: string): void =>
    writeFileSync(path.join(secretsDir, name), text, { mode: 0o600 })
  write('key-hash-secret.txt', `${current}\n`)
  write('key-hash-secret-previous.txt', previous.map((each) => `${each}\n`).join(''))
}

/** Options of a start. */
export interface KeyedStartOptions {
  readonly env?: { readonly [name: string]: string }
  /** A deployment whose hash secret is the test's, unless one is given. */
  readonly deployment?: Deployment
}

/** Starts the program and waits until it serves. */
export async function startKeyed(
  t: TestContext,
  { env = {}, deployment }: KeyedStartOptions = {},
): Promise<KeyedService> {
  const used = deployment ?? makeDeployment(t)
  if (deployment === undefined) writeHashSecrets(used, TEST_HASH_SECRET)
  const service = startService(t, used.folder, env)
  const { port } = await service.serving()
  const send = (method: string, target: string, lines: readonly string[] = []) =>
    sendRequest(port, method, target, lines)
  return {
    ...used,
    service,
    port,
    file: databaseFileOf(used),
    send,
    withKey: async (key, target = '/api/v1/keys/self') =>
      outcomeOf(await send('GET', target, [`X-SVC-Key: ${key}`])),
  }
}

/** Stops the program, which has to end well. */
export async function stopKeyed({ service }: KeyedService): Promise<void> {
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
}

/** Process ids of all workers started so far, once their number is reached. */
export function livingPids(
  { service }: Pick<KeyedService, 'service'>,
  started: number,
): Promise<readonly number[]> {
  return eventually(`${started} workers took requests`, () => {
    const lines = service.lines().filter(({ msg }) => msg === 'Worker ready')
    return lines.length === started ? lines.map((line) => Number(line['pid'])) : undefined
  })
}

/** Waits until a key is answered so. */
export function becomes(running: KeyedService, key: string, outcome: string): Promise<true> {
  return eventually(`a key is answered ${outcome}`, async () =>
    (await running.withKey(key)) === outcome ? true : undefined,
  )
}
