import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { ISSUANCE } from '@public-api/contract/keys/issuance'
import { LIMITS } from '@public-api/contract/terms/limits'
import { withDatabase } from '../../src/cli/database.ts'
import { keysOver } from '../support/stored-keys.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { textsBelow } from '../support/texts-below.ts'
import {
  FAR_AHEAD_MS,
  issueOpenly,
  KEY_HASH_SECRET,
  keys,
  makeKeysDeployment,
  readKeys,
  startIssuing,
  storedKey,
} from './keys/keys-fixture.ts'

const REFUSAL =
  /^error: issuing keys is paused in the registry \(PRODUCT_NOT_READY\); only a reviewed change to the registry resumes it \(packages\/contract\/keys\/issuance\.ts\); no option, variable or file can\n$/

test('while issuance is paused it refuses with the reason and creates nothing', async (t) => {
  assert.ok(!ISSUANCE.enabled)
  const empty = temporaryFolder(t)
  const { status, out, error } = await keys(empty, ['issue'])
  assert.equal(status, 1)
  assert.equal(out, '')
  assert.match(error, REFUSAL)
  assert.deepEqual(readdirSync(empty), [])

  const { folder, database } = await makeKeysDeployment(t)
  const before = textsBelow(folder)
  const result = await keys(folder, ['issue', '--label', 'ci', '--ttl-days', '7', '--json'])
  assert.equal(result.status, 1)
  assert.match(result.error, REFUSAL)
  const failure: unknown = JSON.parse(result.out)
  assert.ok(typeof failure === 'object' && failure !== null && 'code' in failure)
  assert.equal(failure.code, 'ISSUANCE_PAUSED')
  assert.deepEqual(textsBelow(folder), before)
  assert.deepEqual(await readKeys(database), [])
})

test('no option, variable or file lifts the pause', async (t) => {
  const { folder, database } = await makeKeysDeployment(t)
  const open = '{"enabled":true,"approvedBy":"x","approvedAt":"2026-11-21","reference":"x"}'
  for (const place of ['.', 'data', 'secrets']) {
    for (const name of ['issuance.json', 'issuance.txt', 'registry.json']) {
      writeFileSync(path.join(folder, place, name), open)
    }
  }
  writeFileSync(path.join(folder, '.env'), 'SVC_ISSUANCE=enabled\nISSUANCE=true\n')
  const before = textsBelow(folder)
  const names = ['SVC_ISSUANCE', 'SVC_KEY_ISSUANCE', 'SVC_ISSUANCE_ENABLED', 'ISSUANCE']
  const env = {
    ...Object.fromEntries(names.map((name) => [name, open])),
    SVC_CHALLENGE: 'test',
    SVC_RUNTIME: 'local',
    SVC_DEPLOYMENT: 'preview',
    NODE_ENV: 'test',
  }
  // An error that would be reported if issuance were open changes nothing either.
  const mistakes = [
    ['--label', ''],
    ['--ttl-days', '9999'],
    ['--database', 'none'],
  ]
  for (const args of [[], ['--database', database], ...mistakes]) {
    const { status, out, error } = await keys(folder, ['issue', ...args], { env })
    assert.deepEqual([status, out], [1, ''], args.join(' '))
    assert.match(error, REFUSAL)
  }
  const unknown = ['--force', '--yes', '--enabled', '--issuance=enabled', '--no-pause']
  for (const word of [...unknown, 'argument']) {
    const { status, out, error } = await keys(folder, ['issue', word], { env })
    assert.deepEqual([status, out], [2, ''], word)
    assert.match(error, /: (unknown option|expected options only)/)
  }
  assert.deepEqual(textsBelow(folder), before)
  assert.deepEqual(await readKeys(database), [])
})

test('with issuance open: prints only the key on standard output, and the key is valid', async (t) => {
  const { folder, database } = await makeKeysDeployment(t)
  const { status, out, error } = await issueOpenly(folder, [
    '--label',
    'ci mirror',
    '--ttl-days',
    '7',
  ])
  assert.equal(status, 0, error)
  assert.match(out, /^svk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}\n$/)
  const key = out.trimEnd()
  const keyId = sliceKeyId(key)
  assert.match(
    error,
    new RegExp(
      `^Issued the key ${keyId} \\(ci mirror\\) in ${database}, valid until 2\\S+Z, under decision 7\\. It is shown only once\\.\n$`,
    ),
  )
  assert.ok(!error.includes(key.slice(21)))

  const [stored, ...others] = await readKeys(database)
  assert.ok(stored !== undefined && others.length === 0)
  assert.equal(stored.expiresAtMs - stored.createdAtMs, 7 * 86_400_000)
  const metadata = await withDatabase(
    { kind: 'sqlite', file: database },
    'read-write',
    async ({ apiKeys }) =>
      (await keysOver(apiKeys, { hashSecret: KEY_HASH_SECRET }).check(key)).metadata(),
  )
  assert.deepEqual([metadata.keyId, metadata.label], [keyId, 'ci mirror'])
  const secret = Buffer.from(key.slice(21))
  for (const [file, content] of textsBelow(folder)) {
    assert.ok(!Buffer.from(content, 'base64').includes(secret), file)
  }
})

