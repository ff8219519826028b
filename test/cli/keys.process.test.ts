import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { hashSecretIdOf } from '../../src/service/api-keys/api-keys.ts'
import { assertHelps, assertMisuses, type TestedActions } from '../support/actions-checks.ts'
import { failedWith } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  FAR_AHEAD_MS,
  KEY_HASH_SECRET,
  keys,
  LONG_AGO_MS,
  makeKeysDeployment,
  ONE_OF_EACH,
  readKeys,
  storedKey,
} from './keys/keys-fixture.ts'

const ACTIONS = ['list', 'revoke', 'purge-expired']
const WHOLE_KEY = `svk_0123456789abcdef_${'S'.repeat(42)}_`

const TESTED: TestedActions = { command: 'api-keys', actions: ACTIONS }

test('prints the help of the command and of each action on standard output', () =>
  assertHelps(TESTED))

test('wrong usage: exit code 2 and one line with the expectation', async (t) => {
  await assertMisuses(TESTED, [
    [[], /expected an action: list, revoke, purge-expired\./],
    [['lst'], /unknown command 'lst'; did you mean list\?/],
    [['toString'], /unknown command 'toString'\. Run /],
    [['list', '--jsn'], /unknown option '--jsn'; did you mean --json\?/],
    [['list', 'more'], /expected options only, found an argument/],
    [
      ['list', '--status', 'actve'],
      /--status expects active, expired or revoked; did you mean active\?/,
    ],
    [['list', '--status', 'gone'], /--status expects active, expired or revoked\. Run /],
    [['revoke', '0123456789abcde'], /expected a key ID: 16 hexadecimal digits/],
    [['revoke', '0123456789abcdef', 'fedcba9876543210'], /expected one key ID/],
    [['purge-expired', 'all'], /expected options only, found an argument/],
    [['purge-expired', '--older-than', '1.5'], /--older-than expects whole days from 0 to 3650/],
    [['purge-expired', '--older-than', '3651'], /--older-than expects whole days/],
    [['purge-expired', '--older-than=-1'], /--older-than expects whole days/],
    [['issue'], /unknown command 'issue'/],
  ])
  // Without an argument the id is read from standard input.
  const error = failedWith(2, await keys(temporaryFolder(t), ['revoke']))
  assert.match(error, /expected a key ID: 16 hexadecimal digits/)
})

test('refuses a whole key in any argument without repeating it', async (t) => {
  const folder = temporaryFolder(t)
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['revoke', WHOLE_KEY], ''],
    [['revoke'], `${WHOLE_KEY}\n`],
    [['revoke', '-'], ` ${WHOLE_KEY.toUpperCase()}`],
    [['revoke', `X-SVC-Key: ${WHOLE_KEY}`], ''],
    [['revoke', WHOLE_KEY.slice(0, -20)], ''],
    [['revoke', '--json', WHOLE_KEY], ''],
    [['list', WHOLE_KEY], ''],
    [['purge-expired', `--older-than=${WHOLE_KEY}`], ''],
    [[WHOLE_KEY], ''],
  ]
  for (const [args, input] of cases) {
    const { status, out, error } = await keys(folder, args, { input })
    assert.equal(status, 2, error)
    assert.equal(out, '')
    assert.match(error, /found a whole key with its secret; expected only its ID/)
    assert.equal(error.trimEnd().split('\n').length, 1, error)
    assert.ok(!/SSSS|0123456789abcdef/i.test(error), error)
  }
  // Its secret alone, which looks like nothing in particular.
  for (const args of [['revoke', WHOLE_KEY.slice(21)], [WHOLE_KEY.slice(21)]]) {
    const error = failedWith(2, await keys(folder, args))
    assert.ok(!error.includes('SSSS'), error)
  }
})

