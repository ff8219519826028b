import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { makeContent } from '../publishing/content-fixture.ts'
import { responseTo, startSntpServer } from '../service/time/sntp-server.ts'
import { serveTcp } from '../support/loopback-server.ts'
import { outcomeOf, SVC } from '../support/run-program.ts'
import { cleanEnvironment, succeeded } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const INCIDENT = '--title A --impact minor --component read-api=degraded --summary D.'.split(' ')
const PUBLISH = ['--text', 'C.', '--publish']

/** Nothing of the test keeps these processes alive: standard input is closed, and output goes to a pipe. */
function start(args: readonly string[], env: { readonly [name: string]: string }, file = SVC) {
  return spawn(process.execPath, [file, ...args], {
    env: cleanEnvironment({ NODE_ENV: 'production', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const run = (...program: Parameters<typeof start>) => outcomeOf(start(...program))

test('commands that publish wait for the time source, whether it responds or not', async (t) => {
  const content = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  let isSilent = false
  const source = await startSntpServer((query) => {
    if (isSilent) return []
    return [responseTo(query, { receiveMs: Date.now(), transmitMs: Date.now() })]
  })
  t.after(() => source.stop())
  const env = { SVC_NTP_SERVER: `127.0.0.1:${source.port}`, SVC_RELEASES_DIR: releases }
  const folder = ['--content', content, '--no-cards']
  const maintenance = ['--title', 'B', '--component', 'read-api', '--from', '2099-01-01T00:00:00Z']
  const publish = [...PUBLISH, ...folder]
  const commands = [
    ['publish', '--create', '--note', 'N.', ...folder],
    ['incident', 'open', ...INCIDENT, ...publish],
    ['maintenance', 'schedule', ...maintenance, '--to', '2099-01-01T01:00:00Z', ...publish],
    ['rollback', 'VS-0001', '--note', 'N.', '--no-cards'],
  ]
  for (const [index, args] of commands.entries()) {
    assert.match(succeeded(await run(args, env)), new RegExp(`Published VS-000${index + 1} `))
    assert.equal(source.queries.length, index + 1)
  }
  isSilent = true
  const { status, out, error } = await run(
    ['rollback', 'VS-0002', '--note', 'N.', '--no-cards'],
    env,
  )
  assert.equal(status, 0)
  assert.match(out, /^Published VS-0005 /)
  assert.match(error, /^Warning: the clock could not be compared/)
})

test('a signal before the version is written undoes the edit', async (t) => {
  const content = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  let onQuery = (): unknown => undefined
  const source = await startSntpServer(() => {
    onQuery()
    return []
  })
  t.after(() => source.stop())
  const env = { SVC_NTP_SERVER: `127.0.0.1:${source.port}`, SVC_RELEASES_DIR: releases }
  const folder = ['--content', content, '--no-cards']
  succeeded(await run(['publish', '--create', '--note', 'N.', ...folder], env))
  const file = path.join(content, 'status.yaml')
  const before = readFileSync(file, 'utf8')
  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    const program = start(['incident', 'open', ...INCIDENT, ...PUBLISH, ...folder], env)
    // The edit is made, and the publication waits for the time.
    onQuery = () => {
      assert.notEqual(readFileSync(file, 'utf8'), before)
      program.kill(signal)
    }
    const { error } = await outcomeOf(program)
    assert.equal(program.signalCode, signal, error)
    assert.equal(error, `error: stopped by ${signal}; ${file} is as it was before\n`)
    assert.equal(readFileSync(file, 'utf8'), before)
    assert.deepEqual(readdirSync(path.join(releases, 'versions')), ['VS-0001.json'])
  }
})

test('commands that wait for a server that never responds end with a message', async (t) => {
  const port = await serveTcp(t)
  const origin = `http://127.0.0.1:${port}`
  const folder = temporaryFolder(t)
  const env = {
    SVC_DATABASE_URL: `postgres://svc@127.0.0.1:${port}/svc`,
    SVC_DATA_DIR: folder,
    SVC_RELEASES_DIR: path.join(folder, 'releases'),
  }
  const limit = ['--timeout', '1']
  const commands: readonly (readonly [status: number, ...args: readonly string[]])[] = [
    [3, 'verify', `${origin}/api/v1/status`, ...limit],
    [3, 'audit', origin, ...limit],
    [3, 'doctor', origin, ...limit],
    [3, 'waitlist', 'join', '--token-only', origin, ...limit],
    [1, 'waitlist', 'count'],
    [1, 'api-keys', 'list'],
  ]
  const outcomes = await Promise.all(
    commands.map(async ([expected, ...args]) => ({ expected, args, ...(await run(args, env)) })),
  )
  for (const { expected, args, status, error } of outcomes) {
    assert.equal(status, expected, `${args[0]}: ${error}`)
    assert.match(error, /^error: [^\n]+/, args.join(' '))
    assert.doesNotMatch(error, /^ +at |this is a defect/m)
  }
})

test('a command whose wait keeps nothing open exits with 1 and says so', async (t) => {
  const kit = import.meta.resolve('@public-api/cli-kit/run-process')
  const text = `import { runProcess } from ${JSON.stringify(kit)}; runProcess(() => new Promise(() => {}))`
  const file = path.join(temporaryFolder(t), 'program.mjs')
  writeFileSync(file, text)
  const { status, out, error } = await run([], {}, file)
  assert.deepEqual([status, out], [1, ''])
  assert.equal(error, 'error: the command ended before it finished; this is a defect of svc\n')
})
