import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { CommandTable } from '@public-api/cli-kit/command'
import { runProgram } from '@public-api/cli-kit/run-program'
import { AUDITOR_COMMANDS } from '@public-api/cli/src/commands.ts'
import { COMMANDS } from '../../src/cli/program.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { failedWith, svc } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function printScript(shell: string, commands = COMMANDS): Promise<string> {
  const lines: string[] = []
  const output = {
    out: (line: string) => lines.push(line),
    error: (line: string) => lines.push(line),
  }
  const program = { commands, version: () => '' }
  assert.equal(await runProgram(program, ['completion', shell], output), 0)
  return `${lines.join('\n')}\n`
}

/** A folder with a file and a folder whose names contain a space. */
function makeFolder(t: TestContext): string {
  const folder = temporaryFolder(t)
  writeFileSync(path.join(folder, 'a file.txt'), '')
  mkdirSync(path.join(folder, 'a folder'))
  return folder
}

/** Runs the shell once with a call for each line of words, and returns what each offers. */
function askShell(
  program: string,
  cwd: string,
  before: string,
  calls: readonly (readonly string[])[],
) {
  const quoted = calls.map((words) => {
    const each = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
    return `ask ${each.join(' ')}; printf '%s\\n' ----`
  })
  const script = `${before}\n${quoted.join('\n')}\n`
  const args = program === 'zsh' ? ['-f', '-s'] : ['--norc', '-s']
  const text = execFileSync(program, args, {
    cwd,
    input: script,
    encoding: 'utf8',
    timeout: 600_000,
  })
  const answers = text.split('----\n').slice(0, -1)
  assert.equal(answers.length, calls.length)
  return answers.map((each) => each.split('\n').filter((line) => line !== ''))
}

const ASK = `
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s\\n' "\${COMPREPLY[@]}"; }`

/** How each shell reads the script; zsh runs it as its functions for bash do. */
const SHELLS = [
  { program: 'bash', before: ASK, skip: false },
  {
    program: 'zsh',
    before: `compdef() { : }; setopt ksharrays shwordsplit${ASK}`,
    skip: !hasProgram('zsh') && 'zsh is not installed',
  },
] as const

/** Every command and action with its options, read from the tables without the code of the completion. */
async function* everyCommand(
  table: CommandTable,
  before: readonly string[] = [],
): AsyncGenerator<{ readonly words: readonly string[]; readonly offered: readonly string[] }> {
  yield {
    words: [...before],
    offered: Object.keys(table),
  }
  for (const [name, [, entry]] of Object.entries(table)) {
    const command = typeof entry === 'function' ? (await entry()).command : entry
    const words = [...before, name]
    if ('actions' in command) yield* everyCommand(command.actions, words)
    else yield { words, offered: Object.keys(command.options).map((option) => `--${option}`) }
  }
}

for (const [title, table] of [
  ['the service', COMMANDS],
  ['the auditors', AUDITOR_COMMANDS],
] as const) {
  test(`bash completes every command, action and option of ${title}`, async (t) => {
    const all = await Array.fromAsync(everyCommand(table))
    const before = (await printScript('bash', table)) + ASK
    const calls = all.map(({ words, offered }) => [
      'svc',
      ...words,
      offered[0]?.startsWith('--') === true ? '--' : '',
    ])
    const answers = askShell('bash', temporaryFolder(t), before, calls)
    for (const [index, { words, offered }] of all.entries()) {
      const own = (each: string) => each !== '--json' && each !== '--help'
      const expected = [...offered, ...(words.length === 0 ? ['--version'] : [])]
      assert.deepEqual(
        new Set(answers[index]?.filter(own)),
        new Set(expected.filter(own)),
        words.join(' '),
      )
    }
    assert.ok(all.length >= Object.keys(table).length)
  })
}

const CASES: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['ch'], ['check']],
  [
    ['waitlist', 'e'],
    ['export', 'erase', 'expire'],
  ],
  [
    ['waitlist', 'export', '--format', ''],
    ['csv', 'jsonl', 'listmonk'],
  ],
  [['waitlist', 'export', '--format', 'js'], ['jsonl']],
  [['api-keys', 'list', '--status', 'r'], ['revoked']],
  [
    ['incident', 'open', '--impact', 'm'],
    ['minor', 'major'],
  ],
  // A value that is not known, and a command that does not exist.
  [['publish', '--note', ''], []],
  [['unknown', ''], []],
]

const FILE_CASES: typeof CASES = [
  [['check', '--content', ''], ['a folder']],
  [
    ['db', 'backup', 'a'],
    ['a file.txt', 'a folder'],
  ],
  [
    ['db', 'backup', '--database', 'a f'],
    ['a file.txt', 'a folder'],
  ],
  // As bash splits --format=l.
  [['waitlist', 'export', '--format', '=', 'l'], ['listmonk']],
  [
    ['waitlist', 'export', '--format', '='],
    ['csv', 'jsonl', 'listmonk'],
  ],
]

for (const { program, before, skip } of SHELLS) {
  test(`${program} completes values, and names of files with spaces`, { skip }, async (t) => {
    const script = `${before}\n${await printScript(program)}`
    const all = [...CASES, ...FILE_CASES]
    const calls = all.map(([words]) => ['svc', ...words])
    const answers = askShell(program, makeFolder(t), script, calls)
    for (const [index, [words, offered]] of all.entries()) {
      // zsh itself leaves out what does not start with the word.
      const typed = (words.at(-1) ?? '').replace('=', '')
      const shown = answers[index]?.filter((each) => each.startsWith(typed))
      assert.deepEqual(shown?.toSorted(), offered.toSorted(), words.join(' '))
    }
  })
}

test('another shell is wrong usage', async () => {
  for (const args of [['fish'], []]) {
    assert.match(failedWith(2, await svc('completion', ...args)), /bash or zsh/)
  }
})
