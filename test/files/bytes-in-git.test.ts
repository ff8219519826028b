import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { readTlogFiles } from '../../src/tlog/tlog-files.ts'
import { makeContent } from '../publishing/content-fixture.ts'
import { failedWith, svc } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('the first publication keeps Git from changing bytes, and a change names the setting', async (t) => {
  const releases = path.join(temporaryFolder(t), 'releases')
  const folders = ['--content', makeContent(t), '--releases', releases]
  const publish = () => svc('publish', '--create', '--no-cards', '--note', 'N.', ...folders)
  assert.equal((await publish()).status, 0)
  const attributes = path.join(releases, '.gitattributes')
  assert.equal(readFileSync(attributes, 'utf8'), '* -text\n')
  assert.equal((await svc('audit', releases)).status, 0)
  // An operator's own rules stay.
  writeFileSync(attributes, '* binary\n')
  await publish()
  assert.equal(readFileSync(attributes, 'utf8'), '* binary\n')
  rmSync(attributes)
  await publish()
  assert.equal(readFileSync(attributes, 'utf8'), '* -text\n')
  const version = path.join(releases, 'versions', 'VS-0001.json')
  writeFileSync(version, `${readFileSync(version, 'utf8')}\r\n`)
  const error = failedWith(1, await svc('audit', releases))
  assert.match(error, /VS-0001.*core\.autocrlf.*"\* -text" into \.gitattributes/)
})

test('a file of the log with carriage returns names the setting too', (t) => {
  const releases = temporaryFolder(t)
  mkdirSync(path.join(releases, 'log'))
  writeFileSync(path.join(releases, 'log', 'origin'), 'api.example.org/log\r\n')
  assert.throws(() => readTlogFiles(releases), /core\.autocrlf/)
})