test('reports a missing or foreign database in one line and exits with 1', async (t) => {
  const folder = temporaryFolder(t)
  for (const args of [['list'], ['revoke', '0123456789abcdef'], ['purge-expired']]) {
    const { status, out, error } = await keys(folder, args)
    assert.equal(status, 1)
    assert.equal(out, '')
    assert.match(error, /^error: .*service\.sqlite: the database does not exist\n$/)
  }
  const result = await keys(folder, ['purge-expired', '--json'])
  assert.equal(result.status, 1)
  assert.match(result.out, /^\{"ok":false,"code":"MISSING","message":".*"\}\n$/)
  // Standard output has keys and nothing else.
  assert.equal((await keys(folder, ['list', '--json'])).out, '')
  const env = { SVC_DATABASE_URL: 'postgres://u:password@127.0.0.1:1/db' }
  const elsewhere = failedWith(1, await keys(folder, ['list'], { env }))
  assert.match(
    elsewhere,
    /^error: postgres:\/\/127\.0\.0\.1:1\/db: the database server could not be reached \(ECONNREFUSED\)\n/,
  )
  assert.ok(!elsewhere.includes('password'))
})

test('list: one line per key, the summary on standard error, no hash', async (t) => {
  const { folder, database } = await makeKeysDeployment(t, ONE_OF_EACH)
  const { status, out, error } = await keys(folder, ['list'])
  assert.equal(status, 0)
  assert.equal(error, `3 keys in ${database}: 1 active, 1 expired, 1 revoked.\n`)
  assert.equal(
    out,
    `KEY ID            STATUS   CREATED            EXPIRES            REVOKED            LABEL
0000000000000001  active   2019-11-30T08:01Z  2199-01-31T12:30Z  -                  key 1
0000000000000002  expired  2019-11-30T08:01Z  2020-01-31T12:30Z  -
0000000000000003  revoked  2019-11-30T08:01Z  2199-01-31T12:30Z  2020-01-31T12:30Z  key 3
`,
  )
})

test('list --json: JSON lines with exact times and without keys or hashes', async (t) => {
  const { folder, database } = await makeKeysDeployment(t, ONE_OF_EACH)
  const { status, out, error } = await keys(folder, ['list', '--json'])
  assert.equal(status, 0)
  assert.equal(error, `3 keys in ${database}: 1 active, 1 expired, 1 revoked.\n`)
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  const createdAt = '2019-11-30T08:01:02.003Z'
  const [ahead, ago] = [FAR_AHEAD_MS, LONG_AGO_MS].map((ms) => new Date(ms).toISOString())
  assert.deepEqual(lines, [
    {
      keyId: '0000000000000001',
      label: 'key 1',
      status: 'active',
      createdAt,
      expiresAt: ahead,
      revokedAt: null,
    },
    {
      keyId: '0000000000000002',
      label: null,
      status: 'expired',
      createdAt,
      expiresAt: ago,
      revokedAt: null,
    },
    {
      keyId: '0000000000000003',
      label: 'key 3',
      status: 'revoked',
      createdAt,
      expiresAt: ahead,
      revokedAt: ago,
    },
  ])
})

test('list --status: prints the selected keys and their share', async (t) => {
  const { folder, database } = await makeKeysDeployment(t, [...ONE_OF_EACH, storedKey(4)])
  for (const [status, ids] of [
    ['active', ['0000000000000001', '0000000000000004']],
    ['expired', ['0000000000000002']],
    ['revoked', ['0000000000000003']],
  ] as const) {
    const { out, error } = await keys(folder, ['list', '--status', status])
    const [header, ...rows] = out.trimEnd().split('\n')
    assert.match(header ?? '', /^KEY ID/)
    assert.deepEqual(
      rows.map((row) => row.slice(0, 16)),
      ids,
    )
    const listed = ids.length === 1 ? '1 key' : '2 keys'
    assert.equal(
      error,
      `${listed} listed, of 4 keys in ${database}: 2 active, 1 expired, 1 revoked.\n`,
    )
  }
})

test('list --json: escapes what a terminal obeys in the label of a manipulated database', async (t) => {
  const label = 'a\u009B31m\u202E'
  const { folder } = await makeKeysDeployment(t, [storedKey(1, { label })])
  const { out } = await keys(folder, ['list', '--json'])
  assert.ok(out.includes(String.raw`"label":"a\u009b31m\u202e"`), out)
  assert.equal((JSON.parse(out) as { readonly label: string }).label, label)
})

