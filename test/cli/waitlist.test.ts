import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { assertHelps, assertMisuses, type TestedActions } from '../support/actions-checks.ts'
import { failedWith } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeDeployment, waitlist } from './waitlist/deployment-fixture.ts'
import { entryOf, makeKeyPair, sealedRegistrations } from './waitlist/waitlist-fixture.ts'

const ACTIONS = ['join', 'count', 'export', 'show', 'erase', 'rotate-recipient', 'expire']

const TESTED: TestedActions = { command: 'waitlist', actions: ACTIONS }

test('prints the help of the command and of each action on standard output', () =>
  assertHelps(TESTED))

test('wrong usage: exit code 2 and one line with the expectation', async (t) => {
  await assertMisuses(TESTED, [
    [[], /expected an action: join, count, export, show, erase, rotate-recipient, expire/],
    [['exprot'], /unknown command 'exprot'; did you mean export\?/],
    [['toString'], /unknown command 'toString'\. Run /],
    [['count', '--jsn'], /unknown option '--jsn'; did you mean --json\?/],
    [['count', 'more'], /expected options only, found an argument/],
    [['export', '--format', 'xml'], /--format expects csv, jsonl or listmonk\. Run /],
    [['export', '--since', 'yesterday'], /--since expects a time such as \S+Z or \S+\+07:00/],
    [
      ['export', '--since', '2026-02-01T00:00:00Z', '--until', '2026-01-01T00:00:00Z'],
      /--until must be later than --since/,
    ],
    [['export', '--limit', '0'], /--limit expects a whole number from 1/],
    [['export', '--interest', 'reserch'], /did you mean research\?/],
    [['export', '--locale', 'fr'], /--locale expects en, th or zh-CN/],
    [['export', '--json'], /--json requires --out FILE/],
    [['rotate-recipient'], /expected either --recipient RECIPIENT or --new-identity FILE/],
    [['rotate-recipient', '--recipient', 'age1x'], /--recipient expects an age X25519 recipient/],
    [['erase', 'a@example.org', 'b@example.org'], /expected one address/],
    [['show', 'a@example.org', 'b@example.org'], /expected one address/],
    [['erase', '--ticket', 'EA-x', 'a@example.org'], /--ticket expects a ticket/],
    [['expire'], /expected --older-than DAYS/],
    [['expire', '--older-than', '0'], /--older-than expects whole days from 1 to 36500/],
  ])
  const error = failedWith(2, await waitlist(temporaryFolder(t), ['export']))
  assert.match(error, /expected --identity FILE, because .*waitlist-identity\.txt cannot be read/)
})

test('a missing or foreign database or a configuration mistake: one line, exit code 1', async (t) => {
  const folder = temporaryFolder(t)
  const none = failedWith(1, await waitlist(folder, ['count']))
  assert.match(none, /^error: .*service\.sqlite: the database does not exist\n$/)

  const file = path.join(folder, 'other.sqlite')
  writeFileSync(file, 'nothing of ours, and long enough to be looked at')
  const other = await waitlist(folder, ['count', '--database', file, '--json'])
  assert.equal(other.status, 1)
  assert.match(other.error, /^error: .*other\.sqlite: .*\n$/)
  const result: unknown = JSON.parse(other.out)
  assert.ok(typeof result === 'object' && result !== null && 'ok' in result && 'code' in result)
  assert.deepEqual([result.ok, result.code], [false, 'NOT_A_DATABASE'])

  const env = { SVC_DATABASE_URL: 'mysql://u:password@host/db' }
  const mistaken = failedWith(1, await waitlist(folder, ['count'], { env }))
  assert.match(mistaken, /^error: Invalid configuration \(1 error\)\nSVC_DATABASE_URL: /)
  assert.ok(!mistaken.includes('password'))
})

test('ignores mistakes in variables that it does not use', async (t) => {
  const { folder } = await makeDeployment(t, (keys) => sealedRegistrations(1, keys))
  assert.equal((await waitlist(folder, ['count'], { env: { SVC_LOG_LEVEL: 'loud' } })).status, 0)
})

test('count: number, dates and recipients, without a secret', async (t) => {
  const other = await makeKeyPair()
  const { folder, database, keys } = await makeDeployment(t, async (own) => [
    ...(await sealedRegistrations(3, own)),
    ...(await sealedRegistrations(1, other, 4)),
  ])
  const elsewhere = temporaryFolder(t)
  const expected = `4 registrations on the waitlist in ${database}.
First: ${entryOf(1).registeredAt}
Last:  ${entryOf(4).registeredAt}
Encrypted to:
  3  ${keys.recipient}
  1  ${other.recipient}
`
  assert.deepEqual(await waitlist(elsewhere, ['count', '--database', database]), {
    status: 0,
    out: expected,
    error: '',
  })
  const env = { SVC_DATA_DIR: path.dirname(database) }
  assert.equal((await waitlist(elsewhere, ['count'], { env })).out, expected)
  assert.deepEqual(JSON.parse((await waitlist(folder, ['count', '--json'])).out), {
    ok: true,
    total: 4,
    firstRegisteredAt: entryOf(1).registeredAt,
    lastRegisteredAt: entryOf(4).registeredAt,
    byRecipient: [
      { recipient: keys.recipient, count: 3 },
      { recipient: other.recipient, count: 1 },
    ],
  })
})

test('count: an empty list', async (t) => {
  const { folder, database } = await makeDeployment(t, async () => [])
  assert.equal((await waitlist(folder, ['count'])).out, `The waitlist in ${database} is empty.\n`)
  const result: unknown = JSON.parse((await waitlist(folder, ['count', '--json'])).out)
  assert.deepEqual(result, {
    ok: true,
    total: 0,
    firstRegisteredAt: null,
    lastRegisteredAt: null,
    byRecipient: [],
  })
})
