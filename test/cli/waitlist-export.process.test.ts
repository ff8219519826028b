import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parseWaitlistEntry } from '../../src/service/waitlist/waitlist-entry.ts'
import { SVC } from '../support/run-program.ts'
import { cleanEnvironment } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { parseCsv } from './waitlist/csv-reader.ts'
import { makeDeployment, readRows, waitlist } from './waitlist/deployment-fixture.ts'
import {
  entryOf,
  makeKeyPair,
  sealedRegistration,
  sealedRegistrations,
} from './waitlist/waitlist-fixture.ts'

const HEADER = [
  'ticket',
  'registeredAt',
  'email',
  'locale',
  'interests',
  'useCase',
  'consentVersion',
  'consentText',
]

test('CSV on standard output, with the identity of the secrets folder', async (t) => {
  const { folder } = await makeDeployment(t, async (keys) => [
    await sealedRegistration(1, keys, { useCase: '=HYPERLINK("http://x","y")' }),
    await sealedRegistration(2, keys, { interests: ['api', 'research'], locale: 'th' }),
  ])
  const { status, out, error } = await waitlist(folder, ['export'])
  assert.equal(status, 0, error)
  assert.match(
    error,
    /^Exported 2 registrations of \S+service\.sqlite\.\nWarning: 1 row with an apostrophe .* --format jsonl and .*\n$/,
  )
  const [one, two] = [entryOf(1), entryOf(2)]
  const consent = ['0123456789abcdef', 'I agree.']
  assert.deepEqual(parseCsv(out), [
    HEADER,
    [
      one.ticket,
      one.registeredAt,
      one.email,
      'en',
      'api',
      `'=HYPERLINK("http://x","y")`,
      ...consent,
    ],
    [two.ticket, two.registeredAt, two.email, 'th', 'api research', '', ...consent],
  ])
})

test('writes a new file with mode 0600 and exact values, and leaves nothing else', async (t) => {
  const { folder, database, keys } = await makeDeployment(t, (own) => sealedRegistrations(130, own))
  const machine = temporaryFolder(t)
  writeFileSync(path.join(machine, 'key.txt'), `# created: today\n${keys.identity}\n`)
  const options = ['--identity', 'key.txt', '--database', database, '--format', 'jsonl']
  const args = ['export', ...options, '--out', 'list.jsonl']
  const { status, out, error } = await waitlist(machine, args)
  assert.equal(status, 0, error)
  assert.equal(out, '')
  assert.equal(error, `Exported 130 registrations of ${database} to list.jsonl.\n`)
  const file = path.join(machine, 'list.jsonl')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line): unknown => JSON.parse(line)),
    Array.from({ length: 130 }, (_, index) => entryOf(index + 1)),
  )
  assert.deepEqual(readdirSync(machine).toSorted(), ['key.txt', 'list.jsonl'])
  assert.ok(!existsSync(path.join(folder, 'list.jsonl')))

  const again = await waitlist(machine, args)
  assert.equal(again.status, 1)
  assert.match(again.error, /^error: list\.jsonl: the file exists and was left unchanged/)
  assert.equal(again.error.trimEnd().split('\n').length, 1)
  assert.deepEqual(readdirSync(machine).toSorted(), ['key.txt', 'list.jsonl'])

  const result = await waitlist(machine, ['export', ...options, '--out', 'other.jsonl', '--json'])
  assert.deepEqual(JSON.parse(result.out), {
    ok: true,
    exported: 130,
    leftOut: 0,
    guarded: 0,
    file: 'other.jsonl',
  })
  assert.equal(result.error, '')
})

