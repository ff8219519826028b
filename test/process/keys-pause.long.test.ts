import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CHALLENGE_PROVIDERS } from '@public-api/contract/waitlist/registration-schema'
import { LOG_LEVELS } from '../../src/config.ts'
import { solveAltcha } from '../../src/service/challenge/altcha-challenge-solver.ts'
import { freePort } from '../caches/cache-process.ts'
import { makeDeployment, type Deployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { KEYS } from '../support/keyed-app.ts'
import {
  putKey,
  rowsIn,
  startKeyed,
  stopKeyed,
  writeHashSecrets,
} from '../support/keyed-service.ts'
import { assertPausedResponse, PAUSE_ATTEMPTS } from '../support/pause-attempts.ts'
import { sendRequest } from '../support/raw-http.ts'
import { databaseFileOf, say } from '../support/registering-service.ts'
import { failedStart, startService } from '../support/service-process.ts'
import { TEST_HASH_SECRET } from '../support/stored-keys.ts'

// Issuance is paused by a literal in the registry. Here the real program is given everything else there is.

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const CONFIG = fileURLToPath(new URL('../../src/config.ts', import.meta.url))
const JSON_TYPE = 'Content-Type: application/json'

interface Environment {
  readonly [name: string]: string
}

const HOSTED = {
  SVC_CHALLENGE_SITE_KEY: 'site',
  SVC_CHALLENGE_SECRET: 'secret',
  SVC_CHALLENGE_VERIFY_URL: 'http://127.0.0.1:9/siteverify',
}
const PRODUCTION = { SVC_RUNTIME: 'production', SVC_BASE_URL: 'https://api.example.org' }
const SAYINGS = ['true', '1', 'enabled', 'open', 'yes', 'false'] as const

/** Secrets as variables, each of which the program accepts. */
function secretVariables({ secretsDir }: Deployment): Environment {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    SVC_SIGNING_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    SVC_SIGNING_KEYS: '{"keys":[]}',
    SVC_TLOG_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    SVC_API_KEY_HASH_SECRET: 'k'.repeat(64),
    SVC_API_KEY_HASH_SECRET_PREVIOUS: TEST_HASH_SECRET,
    SVC_ADDRESS_HASH_SECRET: 'a'.repeat(64),
    SVC_WAITLIST_RECIPIENT: readFileSync(
      path.join(secretsDir, 'waitlist-recipient.txt'),
      'utf8',
    ).trim(),
  }
}

/** What a program may be started with, so that every variable it knows has every kind of value. */
function environments(deployment: Deployment): readonly Environment[] {
  const { dataDir, secretsDir, releasesDir } = deployment
  return [
    {},
    {
      SVC_CHALLENGE: 'test',
      SVC_RUNTIME: 'local',
      SVC_DEPLOYMENT: 'primary',
      SVC_LOG_LEVEL: 'trace',
      SVC_WORKERS: '1',
      SVC_ADMIN_PORT: '0',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
    },
    {
      SVC_CHALLENGE: 'test',
      SVC_DEPLOYMENT: 'preview',
      SVC_SECURITY_CONTACT: 'mailto:keys@example.org',
      SVC_LOG_LEVEL: 'debug',
      SVC_LOG_FORMAT: 'text',
      SVC_WORKERS: '2',
      SVC_TRUSTED_PROXIES: '0.0.0.0/0, ::/0',
      SVC_BASE_URL: 'http://localhost',
      HOST: '127.0.0.1',
    },
    { ...PRODUCTION, SVC_CHALLENGE: 'altcha', SVC_LOG_LEVEL: 'info' },
    {
      ...PRODUCTION,
      ...HOSTED,
      SVC_CHALLENGE: 'turnstile',
      SVC_DEPLOYMENT: 'preview',
      SVC_LOG_LEVEL: 'warn',
    },
    {
      ...HOSTED,
      SVC_CHALLENGE: 'hcaptcha',
      SVC_NTP_SERVER: '127.0.0.1:9',
      SVC_LOG_LEVEL: 'error',
    },
    {
      SVC_CHALLENGE: 'test',
      SVC_LOG_LEVEL: 'silent',
      SVC_DATA_DIR: dataDir,
      SVC_SECRETS_DIR: secretsDir,
      SVC_TLOG_KEY_FILE: path.join(secretsDir, 'log-key.pem'),
      SVC_RELEASES_DIR: releasesDir,
      SVC_CONTENT_DIR: releasesDir,
      SVC_ENVIRONMENT_FILE: databaseFileOf(deployment),
      SVC_DATABASE_URL: `sqlite:${databaseFileOf(deployment)}`,
    },
    { SVC_CHALLENGE: 'test', SVC_LOG_LEVEL: 'fatal', ...secretVariables(deployment) },
    {
      SVC_CHALLENGE: 'test',
      SVC_MAX_CONNECTIONS: '1000',
      SVC_REUSE_SECONDS: '60',
      SVC_RELEASE_POLL_SECONDS: '1',
    },
    // Variables that might be expected to reopen issuance. The program reports that the first have no effect.
    {
      SVC_CHALLENGE: 'test',
      ...Object.fromEntries(
        [
          'SVC_ISSUANCE',
          'SVC_ISSUANCE_ENABLED',
          'SVC_ENABLE_ISSUANCE',
          'SVC_KEY_ISSUANCE',
          'SVC_KEYS',
          'SVC_KEYS_ENABLED',
          'SVC_API_KEYS',
          'SVC_UNPAUSE',
          'SVC_TEST',
          'SVC_DEBUG',
          'ISSUANCE',
          'ISSUANCE_ENABLED',
          'KEYS_ENABLED',
          'TEST',
          'DEBUG',
          'CI',
        ].map((name, at) => [name, SAYINGS[at % SAYINGS.length] ?? 'true']),
      ),
      SVC_ISSUANCE_APPROVED_BY: 'the owner',
      SVC_ISSUANCE_APPROVED_AT: '2027-01-31',
      SVC_ISSUANCE_REFERENCE: 'decision 12',
      NODE_ENV: 'test',
    },
    { SVC_CHALLENGE: 'test', NODE_ENV: 'development', SVC_ISSUANCE: '{"enabled":true}' },
  ]
}

