import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { StoredRegistration } from '../../src/storage/stores/waitlist-store.ts'
import { failedWith, succeeded } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  type Deployment,
  makeDeployment,
  readRows,
  waitlist,
} from './waitlist/deployment-fixture.ts'
import { ADDRESS_HASH_SECRET, entryOf, sealedRegistrations } from './waitlist/waitlist-fixture.ts'

async function ticketsOf({ database }: Deployment): Promise<readonly string[]> {
  return (await readRows(database)).map(({ ticket }) => ticket)
}

test('erases an address in any spelling and keeps the others', async (t) => {
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(3, keys))
  const { folder } = deployment
  const { status, out, error } = await waitlist(folder, ['erase', '  Person2@EXAMPLE.org '])
  assert.deepEqual([status, error], [0, ''])
  assert.equal(
    out,
    `Erased the registration ${entryOf(2).ticket} of ${entryOf(2).registeredAt} in ${deployment.database}.\n`,
  )
  assert.deepEqual(await ticketsOf(deployment), [entryOf(1).ticket, entryOf(3).ticket])

  const again = await waitlist(folder, ['erase', 'person2@example.org'])
  assert.equal(again.status, 1)
  assert.equal(again.out, '')
  assert.match(
    again.error,
    /^error: the address is not on the list in .*service\.sqlite, judged by the secret in .*address-hash-secret\.txt\n$/,
  )
})

test('reads the address from standard input and never prints it', async (t) => {
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(3, keys))
  for (const [number, args] of [[1, ['erase']] as const, [2, ['erase', '-', '--json']] as const]) {
    const input = `\nperson${number}@example.org\n`
    const { status, out, error } = await waitlist(deployment.folder, args, { input })
    assert.equal(status, 0, error)
    assert.ok(out.includes(entryOf(number).ticket))
    assert.ok(!`${out}${error}`.includes('person'))
  }
  assert.deepEqual(await ticketsOf(deployment), [entryOf(3).ticket])
  const none = await waitlist(deployment.folder, ['erase', '--json'], {
    input: 'other@example.org',
  })
  assert.equal(none.status, 1)
  const result: unknown = JSON.parse(none.out)
  assert.ok(typeof result === 'object' && result !== null && 'code' in result)
  assert.equal(result.code, 'NOT_ON_LIST')
  assert.ok(!`${none.out}${none.error}`.includes('other@'))
})

test('a dry run finds the address and changes nothing', async (t) => {
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(3, keys))
  const { folder } = deployment
  const { ticket, registeredAt } = entryOf(3)
  const out = succeeded(await waitlist(folder, ['erase', 'person3@example.org', '--dry-run']))
  assert.equal(
    out,
    `Would erase the registration ${ticket} of ${registeredAt} in ${deployment.database}.\n`,
  )
  const result = await waitlist(folder, ['erase', 'person3@example.org', '--dry-run', '--json'])
  assert.deepEqual(JSON.parse(result.out), { ok: true, erased: false, ticket, registeredAt })
  assert.equal((await waitlist(folder, ['erase', 'other@example.org', '--dry-run'])).status, 1)
  assert.equal((await ticketsOf(deployment)).length, 3)
})

test('an invalid address or several are wrong usage and not repeated', async (t) => {
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(2, keys))
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['erase', 'person1'], ''],
    [['erase', 'person1@example.org', 'person2@example.org'], ''],
    [['erase'], 'person1@example.org\nperson2@example.org\n'],
    [['erase'], ''],
    [['erase', '-'], 'person1 @example.org'],
  ]
  for (const [args, input] of cases) {
    const { status, out, error } = await waitlist(deployment.folder, args, { input })
    assert.equal(status, 2, error)
    assert.equal(out, '')
    assert.match(error, /^error: expected (one|an email) address/)
    assert.ok(!error.includes('person'))
  }
  assert.equal((await ticketsOf(deployment)).length, 2)
})

