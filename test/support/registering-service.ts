import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { request, type Agent } from 'node:http'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { createDecryptor, parseIdentities } from '../../src/crypto/age-file.ts'
import { solveAltcha } from '../../src/service/challenge/altcha-challenge-solver.ts'
import {
  parseWaitlistEntry,
  type WaitlistEntry,
} from '../../src/service/waitlist/waitlist-entry.ts'
import { openSqlite } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { StoredRegistration } from '../../src/storage/stores/waitlist-store.ts'
import { makeDeployment, type Deployment } from './deployment.ts'
import { nextAddress } from './raw-registration.ts'
import { GOOD_BODY, REGISTER } from './registering-app.ts'
import { startService, type ServiceProcess } from './service-process.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { TestScope } from './test-scope.ts'

/** One request as its parts. */
export interface Sent {
  readonly method?: string
  readonly target: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  /** Default: a connection for each request. */
  readonly agent?: Agent
  readonly host?: string
  readonly localAddress?: string
  /** Limit for the whole response; default: 30 s. */
  readonly timeoutMs?: number
  /** Called once the whole request was handed to the system. */
  readonly onSent?: () => void
}

/** The whole response. */
export interface Said {
  readonly status: number
  /** Undefined for a success. */
  readonly code: string | undefined
  readonly ticket: string | undefined
  readonly retryAfter: string | undefined
  readonly data: { readonly [name: string]: unknown }
  readonly error: { readonly [name: string]: unknown }
  readonly text: string
}

interface LooseEnvelope {
  readonly data?: Said['data']
  readonly error?: Said['error']
}

function parseEnvelope(text: string): LooseEnvelope {
  return text.startsWith('{') ? (JSON.parse(text) as LooseEnvelope) : {}
}

/** Sends a request once; rejects without a complete response. */
export function say(port: number, sent: Sent): Promise<Said> {
  const { method = 'GET', target, headers = {}, body, agent, onSent } = sent
  const { host = '127.0.0.1', localAddress = '127.0.0.1', timeoutMs = 600_000 } = sent
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host, port, method, path: target, headers, agent: agent ?? false, localAddress, signal },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('close', () => {
          if (!incoming.complete) reject(new Error('The response broke off'))
        })
        incoming.on('end', () => {
          if (!incoming.complete) return
          const text = Buffer.concat(chunks).toString('utf8')
          const { data = {}, error = {} } = parseEnvelope(text)
          const { code } = error
          const { ticket } = data
          resolve({
            status: incoming.statusCode ?? 0,
            code: typeof code === 'string' ? code : undefined,
            ticket: typeof ticket === 'string' ? ticket : undefined,
            retryAfter: incoming.headers['retry-after'],
            data,
            error,
            text,
          })
        })
      },
    )
    outgoing.on('error', reject)
    if (onSent !== undefined) outgoing.on('finish', onSent)
    outgoing.end(body)
  })
}

/** Optional members of a registration. */
export interface RegistrationSaid {
  readonly email: string
  readonly [field: string]: unknown
}

/** A registration, by default from its own address. */
export function sayRegistration(
  port: number,
  body: RegistrationSaid,
  { address = nextAddress(), headers, ...rest }: Partial<Sent> & { readonly address?: string } = {},
): Promise<Said> {
  return say(port, {
    method: 'POST',
    target: REGISTER,
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address, ...headers },
    body: JSON.stringify({ ...GOOD_BODY, ...body }),
    ...rest,
  })
}

/** The real program with an open waitlist. */
export interface RegisteringService extends Deployment {
  readonly service: ServiceProcess
  readonly port: number
  readonly databaseFile: string
  register(
    body: RegistrationSaid,
    options?: Partial<Sent> & { readonly address?: string },
  ): Promise<Said>
  read(target: string): Promise<Said>
}

/** Every request comes through a proxy on loopback, and `test-pass` is a solution, unless `env` changes that. */
export const REGISTERING_ENV = { SVC_CHALLENGE: 'test', SVC_TRUSTED_PROXIES: '127.0.0.1' } as const

/** Path of the embedded database. */
export function databaseFileOf({ dataDir }: Deployment): string {
  return path.join(dataDir, 'service.sqlite')
}

/** Starts the program, by default on its own deployment, and waits until it serves. */
export async function startRegistering(
  t: TestScope,
  env: { readonly [name: string]: string } = {},
  { deployment = makeDeployment(t), program }: StartOptions = {},
): Promise<RegisteringService> {
  const service = startService(t, deployment.folder, { ...REGISTERING_ENV, ...env }, program)
  const { port } = await service.serving()
  return {
    ...deployment,
    service,
    port,
    databaseFile: databaseFileOf(deployment),
    register: (body, options) => sayRegistration(port, body, options),
    read: (target) => say(port, { target }),
  }
}

/** Options of a start. */
export interface StartOptions {
  readonly deployment?: Deployment
  readonly program?: readonly string[]
}

/** A token for one registration, solved as the widget would. */
export async function solvedToken(port: number): Promise<string> {
  const { status, text } = await say(port, { target: '/challenge' })
  assert.equal(status, 200, text)
  return (await solveAltcha(text, 600_000)).token
}

/** A row of the list with its decrypted content. */
export interface KeptRegistration {
  readonly row: StoredRegistration
  readonly entry: WaitlistEntry
}

/** All rows of a list, in their order. Nothing in the file is changed, and the service may be running. */
export async function readRows(file: string): Promise<readonly StoredRegistration[]> {
  const storage = await openSqlite('read-only', { file })
  try {
    return await storage.waitlist.readAfter(0, 1_000_000)
  } finally {
    await storage.close()
  }
}

/** Opens rows with the deployment's own identity. Asserts that each seal belongs to its row. */
export async function openRows(
  { secretsDir }: Deployment,
  rows: readonly StoredRegistration[],
): Promise<readonly KeptRegistration[]> {
  const identity = readFileSync(path.join(secretsDir, 'waitlist-identity.txt'), 'utf8')
  const decryptor = await createDecryptor(parseIdentities(identity))
  return Promise.all(
    rows.map(async (row) => {
      const entry = parseWaitlistEntry(await decryptor.decrypt(row.sealed))
      assert.equal(entry.ticket, row.ticket)
      assert.equal(Date.parse(entry.registeredAt), row.registeredAtMs)
      return { row, entry }
    }),
  )
}

/** The decrypted list of a deployment. */
export async function readKept(deployment: Deployment): Promise<readonly KeptRegistration[]> {
  return openRows(deployment, await readRows(databaseFileOf(deployment)))
}

/**
 * A copy of a closed database, log included, as a crash left it: opening it recovers the copy, and the
 * original stays for the service to recover.
 */
export function copyAfterCrash(t: TestContext, file: string): string {
  const copy = path.join(temporaryFolder(t), path.basename(file))
  for (const suffix of ['', '-wal']) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
  }
  return copy
}

/** Asserts that SQLite finds nothing wrong in a database, and that no address is on the list twice. */
export function assertSound(file: string): void {
  using database = new DatabaseSync(file)
  assert.deepEqual(
    database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => ({ ...row })),
    [{ integrity_check: 'ok' }],
  )
  assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), [])
  // Counted past the unique index, which is one of the things that could be broken.
  const twice = database.prepare(
    'SELECT count(*) AS twice FROM (SELECT +address_hash FROM registrations NOT INDEXED GROUP BY +address_hash HAVING count(*) > 1)',
  )
  assert.equal(twice.get()?.['twice'], 0, 'an address is on the list twice')
}
