import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { collectText } from '../support/collect-text.ts'
import { serve } from '../support/loopback-server.ts'
import { outcomeOf, SVC } from '../support/run-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A line of `svc preview --json`. */
interface PreviewLine {
  readonly url?: string
  readonly mistakes?: readonly { readonly file: string }[]
}

/** Runs a line of the shell, in which `svc` stands for the program; the shell's own exit code and standard error. */
function shell(line: string) {
  const program = 'svc() { "$NODE" "$SVC" "$@"; }'
  return outcomeOf(
    spawn('/bin/sh', ['-c', `${program}\n${line}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE: process.execPath, SVC },
    }),
  )
}

test('reports a full disk behind standard output in one line and exits with 1', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('there is no /dev/full')
  for (const args of [
    '--help',
    '--version',
    'doctor --list',
    'doctor --list --json',
    'api-keys --help',
  ]) {
    const { status, error } = await shell(`svc ${args} >/dev/full`)
    assert.equal(status, 1, args)
    assert.match(error, /^error: standard output: could not be written \(ENOSPC: [^\n]+\)\n$/)
  }
})

test('a reported failure keeps its exit code if later output fails', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('there is no /dev/full')
  const origin = await serve(t, (_request, response) => response.end('{}'))
  const unsound = await shell(`svc verify ${origin}/api/v1/status >/dev/full`)
  assert.equal(unsound.status, 1)
  assert.match(unsound.error, /^error: MALFORMED|^error: UNSIGNED/)
  assert.doesNotMatch(unsound.error, /^ +at /m)
  assert.equal((await shell('svc nonsense 2>/dev/full')).status, 2)
  assert.equal((await shell('svc doctor --list 2>/dev/full >/dev/full')).status, 1)
})

test('a reader that closes the pipe early is not a failure', async () => {
  for (const args of [['doctor', '--list'], ['doctor', '--list', '--json'], ['--help']]) {
    const child = spawn(process.execPath, [SVC, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    // Closed before the program can have written.
    child.stdout.destroy()
    const error = collectText(child.stderr)
    const status = await new Promise<number | null>((resolve) => {
      child.on('close', resolve)
    })
    assert.deepEqual([status, error.text], [0, ''], args.join(' '))
  }
})

test('svc preview --json prints its URL and each change, safe for a terminal, until a signal', async (t) => {
  const folder = temporaryFolder(t)
  const contentDir = path.join(folder, 'a\u009B31m')
  mkdirSync(contentDir)
  writeFileSync(path.join(contentDir, 'status.yaml'), 'state: wrong\n')
  const releases = path.join(folder, 'releases')
  const child = spawn(
    process.execPath,
    [SVC, 'preview', '--content', contentDir, '--releases', releases, '--port', '0', '--json'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const outcome = outcomeOf(child)
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (lines.length === 2) child.kill('SIGTERM')
  }
  assert.equal((await outcome).status, 0)
  assert.doesNotMatch(lines.join(''), /\p{Cc}/u)
  const [change, address] = lines
    .map((line) => JSON.parse(line) as PreviewLine)
    .toSorted((a, b) => (a.url === undefined ? -1 : b.url === undefined ? 1 : 0))
  assert.match(address?.url ?? '', /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.ok(change?.mistakes?.some(({ file }) => file === path.join(contentDir, 'status.yaml')))
  assert.ok(lines.some((line) => line.includes(String.raw`a\u009b31m`)))
})