test('without the secret, names its expected place and creates none', async (t) => {
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(1, keys))
  const { folder, secretsDir } = deployment
  const args = ['erase', 'person1@example.org']
  const variable = 'SVC_ADDRESS_HASH_SECRET'
  const short = failedWith(1, await waitlist(folder, args, { env: { [variable]: 'short' } }))
  assert.match(short, /^error: SVC_ADDRESS_HASH_SECRET: expected at least 32 characters/)

  rmSync(path.join(secretsDir, 'address-hash-secret.txt'))
  const error = failedWith(1, await waitlist(folder, args))
  assert.match(
    error,
    /^error: expected the address-hash secret in SVC_ADDRESS_HASH_SECRET or .*address-hash-secret\.txt, found neither\n$/,
  )
  assert.ok(!readdirSync(secretsDir).includes('address-hash-secret.txt'))

  // Another secret finds no row, and the message names the secret in use.
  const other = await waitlist(folder, args, { env: { [variable]: `${ADDRESS_HASH_SECRET}-not` } })
  assert.match(other.error, /not on the list in .* judged by the secret in SVC_ADDRESS_HASH_SECRET/)
  assert.equal(
    (await waitlist(folder, args, { env: { [variable]: ADDRESS_HASH_SECRET } })).status,
    0,
  )
})

/** Whether a file of the database has a part of these rows. */
function hasBytesOf({ database }: Deployment, rows: readonly StoredRegistration[]): boolean {
  // From the middle of the seal, so that no page border can hide it.
  const pieces = rows.flatMap(({ ticket, sealed }) => [
    Buffer.from(ticket),
    Buffer.from(sealed.subarray(300, 364)),
  ])
  return readdirSync(path.dirname(database)).some((file) => {
    const bytes = readFileSync(path.join(path.dirname(database), file))
    return pieces.some((piece) => bytes.includes(piece))
  })
}

test('an erased row leaves the database file completely', async (t) => {
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(3, keys))
  const [, row] = await readRows(deployment.database)
  assert.ok(row)
  assert.ok(hasBytesOf(deployment, [row]))
  assert.equal((await waitlist(deployment.folder, ['erase', 'person2@example.org'])).status, 0)
  assert.ok(!hasBytesOf(deployment, [row]))
})

test('erases all registrations from the database files, without a secret', async (t) => {
  // More than one transaction deletes.
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(501, keys))
  const { folder, database, secretsDir } = deployment
  rmSync(path.join(secretsDir, 'address-hash-secret.txt'))
  const rows = await readRows(database)
  const place = database
  const counted = await waitlist(folder, ['erase', '--all', '--dry-run'])
  assert.equal(counted.out, `Would erase 501 registrations in ${place}.\n`, counted.error)
  const asked = failedWith(2, await waitlist(folder, ['erase', '--all']))
  assert.match(asked, /^error: expected --yes, .*; nothing was erased\b/)
  assert.equal((await ticketsOf(deployment)).length, 501)
  assert.ok(hasBytesOf(deployment, rows.slice(-2)))
  const out = succeeded(await waitlist(folder, ['erase', '--all', '--yes']))
  assert.match(out, /^Erased 501 registrations in .*service\.sqlite\.\nBackups, /)
  assert.deepEqual(await ticketsOf(deployment), [])
  assert.ok(!hasBytesOf(deployment, rows))
  const again = await waitlist(folder, ['erase', '--all'])
  assert.deepEqual([again.status, again.out], [0, `The waitlist in ${place} is empty.\n`])
})

test('all registrations and one address are not combined, and no database is created', async (t) => {
  const deployment = await makeDeployment(t, (keys) => sealedRegistrations(1, keys))
  const { folder } = deployment
  for (const args of [
    ['--all', 'person1@example.org'],
    ['--all', '--ticket', entryOf(1).ticket],
    ['--yes', 'person1@example.org'],
  ]) {
    const error = failedWith(2, await waitlist(folder, ['erase', ...args]))
    assert.match(error, /^error: (?:expected either --all or an address|--yes needs --all)/)
  }
  assert.equal((await ticketsOf(deployment)).length, 1)
  const elsewhere = temporaryFolder(t)
  const error = failedWith(1, await waitlist(elsewhere, ['erase', '--all', '--yes']))
  assert.match(error, /^error: .*data\/service\.sqlite.* does not exist.*\n$/)
  assert.deepEqual(readdirSync(elsewhere), [])
})
