import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { failedWith, succeeded } from '../support/run-svc.ts'
import { parseCsv } from './waitlist/csv-reader.ts'
import { makeDeployment, waitlist } from './waitlist/deployment-fixture.ts'
import { entryOf, sealedRegistration, sealedRegistrations } from './waitlist/waitlist-fixture.ts'

/** Twelve registrations: every third in Thai, every fourth interested in research too. */
async function twelve(t: TestContext) {
  return makeDeployment(t, (keys) =>
    Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        sealedRegistration(index + 1, keys, {
          locale: index % 3 === 0 ? 'th' : 'en',
          interests: index % 4 === 0 ? ['api', 'research'] : ['api'],
        }),
      ),
    ),
  )
}

async function exported(folder: string, options: readonly string[]): Promise<readonly number[]> {
  const out = succeeded(await waitlist(folder, ['export', '--format', 'jsonl', ...options]))
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { ticket } = JSON.parse(line) as { readonly ticket: string }
      return Number.parseInt(ticket.slice(3), 16)
    })
}

test('exports the registrations that match every filter, oldest first', async (t) => {
  const { folder } = await twelve(t)
  const [third, ninth] = [entryOf(3).registeredAt, entryOf(9).registeredAt]
  assert.deepEqual(await exported(folder, ['--since', third, '--until', ninth]), [3, 4, 5, 6, 7, 8])
  assert.deepEqual(await exported(folder, ['--locale', 'th']), [1, 4, 7, 10])
  assert.deepEqual(await exported(folder, ['--interest', 'research']), [1, 5, 9])
  assert.deepEqual(
    await exported(folder, ['--interest', 'research', '--interest', 'api']).then(
      (all) => all.length,
    ),
    12,
  )
  assert.deepEqual(await exported(folder, ['--locale', 'th', '--interest', 'research']), [1])
  assert.deepEqual(await exported(folder, ['--limit', '2', '--since', third]), [3, 4])
  assert.deepEqual(await exported(folder, ['--interest', 'business']), [])
})

test('batches that exclude the earlier ones are disjoint and complete', async (t) => {
  const { folder } = await makeDeployment(t, (keys) => sealedRegistrations(150, keys))
  const tickets: string[] = []
  const files: string[] = []
  for (const format of ['csv', 'jsonl', 'listmonk', 'csv']) {
    const file = `batch-${files.length + 1}.${format}`
    const exclude = files.flatMap((each) => ['--exclude', each])
    const first = ['export', '--format', format, '--limit', '45', '--out', file]
    succeeded(await waitlist(folder, [...first, ...exclude]))
    tickets.push(...(readFileSync(path.join(folder, file), 'utf8').match(/EA-[0-9A-F]{16}/g) ?? []))
    files.push(file)
  }
  assert.deepEqual(
    tickets,
    Array.from({ length: 150 }, (_, index) => entryOf(index + 1).ticket),
  )
})

test("writes listmonk's import format with exact values and without the use case", async (t) => {
  const address = '=1+2"@example.org'.replace('"', "'")
  const { folder } = await makeDeployment(t, async (keys) => [
    await sealedRegistration(1, keys, { email: address, useCase: 'private words' }),
  ])
  const { status, out, error } = await waitlist(folder, ['export', '--format', 'listmonk'])
  assert.equal(status, 0, error)
  const [header, row] = parseCsv(out)
  assert.deepEqual(header, ['email', 'name', 'attributes'])
  assert.deepEqual(row?.slice(0, 2), [address, ''])
  const { ticket, registeredAt, locale, interests } = entryOf(1)
  const consent = { consentVersion: '0123456789abcdef', consentText: 'I agree.' }
  assert.deepEqual(JSON.parse(row?.[2] ?? ''), {
    ticket,
    registeredAt,
    locale,
    interests,
    ...consent,
  })
  assert.doesNotMatch(out, /private words/)
  assert.doesNotMatch(error, /Warning/)
})

test('excludes by the ticket of a record, not by a ticket that a use case quotes', async (t) => {
  const { folder } = await makeDeployment(t, async (keys) => [
    await sealedRegistration(1, keys, {
      email: 'EA-team@example.org',
      useCase: `my friend has ${entryOf(2).ticket}`,
    }),
    await sealedRegistration(2, keys),
  ])
  for (const format of ['csv', 'jsonl']) {
    const file = `first.${format}`
    const first = ['export', '--format', format, '--limit', '1', '--out', file]
    assert.equal((await waitlist(folder, first)).status, 0)
    assert.deepEqual(await exported(folder, ['--exclude', file]), [2])
  }
  const [, , reduce] = documentedBlocks('docs/waitlist-to-invitation.md', '2. Export a batch')
  const batch = ['export', '--format', 'listmonk', '--limit', '1', '--out', 'batch-1.csv']
  assert.equal((await waitlist(folder, batch)).status, 0)
  assert.equal(spawnSync('sh', ['-c', reduce?.text ?? 'exit 1'], { cwd: folder }).status, 0)
  assert.deepEqual(await exported(folder, ['--exclude', 'sent-1.txt']), [2])
  writeFileSync(path.join(folder, 'sent.txt'), `\uFEFF${entryOf(1).ticket}\r\n\r\n`)
  assert.deepEqual(await exported(folder, ['--exclude', 'sent.txt']), [2])
})

test('the summary escapes what a terminal obeys in the name of the file', async (t) => {
  const { folder } = await makeDeployment(t, (keys) => sealedRegistrations(1, keys))
  const file = 'a\u009B31m\u202E.csv'
  const { out } = await waitlist(folder, ['export', '--out', file, '--json'])
  assert.ok(out.includes(String.raw`"file":"a\u009b31m\u202e.csv"`), out)
  assert.equal((JSON.parse(out) as { readonly file: string }).file, file)
})

test('refuses an exclusion that it cannot read whole, without quoting it', async (t) => {
  const { folder } = await makeDeployment(t, (keys) => sealedRegistrations(1, keys))
  const refuse = async (content: string, expected: RegExp): Promise<void> => {
    writeFileSync(path.join(folder, 'sent.txt'), content)
    const { status, out, error } = await waitlist(folder, ['export', '--exclude', 'sent.txt'])
    assert.equal(status, 1)
    assert.equal(out, '')
    assert.match(error, expected)
    assert.doesNotMatch(error, /someone@/)
  }
  const { ticket } = entryOf(1)
  await refuse(`${ticket}\nsomeone@example.org\n`, /sent\.txt: line 2: expected a ticket/)
  await refuse(`{"ticket":"${ticket}"}\n{"ticket":`, /sent\.txt: line 2: expected a ticket/)
  await refuse(
    `ticket,email\r\n${ticket},"someone@`,
    /sent\.txt: could not be read: expected a whole CSV/,
  )
  await refuse(
    'email,name,attributes\r\nsomeone@example.org,,{}\r\n',
    /sent\.txt: record 1: expected a ticket/,
  )
  const missing = failedWith(1, await waitlist(folder, ['export', '--exclude', 'missing.txt']))
  assert.match(missing, /missing\.txt: could not be read: ENOENT/)
})
