import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { APPLICATION_ID, MIGRATIONS } from '../../src/storage/sqlite/sqlite-migrations.ts'
import { openSqlite } from '../../src/storage/sqlite/sqlite-storage.ts'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { temporaryFolder, temporaryDatabase } from '../support/temporary-folder.ts'
import { isTraceLeft, readFilesOf } from './sqlite/sqlite-bytes.ts'
import { openStore } from './sqlite/sqlite-fixture.ts'
import { makeRegistration, readAll } from './waitlist-fixture.ts'

const DOCUMENT = fs.readFileSync(new URL('../../docs/storage-schema.md', import.meta.url), 'utf8')
const HAS_SQLITE3 = spawnSync('sh', ['-c', 'command -v sqlite3']).status === 0

/** The commands of the document that hold a text, of which there is one. */
function commandWith(text: string): string {
  const commands = documentedBlocks('docs/storage-schema.md').map((block) => block.text.trimEnd())
  const found = commands.filter((command) => command.includes(text))
  assert.equal(found.length, 1, text)
  return found[0] ?? ''
}

function run(folder: string, command: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${command}\n${stderr}`)
  return stdout.trim()
}

/** A data folder in use, with three registrations. */
async function openData(t: TestContext) {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'data', 'service.sqlite')
  const storage = await openStore(t, { file })
  for (const number of [0, 1, 2]) await storage.waitlist.add(makeRegistration(number))
  return { folder, file, waitlist: storage.waitlist }
}

test('the document lists exactly the tables and columns', async (t) => {
  const file = temporaryDatabase(t)
  await (await openSqlite('create', { file })).close()
  using database = new DatabaseSync(file, { readOnly: true })
  const documented: string[] = []
  for (const [, table, text = ''] of DOCUMENT.matchAll(/^### (\w+)\n([\s\S]*?)(?=^##)/gm)) {
    for (const [, cell = ''] of text.matchAll(/^\| (`.*?) \|/gm)) {
      for (const [, column] of cell.matchAll(/`(\w+)`/g)) documented.push(`${table}.${column}`)
    }
  }
  const actual = database
    .prepare(
      `SELECT tables.name || '.' || columns.name AS name
       FROM pragma_table_list AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.name NOT LIKE 'sqlite_%'`,
    )
    .all()
    .map(({ name }) => String(name))
  assert.ok(actual.length > 10)
  assert.deepEqual(new Set(documented), new Set(actual))
})

test(
  'the documented reads work beside the service',
  { skip: !HAS_SQLITE3 && 'no sqlite3' },
  async (t) => {
    const { folder } = await openData(t)
    assert.equal(run(folder, commandWith('GROUP BY recipient')), 'age1first|3')
    const newest = run(folder, commandWith('ORDER BY position DESC')).split('\n')
    assert.equal(newest.length, 5)
    assert.match(newest[2] ?? '', new RegExp(`^3 +${makeRegistration(2).ticket} +20\\d\\d-`))
    assert.equal(run(folder, commandWith('AS active')), '0|0')
    assert.equal(
      run(folder, commandWith('integrity_check')),
      `ok\n${APPLICATION_ID}\n${MIGRATIONS.length}`,
    )
    const { sealed } = makeRegistration(0)
    assert.equal(run(folder, commandWith('writefile')), String(sealed.length))
    assert.deepEqual(new Uint8Array(fs.readFileSync(path.join(folder, 'row.age'))), sealed)
  },
)

test('the documented copy is complete', { skip: !HAS_SQLITE3 && 'no sqlite3' }, async (t) => {
  const { folder, waitlist } = await openData(t)
  run(folder, commandWith('VACUUM INTO'))
  const file = path.join(folder, 'copy.sqlite')
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  const copy = await openStore(t, { file }, 'read-only')
  assert.deepEqual(await readAll(copy.waitlist), await readAll(waitlist))
})

test('the documented erasure leaves nothing', { skip: !HAS_SQLITE3 && 'no sqlite3' }, async (t) => {
  const { folder, file, waitlist } = await openData(t)
  const { sealed, ticket, addressHash } = makeRegistration(0)
  assert.equal(ticket, 'EA-0000000000000000')
  assert.ok(isTraceLeft(file, sealed))
  assert.equal(run(folder, commandWith('DELETE FROM')), '1\n1\n0|0|0')
  for (const bytes of [sealed, addressHash]) assert.ok(!isTraceLeft(file, bytes))
  assert.ok(!readFilesOf(file).includes(ticket))
  assert.equal((await waitlist.count()).total, 2)
})
