import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { createDecryptor, parseIdentities, deriveRecipient } from '../../src/crypto/age-file.ts'
import { parseWaitlistEntry } from '../../src/service/waitlist/waitlist-entry.ts'
import { SVC } from '../support/run-program.ts'
import { cleanEnvironment, failedWith, succeeded, svcIn } from '../support/run-svc.ts'
import {
  addRegistrations,
  countRows,
  makeDeployment,
  readRows,
  waitlist,
} from './waitlist/deployment-fixture.ts'
import {
  entryOf,
  makeKeyPair,
  sealedRegistration,
  sealedRegistrations,
} from './waitlist/waitlist-fixture.ts'

/** The persons whose rows open with the identities given, by number; fails where a row does not open. */
async function openRows(
  database: string,
  identities: readonly string[],
): Promise<readonly string[]> {
  const decryptor = await createDecryptor(identities)
  const tickets = []
  for (const { sealed, ticket } of await readRows(database)) {
    const entry = parseWaitlistEntry(await decryptor.decrypt(sealed))
    assert.equal(entry.ticket, ticket)
    tickets.push(ticket)
  }
  return tickets
}

function ticketsUpTo(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => entryOf(index + 1).ticket)
}

test('rotate-recipient changes the setting and every row', async (t) => {
  const { folder, database, recipientFile } = await makeDeployment(t, (keys) =>
    sealedRegistrations(5, keys),
  )
  const next = await makeKeyPair()
  const { status, out, error } = await waitlist(folder, [
    'rotate-recipient',
    '--recipient',
    next.recipient,
  ])
  assert.deepEqual([status, error], [0, ''])
  assert.equal(
    out,
    `Encrypted 5 registrations in ${database} to ${next.recipient}; 0 already have it.
${recipientFile} now contains the new recipient.
A running service uses it from its next start. After that, run this again with
--recipient ${next.recipient}
for registrations received in the meantime.
Keep the old identity as long as you keep backups that need it.
`,
  )
  assert.equal(readFileSync(recipientFile, 'utf8'), `${next.recipient}\n`)
  assert.equal(statSync(recipientFile).mode & 0o777, 0o600)
  assert.deepEqual(await openRows(database, [next.identity]), ticketsUpTo(5))
  assert.deepEqual(readdirSync(path.dirname(recipientFile)).toSorted(), [
    'address-hash-secret.txt',
    'waitlist-identity.txt',
    'waitlist-recipient.txt',
  ])
})

test('a second run processes only new rows, a third none', async (t) => {
  const { folder, database, keys } = await makeDeployment(t, (own) => sealedRegistrations(3, own))
  const next = await makeKeyPair()
  const args = ['rotate-recipient', '--recipient', next.recipient, '--json']
  const runAndRead = async (): Promise<unknown> => JSON.parse((await waitlist(folder, args)).out)
  const setting = { place: path.join(folder, 'secrets', 'waitlist-recipient.txt') }
  const none = { ok: true, changedMeanwhile: 0, failed: 0, recipient: next.recipient }
  const first = { ...none, resealed: 3, already: 0, setting: { kind: 'written', ...setting } }
  assert.deepEqual(await runAndRead(), first)
  await addRegistrations(database, [await sealedRegistration(4, keys)])
  const unchanged = { kind: 'unchanged', ...setting }
  assert.deepEqual(await runAndRead(), { ...none, resealed: 1, already: 3, setting: unchanged })
  // Nothing is left for the old identity, so it is not asked for.
  assert.deepEqual(
    JSON.parse((await waitlist(folder, [...args, '--identity', 'nowhere.txt'])).out),
    {
      ...none,
      resealed: 0,
      already: 4,
      setting: unchanged,
    },
  )
  assert.deepEqual(await openRows(database, [next.identity]), ticketsUpTo(4))
})

