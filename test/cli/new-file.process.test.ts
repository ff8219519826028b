import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { CommandFailure } from '@public-api/cli-kit/command'
import { createNewFile } from '../../src/cli/new-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a file gets its name once it is complete', async (t) => {
  const folder = temporaryFolder(t)
  const name = path.join(folder, 'list.csv')
  const file = await createNewFile(name)
  await file.write('one\n')
  await file.write(Buffer.from('two\n'))
  assert.ok(!readdirSync(folder).includes('list.csv'))
  await file.finish()
  assert.deepEqual(readdirSync(folder), ['list.csv'])
  assert.equal(readFileSync(name, 'utf8'), 'one\ntwo\n')
  assert.equal(statSync(name).mode & 0o777, 0o600)
})

test('an abandoned file leaves nothing', async (t) => {
  const folder = temporaryFolder(t)
  const file = await createNewFile(path.join(folder, 'list.csv'))
  await file.write('one\n')
  await file.abandon()
  assert.deepEqual(readdirSync(folder), [])
})

test('never replaces an existing file, even one created in the meantime', async (t) => {
  const folder = temporaryFolder(t)
  const name = path.join(folder, 'list.csv')
  const isTaken = (error: unknown) => error instanceof CommandFailure && error.code === 'EXISTS'
  const late = await createNewFile(name)
  await late.write('mine\n')
  writeFileSync(name, 'theirs\n')
  await assert.rejects(createNewFile(name), isTaken)
  await assert.rejects(late.finish(), isTaken)
  assert.equal(readFileSync(name, 'utf8'), 'theirs\n')
  assert.deepEqual(readdirSync(folder), ['list.csv'])
})

test('ignores leftovers of a killed process with the same id', async (t) => {
  const folder = temporaryFolder(t)
  const name = path.join(folder, 'list.csv')
  const left = `${name}.${process.pid}.partial`
  writeFileSync(left, 'half of')
  const file = await createNewFile(name)
  await file.write('one\n')
  await file.finish()
  assert.equal(readFileSync(name, 'utf8'), 'one\n')
  assert.equal(readFileSync(left, 'utf8'), 'half of')
})

test('a stopped program leaves no partial file and ends by the signal', async (t) => {
  const module = new URL('../../src/cli/new-file.ts', import.meta.url).href
  const program = `
    const { createNewFile } = await import(${JSON.stringify(module)})
    const file = await createNewFile('list.csv')
    await file.write('half of it')
    // Keeps the file, whose handle would fail the program if it were garbage-collected.
    setInterval(() => file, 1000)
    console.log('written')`
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const folder = temporaryFolder(t)
    const running = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => running.kill('SIGKILL'))
    const ended = once(running, 'exit')
    await once(running.stdout, 'data')
    assert.equal(readdirSync(folder).length, 1)
    running.kill(signal)
    assert.deepEqual(await ended, [null, signal])
    assert.deepEqual(readdirSync(folder), [])
  }
})