test('reports an unwritable file and leaves nothing behind', async (t) => {
  const { folder } = await makeDeployment(t, (keys) => sealedRegistrations(1, keys))
  const { status, error } = await waitlist(folder, ['export', '--out', 'no/such/folder/list.csv'])
  assert.equal(status, 1)
  assert.match(error, /^error: no\/such\/folder\/list\.csv: could not be written \(ENOENT/)
  assert.equal(error.trimEnd().split('\n').length, 1)
})

test('names rows that cannot be decrypted, exports the rest and exits with 1', async (t) => {
  const other = await makeKeyPair()
  const { folder, database } = await makeDeployment(t, async (keys) => {
    const [first, second, third] = await sealedRegistrations(3, keys)
    assert.ok(first && second && third)
    return [first, { ...second, sealed: third.sealed }, await sealedRegistration(4, other), third]
  })
  const { status, out, error } = await waitlist(folder, ['export', '--out', 'list.csv'])
  assert.equal(status, 1)
  assert.equal(out, '')
  assert.equal(
    error,
    `position 2, ticket ${entryOf(2).ticket}: the encrypted entry has another ticket than its row
position 3, ticket ${entryOf(4).ticket}: encrypted to ${other.recipient}, which none of the given identities matches, or its header is damaged
Exported 2 registrations of ${database} to list.csv. 2 rows could not be decrypted and were left out (see above).
`,
  )
  const [, ...rows] = parseCsv(readFileSync(path.join(folder, 'list.csv'), 'utf8'))
  assert.deepEqual(
    rows.map(([ticket]) => ticket),
    [entryOf(1).ticket, entryOf(3).ticket],
  )
  const result = await waitlist(folder, ['export', '--out', 'other.csv', '--json'])
  assert.equal(result.status, 1)
  assert.deepEqual(JSON.parse(result.out), {
    ok: false,
    exported: 2,
    leftOut: 2,
    guarded: 0,
    file: 'other.csv',
  })
})

test('reports an identity that matches no row once, before writing', async (t) => {
  const { folder, keys } = await makeDeployment(t, (own) => sealedRegistrations(5, own))
  const other = await makeKeyPair()
  const { status, out, error } = await waitlist(folder, ['export', '--identity', '-'], {
    input: other.identity,
  })
  assert.equal(status, 1)
  assert.equal(out, '')
  assert.equal(error.trimEnd().split('\n').length, 1, error)
  assert.match(error, /^error: no row is encrypted to the identity given /)
  for (const { recipient } of [other, keys]) assert.ok(error.includes(recipient.slice(0, 12)))
})

test('refuses an invalid identity with its file and line, without quoting it', async (t) => {
  const { folder, keys } = await makeDeployment(t, (own) => sealedRegistrations(1, own))
  const broken = keys.identity.replace(/.$/, 'b')
  const cases: readonly (readonly [string, RegExp])[] = [
    [broken, /standard input: line 1: expected age X25519 identities/],
    [`# note\n${keys.identity}\nwords`, /standard input: line 3: expected age X25519 identities/],
    ['', /standard input: expected age X25519 identities/],
    ['age-encryption.org/v1\n…', /encrypted with a passphrase. Decrypt it first/],
    ['-----BEGIN AGE ENCRYPTED FILE-----\n…', /encrypted with a passphrase. Decrypt it first/],
  ]
  for (const [input, message] of cases) {
    const { status, out, error } = await waitlist(folder, ['export', '--identity', '-'], { input })
    assert.equal(status, 1, error)
    assert.equal(out, '')
    assert.match(error, message)
    assert.ok(!error.includes(keys.identity.slice(20, 40)))
    assert.equal(error.trimEnd().split('\n').length, 1, error)
  }
  const missing = await waitlist(folder, ['export', '--identity', 'nowhere.txt'])
  assert.equal(missing.status, 1)
  assert.match(missing.error, /^error: nowhere\.txt: expected a readable file/)
  rmSync(path.join(folder, 'secrets'), { recursive: true })
  assert.equal((await waitlist(folder, ['export'])).status, 2)
})

test('a reader that closes early is not a failure', async (t) => {
  const { folder } = await makeDeployment(t, (keys) => sealedRegistrations(400, keys))
  for (const pipe of ['| head -1', '2>&1 | head -1']) {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', `set -o pipefail; "${process.execPath}" "${SVC}" waitlist export ${pipe}`],
      { cwd: folder, env: cleanEnvironment(), encoding: 'utf8', timeout: 600_000 },
    )
    assert.equal(stdout, `${HEADER.join(',')}\r\n`)
    assert.ok(!stderr.includes('Error'), stderr)
    assert.equal(status, 0)
  }
})

test('the age program opens a stored row', async (t) => {
  if (spawnSync('age', ['--version']).status !== 0) {
    t.skip('the age program is not on this machine')
    return
  }
  const { database, secretsDir } = await makeDeployment(t, (keys) => sealedRegistrations(1, keys))
  const [row] = await readRows(database)
  assert.ok(row)
  const file = path.join(secretsDir, 'waitlist-identity.txt')
  const { stdout } = spawnSync('age', ['--decrypt', '--identity', file], { input: row.sealed })
  assert.deepEqual(parseWaitlistEntry(stdout), entryOf(1))
})
