import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Command,
  CommandFailure,
  createCommand,
  runNamed,
  type ToFailure,
  UsageError,
} from '@public-api/cli-kit/command'
import { textOption, textOptions } from '@public-api/cli-kit/options'
import { serverFailureOf } from '../../src/cli/server-failure.ts'
import { ConfigError } from '../../src/config-mistake.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'

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

/** Runs a command that was called by `svc list fail`, and what it writes. */
async function run(command: Command, ...args: readonly string[]) {
  const [out, error]: [string[], string[]] = [[], []]
  const output = {
    out: (line: string) => out.push(line),
    error: (line: string) => error.push(line),
  }
  const code = await runNamed('fail', command, args, output, toFailure)
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
  const fault = new TypeError('a fault')
  await assert.rejects(run(failing(fault), '--json'), fault)
  await assert.rejects(run(failing(new UsageError('give one')), '--json'), {
    name: 'UsageError',
    message: 'give one',
    command: ['fail'],
  })
})

test('quotes unexpected arguments only if they are short options', async () => {
  const command = failing(new Error('not run'))
  const identity = 'AGE-SECRET-KEY-1QQQQQQQQQQQQQQ'
  const key = `svk_0123456789abcdef_${'S'.repeat(42)}_`
  const cases: readonly (readonly [args: readonly string[], message: string])[] = [
    [['ada@example.org'], 'expected options only, found an argument'],
    [['--json', '--', identity], 'expected options only, found an argument'],
    [[key], 'expected options only, found an argument'],
    [[`--${key.slice(0, 23)}`], 'unknown option'],
    [[`--${identity}`], 'unknown option'],
    [['--other'], 'unknown option --other'],
    [['--other=secret'], 'unknown option --other'],
    [['--jsn'], 'unknown option --jsn; did you mean --json?'],
    [['--hepl'], 'unknown option --hepl; did you mean --help?'],
    [['--file'], "Option '--file <value>' argument missing"],
    [['--json=secret'], "Option '--json' does not take an argument"],
  ]
  for (const [args, message] of cases) {
    await assert.rejects(run(command, ...args), { name: 'UsageError', message }, args.join(' '))
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
    await assert.rejects(run(command, ...args), { name: 'UsageError' }, args.join(' '))
  }
})

test('help is printed, unless something else is wrong', async () => {
  const command = failing(new Error('not run'))
  const help = `Usage: svc list

Lists files.

Options:
  --file FILE  a file
  --json       print the result as one JSON object
  -h, --help   print this text

Exit code: 0 done, 1 failure, 2 wrong usage.`
  const ended = { code: 0, out: [help], error: [] }
  assert.deepEqual(await run(command, '--help'), ended)
  assert.deepEqual(await run(command, '--json', '-h'), ended)
  await assert.rejects(run(command, '--help', 'more'), UsageError)
})