test('with issuance open: --json, the defaults, and two different keys', async (t) => {
  const { folder, database } = await makeKeysDeployment(t)
  const { status, out, error } = await issueOpenly(folder, ['--json'])
  assert.deepEqual([status, error], [0, ''])
  const result = JSON.parse(out) as { readonly [name: string]: unknown }
  assert.deepEqual(Object.keys(result), [
    'ok',
    'key',
    'keyId',
    'scope',
    'label',
    'status',
    'createdAt',
    'expiresAt',
  ])
  assert.equal(result['label'], null)
  const ttlMs = Date.parse(String(result['expiresAt'])) - Date.parse(String(result['createdAt']))
  assert.equal(ttlMs, LIMITS.defaultTtlDays * 86_400_000)
  assert.notEqual((await issueOpenly(folder, [])).out.trimEnd(), result['key'])
  assert.equal((await readKeys(database)).length, 2)
})

test('with issuance open: refused arguments create no key', async (t) => {
  const { folder, database, secretsDir } = await makeKeysDeployment(t)
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--label', ''], /--label expects 1 to 40 letters/],
    [['--label', 'x'.repeat(41)], /--label expects 1 to 40 letters/],
    [['--label', 'ünder'], /--label expects 1 to 40 letters/],
    [['--ttl-days', '0'], /--ttl-days expects whole days from 1 to 365/],
    [['--ttl-days', '366'], /--ttl-days expects whole days from 1 to 365/],
    [['--ttl-days', '1e2'], /--ttl-days expects whole days from 1 to 365/],
    [['argument'], /expected options only/],
  ]
  for (const [args, message] of cases) {
    const { status, out, error } = await issueOpenly(folder, args)
    assert.deepEqual([status, out], [2, ''], args.join(' '))
    assert.match(error, message)
  }
  const missing = await issueOpenly(folder, ['--database', path.join(folder, 'other.sqlite')])
  assert.equal(missing.status, 1)
  assert.match(missing.error, /^error: .*other\.sqlite: the database does not exist\n$/)
  writeFileSync(path.join(secretsDir, 'key-hash-secret.txt'), 'short')
  const weak = await issueOpenly(folder, [])
  assert.equal(weak.status, 1)
  assert.match(weak.error, /^error: .*key-hash-secret\.txt: expected at least 32 char/)
  assert.deepEqual(await readKeys(database), [])
})

test('with issuance open: no more active keys than the contract allows', async (t) => {
  // Made at the moment when the others expire: then adding one does not count all existing ones.
  const active = Array.from({ length: LIMITS.maxActiveKeys - 1 }, (_, index) =>
    storedKey(index, { createdAtMs: FAR_AHEAD_MS }),
  )
  const { folder } = await makeKeysDeployment(t, active)
  assert.equal((await issueOpenly(folder, [])).status, 0)
  const { status, out, error } = await issueOpenly(folder, ['--json'])
  assert.equal(status, 1)
  assert.match(error, /^error: the maximum of 10000 keys is active; revoke one/)
  assert.match(out, /^\{"ok":false,"code":"FULL",/)
  assert.equal((await keys(folder, ['revoke', storedKey(1).keyId])).status, 0)
  assert.equal((await issueOpenly(folder, [])).status, 0)
})

test('with issuance open: names a key that could not be printed, so that it can be revoked', async (t) => {
  const { folder, database } = await makeKeysDeployment(t)
  const child = startIssuing(folder)
  child.stdout.destroy()
  const closed = once(child, 'close')
  const error = await text(child.stderr)
  const [code] = (await closed) as readonly unknown[]
  assert.equal(code, 1)
  const [key] = await readKeys(database)
  assert.equal(
    error,
    `error: the key ${key?.keyId} was created but could not be printed, and it cannot be shown again; revoke it\n`,
  )
})