/** What this version refuses to start with: no way to a key either. */
const REFUSED: readonly Environment[] = [
  { SVC_DATABASE_URL: 'postgres://' },
  { SVC_VALKEY_URL: 'redis://127.0.0.1' },
  { ...PRODUCTION, SVC_CHALLENGE: 'test' },
]

/** A deployment whose secrets are made, with one key, so that a count of none would not be taken for success. */
async function usedDeployment(t: TestContext): Promise<{ deployment: Deployment; key: string }> {
  const deployment = makeDeployment(t)
  writeHashSecrets(deployment, TEST_HASH_SECRET)
  const running = await startKeyed(t, { deployment })
  const key = await putKey(running.file, { label: 'there before' })
  await stopKeyed(running)
  return { deployment, key }
}

/** Sends every attempt, or only the plain ones, and asserts that none gets a key. */
async function assertPaused(port: number, key: string, isWhole: boolean): Promise<void> {
  for (const { name, requests } of PAUSE_ATTEMPTS) {
    if (!isWhole && !/key|bodies/.test(name)) continue
    for (const { method, target, lines, body } of requests(key)) {
      const raw = await sendRequest(port, method, target, lines, body)
      assertPausedResponse(raw, { method, target })
    }
  }
  // A solved challenge, where the program hands them out.
  const challenge = await say(port, { target: '/challenge?for=issue-key' })
  if (challenge.status !== 200) return
  const { token } = await solveAltcha(challenge.text, 600_000)
  const text = JSON.stringify({ challengeToken: token })
  const lines = [JSON_TYPE, `Content-Length: ${text.length}`]
  const raw = await sendRequest(port, 'POST', KEYS, lines, text)
  assertPausedResponse(raw, { method: 'POST', target: KEYS })
}

/** Starts the program, asks it for keys and stops it. The port is given, because not every log level includes it. */
async function assertPausedProgram(
  t: TestContext,
  { deployment, key }: { readonly deployment: Deployment; readonly key: string },
  env: Environment,
  { program = [MAIN], isWhole = false }: { program?: readonly string[]; isWhole?: boolean } = {},
): Promise<void> {
  const before = await rowsIn(databaseFileOf(deployment))
  assert.equal(before.length, 1)
  const port = await freePort()
  const service = startService(t, deployment.folder, { PORT: String(port), ...env }, program)
  let hasEnded = false
  void service.ended.then(() => {
    hasEnded = true
  })
  await eventually('it answers', async () => {
    assert.ok(!hasEnded, service.stdout() + service.stderr())
    const response = await say(port, { target: '/api/v1/time' }).catch(() => undefined)
    return response?.status === 200 ? true : undefined
  })
  await assertPaused(port, key, isWhole)
  const policy = await say(port, { target: '/api/v1/policy' })
  assert.match(policy.text, /PRODUCT_NOT_READY/)
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
  assert.deepEqual(await rowsIn(databaseFileOf(deployment)), before)
}

