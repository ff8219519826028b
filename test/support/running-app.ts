import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto'
import type { AppDependencies, Signing } from '../../src/app.ts'
import { createOpensslSigner } from '../../src/crypto/response-signer.ts'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { createListener, listen, stopListening } from '../../src/http/connection/listener.ts'
import { type PublishedHistory } from '../../src/service/releases/releases.ts'
import { UNVERIFIED_TIME } from '../../src/service/time/time-quality.ts'
import { TEST_SIGNING_KEY } from '../vectors/signing-key.ts'
import { createApp } from './create-app.ts'
import { madeHistory } from './made-releases.ts'
import { untimed } from './test-listener.ts'
import type { TestScope } from './test-scope.ts'
import { createUnavailableApiKeys, createUnavailableWaitlist } from './unavailable-service.ts'
import { UNSOLVABLE_CHALLENGE } from './unsolvable-challenge.ts'

export { TEST_SIGNING_KEY }

/** The configured origin of the app, which signatures by RFC 9421 state. */
export const TEST_BASE_URL = 'http://127.0.0.1:8080'

/** The fixed time of the test clock. */
export const TEST_NOW_MS = Date.UTC(2026, 10, 21, 9, 0, 0, 123)

/** One line of a test's log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: { readonly [name: string]: unknown }
}

/** A running app with adjustable parts. */
export interface RunningApp {
  readonly origin: string
  readonly port: number
  readonly log: readonly LogLine[]
  /** The test's clock; moves only when a test moves it. */
  readonly clock: { ms: number }
  /** Fetches a path without following redirects. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The text at a path. Fails for any status but 200. */
  text(path: string): Promise<string>
}

/** Signing with the test key and OpenSSL. */
export function testSigning(privateKey: KeyObject = TEST_SIGNING_KEY): Signing {
  const key = derivePublicSigningKey(privateKey)
  return {
    signer: createOpensslSigner(privateKey),
    keys: [{ ...key, status: 'current', notBefore: '2026-01-01T00:00:00.000Z', notAfter: null }],
  }
}

/** Another key, for tests that need a wrong one. */
export function otherSigningKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey
}

let twoVersions: PublishedHistory | undefined

/** Starts the app on a free loopback port for one test, with any part exchanged; it is stopped when the test ends. */
export async function runApp(
  t: TestScope,
  parts: Partial<AppDependencies> = {},
): Promise<RunningApp> {
  const log: LogLine[] = []
  const write = (level: LogLine['level']) => (fields: object, message: string) => {
    log.push({ level, message, fields: { ...fields } })
  }
  const logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
  const clock = { ms: TEST_NOW_MS }
  const app = createApp({
    runtime: 'local',
    deployment: 'primary',
    baseUrl: TEST_BASE_URL,
    // Releases never change, so all tests of a process read the same ones.
    releases: (twoVersions ??= madeHistory()),
    signing: testSigning(),
    apiKeys: createUnavailableApiKeys(),
    timeQuality: UNVERIFIED_TIME,
    waitlist: createUnavailableWaitlist(),
    challenge: UNSOLVABLE_CHALLENGE,
    trustedProxies: [],
    clock: { nowMs: () => clock.ms },
    newRequestId: () => randomUUID(),
    log: logger,
    ...parts,
  })
  const server = untimed(
    createListener(app, { noIndex: parts.deployment === 'preview', log: logger }),
  )
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  const origin = `http://127.0.0.1:${port}`
  const fetchPath = (path: string, init?: RequestInit) =>
    fetch(`${origin}${path}`, { redirect: 'manual', ...init })
  return {
    origin,
    port,
    log,
    clock,
    fetch: fetchPath,
    async text(path) {
      const response = await fetchPath(path)
      assert.equal(response.status, 200, path)
      return response.text()
    },
  }
}
