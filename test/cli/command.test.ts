import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Command,
  type CommandEntry,
  CommandFailure,
  createCommand,
  type ToFailure,
  UsageError,
} from '@public-api/cli-kit/command'
import { textOption, textOptions } from '@public-api/cli-kit/options'
import { loadCommand, runProgram } from '@public-api/cli-kit/run-program'
import { COMMANDS } from '../../src/cli/program.ts'
import { serverFailureOf } from '../../src/cli/server-failure.ts'
import { ConfigError } from '../../src/config-mistake.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import { failedWith, svc } from '../support/run-svc.ts'

const OPTIONS = { file: textOption('FILE: a file') }
const HELP = { usage: 'list', about: 'Lists files.' }

/** A command that ends in an error. */
function failing(error: Error, printsFailuresAsJson = true): Command {
  return createCommand({
    ...HELP,
    options: OPTIONS,
    printsFailuresAsJson,
    async run() {
      throw error
    },
  })
}

const toFailure: ToFailure = async (error) => serverFailureOf(error)

/** Runs a command that was called by `svc fail`, and what it writes. */
async function run(command: Command, ...args: readonly string[]) {
  const [out, error]: [string[], string[]] = [[], []]
  const output = {
    out: (line: string) => out.push(line),
    error: (line: string) => error.push(line),
  }
  const program = { commands: { fail: ['', command] }, version: () => '', toFailure } as const
  const code = await runProgram(program, ['fail', ...args], output)
  return { code, out, error }
}

test('reports a failure with the words of the command, its details and its exit code', async () => {
  const failure = new CommandFailure('NOT_THERE', 'no response arrived', {
    exitCode: 3,
    details: ['a: silent', 'b: silent'],
    members: { silent: ['a', 'b'] },
  })
  const error = ['error: no response arrived', 'a: silent', 'b: silent']
  assert.deepEqual(await run(failing(failure)), { code: 3, out: [], error })
  const ended = await run(failing(failure), '--json')
  assert.deepEqual([ended.code, ended.error], [3, error])
  assert.deepEqual(
    ended.out.map((line) => JSON.parse(line) as unknown),
    [{ ok: false, code: 'NOT_THERE', message: 'no response arrived', silent: ['a', 'b'] }],
  )
  assert.deepEqual(await run(failing(failure, false), '--json'), { code: 3, out: [], error })
})

test('reports configuration mistakes one by one, with --json too', async () => {
  const mistakes = ['SVC_A: expected one', 'SVC_B: expected two']
  const failure = new ConfigError([
    { variable: 'SVC_A', expected: 'one' },
    { variable: 'SVC_B', expected: 'two' },
  ])
  const { code, out, error } = await run(failing(failure), '--json')
  assert.equal(code, 1)
  assert.deepEqual(error, ['error: Invalid configuration (2 errors)', ...mistakes])
  assert.partialDeepStrictEqual(JSON.parse(out[0] ?? ''), { code: 'CONFIGURATION', mistakes })
})

test('a store that cannot work is a failure; wrong usage and faults of the program pass', async () => {
  const { code, error } = await run(failing(new StorageError('LOCKED', 'here')))
  assert.equal(code, 1)
  assert.match(error.join('\n'), /^error: here: the database is locked by another program$/)
  const fault = await run(failing(new TypeError('a fault')), '--json')
  assert.deepEqual([fault.code, fault.out, fault.error[0]], [1, [], 'error: a fault'])
  assert.match(fault.error[1] ?? '', /^TypeError: a fault\n +at /)
  assert.deepEqual(await run(failing(new UsageError('give one')), '--json'), {
    code: 2,
    out: [],
    error: ["error: give one. Run 'svc fail --help' for usage."],
  })
})

test('quotes unexpected arguments only if they are short options', async () => {
  const command = failing(new Error('not run'))
  const identity = 'AGE-SECRET-KEY-1QQQQQQQQQQQQQQ'
  const key = `svk_0123456789abcdef_${'S'.repeat(42)}_`
  const cases: readonly (readonly [args: readonly string[], message: string])[] = [
    [
      ['ada@example.org'],
      'expected options only, found an argument; a text with spaces needs quotes',
    ],
    [
      ['--json', '--', identity],
      'expected options only, found an argument; a text with spaces needs quotes',
    ],
    [[key], 'expected options only, found an argument; a text with spaces needs quotes'],
    [[`--${key.slice(0, 23)}`], 'unknown option'],
    [[`--${identity}`], 'unknown option'],
    [['--other'], "unknown option '--other'"],
    [['--other=secret'], "unknown option '--other'"],
    [['--jsn'], "unknown option '--jsn'; did you mean --json?"],
    [['--hepl'], "unknown option '--hepl'; did you mean --help?"],
    [['--file'], "option '--file <FILE>' argument missing"],
    [['--file', '--json'], 'expected a value after --file, found the option --json'],
    [['--json=secret'], "unknown option '--json'"],
  ]
  for (const [args, message] of cases) {
    const { code, error } = await run(command, ...args)
    assert.deepEqual(
      [code, error],
      [
        2,
        [`error: ${message}${message.endsWith('?') ? '' : '.'} Run 'svc fail --help' for usage.`],
      ],
    )
  }
})

