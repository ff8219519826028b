import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { hasProgram } from './caches/cache-process.ts'
import { cleanEnvironment } from './support/run-svc.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const terminal = { skip: !hasProgram('script') && 'script is not installed' }

const WRITE_LINES = `
import { openLog } from './src/logger.ts'
const log = openLog({ logLevel: 'info', logFormat: process.env.FORMAT, journalStream: process.env.JOURNAL_STREAM })
log.debug({}, 'Hidden')
log.info({ port: 8080, snapshotId: 'VS-0001' }, 'Serving at http://127.0.0.1:8080')
const err = new Error('Connection \\u001b[31mrefused')
err.stack = 'Error: Connection \\u001b[31mrefused\\n    at connect'
log.error({ err, worker: 2 }, 'Database unavailable\\nforged')
`

/** The standard output of a process that logs these lines. */
function readLog(env: { readonly [name: string]: string }, onTerminal: boolean): string {
  // Node has no colors in an unknown CI.
  const { NO_COLOR: _none, FORCE_COLOR: _forced, CI: _ci, ...clean } = cleanEnvironment(env)
  const options = {
    env: { ...clean, TERM: 'xterm', ...env },
    encoding: 'utf8',
    timeout: 600_000,
  } as const
  const args = ['--no-warnings', '--input-type=module', '--eval', WRITE_LINES]
  if (!onTerminal) return execFileSync(process.execPath, args, options)
  const command = [process.execPath, ...args].map(
    (each) => `'${each.replaceAll("'", String.raw`'\''`)}'`,
  )
  const output = execFileSync('script', ['-qec', command.join(' '), '/dev/null'], options)
  return output.replaceAll('\r\n', '\n')
}

const TIME = String.raw`\d\d:\d\d:\d\d\.\d{3}Z`
const READABLE = new RegExp(
  String.raw`^${TIME} info  Serving at http://127\.0\.0\.1:8080  port=8080  snapshotId=VS-0001
${TIME} error Database unavailable\\nforged  worker=2
    Error: Connection \\u001b\[31mrefused
        at connect
$`,
)

test('the log is JSON lines in a pipe, and readable lines on request', () => {
  const [first = '', second = '', ...rest] = readLog({}, false).split('\n')
  assert.deepEqual(rest, [''])
  const { time, ...fields } = JSON.parse(first) as { [name: string]: unknown }
  assert.match(String(time), /^\d{4}-\d\d-\d\dT/)
  assert.deepEqual(fields, {
    level: 'info',
    port: 8080,
    snapshotId: 'VS-0001',
    msg: 'Serving at http://127.0.0.1:8080',
  })
  assert.equal((JSON.parse(second) as { level: string }).level, 'error')
  assert.match(readLog({ FORMAT: 'text' }, false), READABLE)
})

test('a line in the journal has its priority, and none elsewhere', (t) => {
  const file = path.join(temporaryFolder(t), 'journal')
  const output = openSync(file, 'w')
  const { dev, ino } = fstatSync(output)
  for (const JOURNAL_STREAM of [`${dev}:${ino}`, `${dev}:${ino + 1}`]) {
    execFileSync(
      process.execPath,
      ['--no-warnings', '--input-type=module', '--eval', WRITE_LINES],
      { env: cleanEnvironment({ JOURNAL_STREAM }), stdio: ['ignore', output, 'inherit'] },
    )
  }
  closeSync(output)
  const starts = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.slice(0, 18))
  assert.deepEqual(starts, [
    '<6>{"level":"info"',
    '<3>{"level":"error',
    '{"level":"info","t',
    '{"level":"error","',
  ])
})

test('the log is readable on a terminal, in color unless NO_COLOR is set', terminal, () => {
  const colored = readLog({}, true)
  assert.ok(colored.includes('\u001B[36minfo \u001B[39m Serving'))
  assert.ok(colored.includes('\u001B[31merror\u001B[39m Database'))
  assert.ok(!colored.includes('\u001B[31mrefused'))
  assert.match(readLog({ NO_COLOR: '1' }, true), READABLE)
  assert.match(readLog({ FORMAT: 'json' }, true), /^\{"level":"info","time"/)
})
