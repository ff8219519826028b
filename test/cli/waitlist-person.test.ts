import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeeded } from '../support/run-svc.ts'
import { countRows, makeDeployment, waitlist } from './waitlist/deployment-fixture.ts'
import { entryOf, sealedRegistration, sealedRegistrations } from './waitlist/waitlist-fixture.ts'

test('show prints everything about one person, with the consent statement', async (t) => {
  const { folder } = await makeDeployment(t, async (keys) => [
    ...(await sealedRegistrations(2, keys)),
    await sealedRegistration(3, keys, { useCase: 'two\nlines\u001B[2J' }),
  ])
  const json = succeeded(await waitlist(folder, ['show', 'PERSON2@example.org', '--json']))
  assert.deepEqual(JSON.parse(json), entryOf(2))
  const text = succeeded(await waitlist(folder, ['show', '-'], { input: 'person3@example.org\n' }))
  assert.match(text, /^ticket +EA-0{15}3\n/)
  assert.match(text, /\nuseCase +two\n +lines\uFFFD\[2J\n/)
  assert.match(text, /\nconsentVersion +0123456789abcdef\nconsentText +I agree\.\n$/)
  const unknown = await waitlist(folder, ['show', 'unknown@example.org'])
  assert.deepEqual([unknown.status, unknown.out], [1, ''])
  assert.match(unknown.error, /^error: the address is not on the list in /)
  assert.ok(!unknown.error.includes('unknown@'))
})

test('erase with a ticket deletes only the registration that has it', async (t) => {
  const { folder, database } = await makeDeployment(t, (keys) => sealedRegistrations(2, keys))
  const other = ['erase', 'person1@example.org', '--ticket', entryOf(2).ticket, '--json']
  const refused = await waitlist(folder, other)
  assert.equal(refused.status, 1)
  assert.match(refused.out, /"code":"TICKET_MISMATCH"/)
  assert.equal((await countRows(database)).total, 2)
  const own = ['erase', 'person1@example.org', '--ticket', entryOf(1).ticket.toLowerCase()]
  assert.match(succeeded(await waitlist(folder, own)), /^Erased the registration EA-0{15}1 of /)
  assert.equal((await countRows(database)).total, 1)
})

test('expire deletes the registrations that are older than a number of days', async (t) => {
  const daysAgo = (days: number) => ({
    registeredAt: new Date(Date.now() - days * 86_400_000).toISOString(),
  })
  const { folder, database } = await makeDeployment(t, async (keys) => [
    await sealedRegistration(1, keys, daysAgo(400)),
    await sealedRegistration(2, keys, daysAgo(364)),
    await sealedRegistration(3, keys, daysAgo(366)),
  ])
  const args = ['expire', '--older-than', '365']
  const tried = await waitlist(folder, [...args, '--dry-run', '--json'])
  assert.match(tried.out, /^\{"ok":true,"dryRun":true,"registrations":2,"before":"2/)
  assert.equal((await countRows(database)).total, 3)
  const done = succeeded(await waitlist(folder, args))
  assert.match(done, /^Deleted 2 registrations from before 2.*Z in \S+service\.sqlite\.\n$/)
  assert.equal((await countRows(database)).total, 1)
  assert.match((await waitlist(folder, args)).out, /^Deleted 0 registrations/)
})