test('a value may start with a dash, as a key ID does; what looks like an option is not a value', async () => {
  const command = createCommand({
    ...HELP,
    options: { ...OPTIONS, pin: textOptions('KEYID: a key') },
    takesArguments: true,
    async run({ values, positionals }, output) {
      output.out(JSON.stringify([values.pin, values.file, positionals]))
      return 0
    },
  })
  const cases: readonly (readonly [args: readonly string[], parsed: unknown])[] = [
    [
      ['--pin', '-Ab_1', '--pin=-cd', 'x'],
      [['-Ab_1', '-cd'], null, ['x']],
    ],
    [
      ['--pin', `--${'A'.repeat(41)}`],
      [[`--${'A'.repeat(41)}`], null, []],
    ],
    [
      ['--file', '-', '--', '--pin', '-x'],
      [null, '-', ['--pin', '-x']],
    ],
  ]
  for (const [args, parsed] of cases) {
    assert.deepEqual(JSON.parse((await run(command, ...args)).out.join('')), parsed)
  }
  for (const args of [
    ['--file', '--json'],
    ['--file', '-h'],
    ['--json', '-x'],
  ]) {
    assert.equal((await run(command, ...args)).code, 2, args.join(' '))
  }
})

test('prints the help of a command', async () => {
  const help = `Usage: svc list

Lists files.

Options:
  --file FILE  a file
  --json       print the result as one JSON object
  -h, --help   print this text

Exit code: 0 done, 1 failure, 2 wrong usage.`
  for (const args of [['--help'], ['--json', '-h'], ['--unknown', '--help']]) {
    const { code, out, error } = await run(failing(new Error('not run')), ...args)
    assert.deepEqual([code, out.join('\n'), error], [0, help, []])
  }
})

test('fills the lines of a description, and keeps paragraphs and indented lines', async () => {
  const about = `Writes a copy of everything into a folder, and asks no one for
anything
while it does.

Two ways:
  one line
  and another`
  const { out } = await run({ ...failing(new Error('not run')), about }, '--help')
  assert.deepEqual(out.join('\n').split('\n').slice(2, 9), [
    'Writes a copy of everything into a folder, and asks no one for anything while it',
    'does.',
    '',
    'Two ways:',
    '  one line',
    '  and another',
    '',
  ])
})

/** The help of a command, and of each of its actions. */
async function* helpsOf(words: readonly string[], entry: CommandEntry): AsyncGenerator<string> {
  const command = await loadCommand(entry)
  yield (await svc(...words, '--help')).out
  if (!('actions' in command)) return
  for (const [name, [, action]] of Object.entries(command.actions)) {
    yield* helpsOf([...words, name], action)
  }
}

test('no line of a help ends before the next word would not fit', async () => {
  for (const [name, [, entry]] of Object.entries(COMMANDS)) {
    for await (const help of helpsOf([name], entry)) {
      const [, about = ''] = /\n\n([^]*?)\n\n(?:Options|Actions):/.exec(help) ?? []
      assert.notEqual(about, '', help)
      const lines = about.split('\n')
      for (const [index, line] of lines.entries()) {
        const [, word] = /^(?!- )(\S+)/.exec(lines[index + 1] ?? '') ?? []
        const isProse = /^(?!- )\S/.test(line) && word !== undefined
        if (isProse) assert.ok(`${line} ${word}`.length > 80, `${help.split('\n')[0]}: ${line}`)
      }
    }
  }
})

test('prints warnings on standard error, after the result', async () => {
  const command = createCommand({
    ...HELP,
    options: OPTIONS,
    run: async () => ({ json: {}, lines: ['Published.', 'Warning: a.', '  changed: b'] }),
  })
  const { out, error } = await run(command)
  assert.deepEqual([out, error], [['Published.', '  changed: b'], ['Warning: a.']])
})

test('names the word that was found in place of an action', async () => {
  const error = failedWith(2, await svc('help', 'incident', 'nonsense'))
  assert.match(error, /expected an action: open, .*, found 'nonsense'/)
  const secret = `AGE-SECRET-KEY-1${'A'.repeat(40)}`
  assert.ok(!(await svc('help', 'incident', secret)).error.includes(secret))
})