test('list: no keys', async (t) => {
  const { folder, database } = await makeKeysDeployment(t)
  assert.deepEqual(await keys(folder, ['list']), {
    status: 0,
    out: '',
    error: `0 keys in ${database}: 0 active, 0 expired, 0 revoked.\n`,
  })
})

test('list: reads a copy on read-only media without configuration or secrets', async (t) => {
  const { database } = await makeKeysDeployment(t, ONE_OF_EACH)
  const machine = temporaryFolder(t)
  const medium = path.join(machine, 'medium')
  mkdirSync(medium)
  const copy = path.join(medium, 'keys.sqlite')
  copyFileSync(database, copy)
  chmodSync(copy, 0o400)
  chmodSync(medium, 0o500)
  const { status, out, error } = await keys(machine, ['list', '--json', '--database', copy])
  // So that users other than root can remove the folder.
  chmodSync(medium, 0o700)
  assert.equal(status, 0, error)
  assert.equal(out.trimEnd().split('\n').length, 3)
  assert.deepEqual(readFileSync(copy), readFileSync(database))
})

test('list --old-hash-secret: keys that are not rehashed yet', async (t) => {
  const secretId = hashSecretIdOf(KEY_HASH_SECRET)
  const { folder, database } = await makeKeysDeployment(t, [
    storedKey(1, { secretId }),
    storedKey(2),
  ])
  const { status, out, error } = await keys(folder, ['list', '--old-hash-secret', '--json'])
  assert.equal(status, 0, error)
  assert.match(out, /^\{"keyId":"0000000000000002",.*\}\n$/)
  assert.equal(error, `1 key listed, of 2 keys in ${database}: 2 active, 0 expired, 0 revoked.\n`)
  assert.ok(!`${out}${error}`.includes(secretId))

  const env = { SVC_API_KEY_HASH_SECRET: 'another-secret-that-the-keys-are-hashed-with' }
  assert.equal(
    (await keys(folder, ['list', '--old-hash-secret', '--json'], { env })).out.split('\n').length,
    3,
  )
  const without = failedWith(1, await keys(temporaryFolder(t), ['list', '--old-hash-secret']))
  assert.match(
    without,
    /^error: expected the key-hash secret in SVC_API_KEY_HASH_SECRET or .*key-hash-secret\.txt, found neither\n$/,
  )
})

test('purge-expired: deletes keys that ended long ago and no active ones', async (t) => {
  const { folder, database } = await makeKeysDeployment(t, [...ONE_OF_EACH, storedKey(4)])
  const dry = await keys(folder, ['purge-expired', '--dry-run'])
  assert.deepEqual([dry.status, dry.error], [0, ''])
  assert.match(
    dry.out,
    /^Would delete 2 keys that expired or were revoked before 2\S+Z in \S+service\.sqlite\.\n$/,
  )
  assert.equal((await readKeys(database)).length, 4)

  // Revoked a moment ago: it can be looked at for thirty days.
  assert.equal((await keys(folder, ['revoke', '0000000000000004'])).status, 0)
  const { status, out, error } = await keys(folder, ['purge-expired'])
  assert.deepEqual([status, error], [0, ''])
  assert.match(
    out,
    /^Deleted 2 keys that expired or were revoked before 2\S+Z in \S+service\.sqlite\.\n$/,
  )
  const idsLeft = async () => (await readKeys(database)).map(({ keyId }) => keyId)
  assert.deepEqual(await idsLeft(), ['0000000000000001', '0000000000000004'])

  const all = await keys(folder, ['purge-expired', '--older-than', '0', '--json'])
  const result: unknown = JSON.parse(all.out)
  assert.ok(typeof result === 'object' && result !== null && 'before' in result)
  assert.deepEqual(result, { ok: true, dryRun: false, keys: 1, before: result.before })
  assert.deepEqual(await idsLeft(), ['0000000000000001'])
  assert.match((await keys(folder, ['purge-expired'])).out, /^Deleted 0 keys /)
})