test('the tests below cover every variable and every enumerated value', async (t) => {
  const { deployment } = await usedDeployment(t)
  const all = [...environments(deployment), ...REFUSED]
  const tried = new Set(all.flatMap((env) => Object.keys(env)))
  const known = readFileSync(CONFIG, 'utf8').match(/'(?:SVC_[A-Z_]*[A-Z]|HOST)'/g) ?? []
  assert.ok(known.length > 20)
  for (const quoted of known) {
    assert.ok(tried.has(quoted.slice(1, -1)), `${quoted} is read and not tried`)
  }
  for (const [name, values] of [
    ['SVC_LOG_LEVEL', LOG_LEVELS],
    ['SVC_CHALLENGE', CHALLENGE_PROVIDERS],
    ['SVC_RUNTIME', ['local', 'production']],
    ['SVC_DEPLOYMENT', ['primary', 'preview']],
  ] as const) {
    for (const value of values) {
      assert.ok(
        environments(deployment).some((env) => env[name] === value),
        `${name}=${value}`,
      )
    }
  }
})

test('no variable opens issuance', { timeout: 120_000 }, async (t) => {
  const used = await usedDeployment(t)
  for (const [at, env] of environments(used.deployment).entries()) {
    await assertPausedProgram(t, used, env, { isWhole: at <= 1 })
  }
})

test('a start that fails on configuration creates no key', async (t) => {
  const { deployment } = await usedDeployment(t)
  const before = await rowsIn(databaseFileOf(deployment))
  for (const env of REFUSED) {
    const { ending } = await failedStart(t, deployment.folder, env)
    assert.deepEqual(ending, { code: 1, signal: null }, JSON.stringify(env))
  }
  assert.deepEqual(await rowsIn(databaseFileOf(deployment)), before)
})

test('no argument of the command line opens issuance', async (t) => {
  const used = await usedDeployment(t)
  const flags = [
    '--issuance',
    '--issuance=enabled',
    '--enable-issuance',
    '--open',
    '--test',
    '--force',
    '--challenge=test',
    '--approved-by',
    'the owner',
    'issue',
  ]
  await assertPausedProgram(t, used, { SVC_CHALLENGE: 'test' }, { program: [MAIN, ...flags] })
})

test('no file that the program reads opens issuance', async (t) => {
  const used = await usedDeployment(t)
  const { folder, dataDir, secretsDir, releasesDir } = used.deployment
  const record = {
    enabled: true,
    approvedBy: 'the owner',
    approvedAt: '2027-01-31',
    reference: 'decision 12',
  }
  const json = JSON.stringify({ ...record, issuance: record, registry: { issuance: record } })
  const yaml = Object.entries(record).map(([name, value]) => `${name}: ${value}\n`)
  const module = `export const ISSUANCE = ${JSON.stringify(record)}\n`
  const texts: { readonly [name: string]: string } = {
    'issuance.json': json,
    'issuance.yaml': yaml.join(''),
    'issuance.ts': module,
    'issuance.js': module,
    'issuance.txt': 'enabled\n',
    issuance: 'enabled\n',
    'registry.json': json,
    'config.json': json,
    'svc.config.json': json,
    'svc.json': json,
    '.env': 'SVC_ISSUANCE=enabled\nSVC_CHALLENGE=test\nISSUANCE=true\n',
    '.env.local': 'SVC_ISSUANCE=enabled\n',
  }
  const folders = [
    folder,
    dataDir,
    secretsDir,
    releasesDir,
    path.join(folder, 'content'),
    path.join(folder, 'config'),
    path.join(folder, 'src', 'contract'),
  ]
  for (const each of folders) {
    mkdirSync(each, { recursive: true })
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(path.join(each, name), text, { mode: 0o600 })
    }
  }
  await assertPausedProgram(t, used, { SVC_CHALLENGE: 'test' }, { isWhole: true })
  await assertPausedProgram(t, used, {})
})