test('reports remaining work while there is some', async (t) => {
  const { folder, database, keys, recipientFile } = await makeDeployment(t, (own) =>
    sealedRegistrations(3, own),
  )
  const next = await makeKeyPair()
  const runAndRead = async (): Promise<string> =>
    (await waitlist(folder, ['rotate-recipient', '--recipient', next.recipient])).out
  assert.match(await runAndRead(), /After that, run this again with\n/)
  const held = `${recipientFile} already contains this recipient.\n`
  const hint = 'If the service was not restarted since then, restart it and run this again.\n'
  await addRegistrations(database, [await sealedRegistration(4, keys)])
  const second = await runAndRead()
  assert.ok(second.includes(`${held}${hint}Keep the old identity`), second)
  const last = await runAndRead()
  assert.ok(last.includes(`${held}Keep the old identity`), last)
})

test('creates a new identity in a file with mode 0600 and never overwrites one', async (t) => {
  const { folder, database, recipientFile } = await makeDeployment(t, (keys) =>
    sealedRegistrations(3, keys),
  )
  const args = ['rotate-recipient', '--new-identity', 'next.txt']
  const out = succeeded(await waitlist(folder, args))
  const file = path.join(folder, 'next.txt')
  const text = readFileSync(file, 'utf8')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const [identity = ''] = parseIdentities(text)
  const recipient = deriveRecipient(identity)
  assert.match(
    text,
    new RegExp(`^# created: .*Z\n# public key: ${recipient}\nAGE-SECRET-KEY-1.*\n$`),
  )
  assert.ok(!out.includes(identity))
  assert.match(out, /The new identity is in next\.txt\. Move it off the server\./)
  assert.equal(readFileSync(recipientFile, 'utf8'), `${recipient}\n`)
  assert.deepEqual(await openRows(database, [identity]), ticketsUpTo(3))

  const again = failedWith(1, await waitlist(folder, args))
  assert.match(
    again,
    new RegExp(
      `^error: next\\.txt: the file already contains an identity. To use it, pass --recipient ${recipient} instead`,
    ),
  )
  assert.equal(readFileSync(file, 'utf8'), text)
})

test('the wrong old identity changes nothing and creates no new one', async (t) => {
  const { folder, database, keys, recipientFile } = await makeDeployment(t, (own) =>
    sealedRegistrations(3, own),
  )
  const other = await makeKeyPair()
  const args = ['rotate-recipient', '--new-identity', 'next.txt', '--identity', '-']
  const { status, out, error } = await waitlist(folder, args, { input: other.identity })
  assert.equal(status, 1)
  assert.equal(out, '')
  assert.match(error, /^error: no row is encrypted to the identity given .* Nothing was changed\n$/)
  assert.ok(!existsSync(path.join(folder, 'next.txt')))
  assert.equal(readFileSync(recipientFile, 'utf8'), `${keys.recipient}\n`)
  assert.deepEqual(await openRows(database, [keys.identity]), ticketsUpTo(3))
})

test('names and keeps a row that no identity decrypts', async (t) => {
  const other = await makeKeyPair()
  const { folder, database } = await makeDeployment(t, async (keys) => [
    ...(await sealedRegistrations(2, keys)),
    await sealedRegistration(3, other),
  ])
  const next = await makeKeyPair()
  const { status, out, error } = await waitlist(folder, [
    'rotate-recipient',
    '--recipient',
    next.recipient,
  ])
  assert.equal(status, 1)
  assert.match(
    error,
    new RegExp(`^position 3, ticket ${entryOf(3).ticket}: encrypted to ${other.recipient}`),
  )
  assert.match(
    out,
    /^Encrypted 2 registrations in \S+ to .*\n1 row could not be decrypted and was left unchanged/,
  )
  assert.deepEqual(await openRows(database, [next.identity, other.identity]), ticketsUpTo(3))
})

test('with the recipient in a variable, rotate-recipient says what to set', async (t) => {
  const { folder, database, keys, recipientFile } = await makeDeployment(t, (own) =>
    sealedRegistrations(2, own),
  )
  const next = await makeKeyPair()
  const args = ['rotate-recipient', '--recipient', next.recipient]
  const env = { SVC_WAITLIST_RECIPIENT: keys.recipient }
  const out = succeeded(await waitlist(folder, args, { env }))
  assert.match(
    out,
    new RegExp(
      `SVC_WAITLIST_RECIPIENT is set in the environment.*\n.* set it to ${next.recipient}\n`,
    ),
  )
  assert.equal(readFileSync(recipientFile, 'utf8'), `${keys.recipient}\n`)
  assert.deepEqual(await openRows(database, [next.identity]), ticketsUpTo(2))
})

test('--database with another database leaves the setting unchanged', async (t) => {
  const { folder, database, keys, recipientFile } = await makeDeployment(t, (own) =>
    sealedRegistrations(2, own),
  )
  assert.equal((await svcIn(folder, ['db', 'backup', 'copy.sqlite'])).status, 0)
  const next = await makeKeyPair()
  const args = ['rotate-recipient', '--recipient', next.recipient, '--database', 'copy.sqlite']
  const out = succeeded(await waitlist(folder, args))
  assert.match(out, /The recipient of the service was left unchanged/)
  assert.equal(readFileSync(recipientFile, 'utf8'), `${keys.recipient}\n`)
  assert.deepEqual(await openRows(database, [keys.identity]), ticketsUpTo(2))
  assert.deepEqual(
    await openRows(path.join(folder, 'copy.sqlite'), [next.identity]),
    ticketsUpTo(2),
  )
})

/** A copy of a database as a power cut would leave it: the files of one moment, log included. */
function takeAway(database: string, folder: string): string {
  mkdirSync(folder)
  for (const file of readdirSync(path.dirname(database))) {
    if (file.endsWith('-shm')) continue
    copyFileSync(path.join(path.dirname(database), file), path.join(folder, file))
  }
  return path.join(folder, path.basename(database))
}

/** A module that ends its process once a row has another recipient for good. */
function endedAfterFirst(recipient: string): string {
  const program = `
    import { DatabaseSync } from 'node:sqlite'
    const { exec } = DatabaseSync.prototype
    const resealed = "SELECT 1 FROM registrations JOIN recipients ON id = recipient_id WHERE recipient = '${recipient}'"
    DatabaseSync.prototype.exec = function (sql) {
      exec.call(this, sql)
      if (sql === 'COMMIT' && this.prepare(resealed).get()) process.kill(process.pid, 'SIGKILL')
    }`
  return `data:text/javascript,${encodeURIComponent(program)}`
}

test('keeps every row after SIGKILL, and a second run continues', async (t) => {
  const count = 400
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(count, keys))
  const { folder, database, keys, recipientFile } = deployment
  const next = await makeKeyPair()
  const args = ['waitlist', 'rotate-recipient', '--recipient', next.recipient]
  const { signal } = spawnSync(
    process.execPath,
    ['--import', endedAfterFirst(next.recipient), SVC, ...args],
    { cwd: folder, env: cleanEnvironment() },
  )
  assert.equal(signal, 'SIGKILL')
  const { byRecipient } = await countRows(database)
  const done = byRecipient.find(({ recipient }) => recipient === next.recipient)?.count ?? 0
  assert.ok(done > 0 && done < count, `${done} of ${count} were done when it was killed`)
  assert.equal(readFileSync(recipientFile, 'utf8'), `${next.recipient}\n`)
  const taken = takeAway(database, path.join(folder, 'taken'))
  assert.deepEqual(await openRows(taken, [keys.identity, next.identity]), ticketsUpTo(count))

  const again = succeeded(
    await waitlist(folder, ['rotate-recipient', '--recipient', next.recipient]),
  )
  assert.match(
    again,
    new RegExp(`^Encrypted ${count - done} registrations in \\S+ to .*; ${done} already have it`),
  )
  assert.deepEqual(await openRows(database, [next.identity]), ticketsUpTo(count))
})
