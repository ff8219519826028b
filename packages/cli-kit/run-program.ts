import { messageOf } from '@public-api/contract/errors/error-message'
import { Command as Commander, type CommanderError, Option } from 'commander'
import {
  type Command,
  type CommandEntry,
  type CommandGroup,
  type CommandOutput,
  type CommandTable,
  EXIT_CODES,
  type ExitCode,
  type ToFailure,
  UsageError,
} from './command.ts'
import { formatErrorLine } from './error-line.ts'
import type { CommandOption } from './options.ts'
import { looksLikeApiKey } from './whole-key.ts'

/** A program called `svc` with these commands. */
export interface Program {
  readonly commands: CommandTable
  /** Reads the version that `--version` prints. */
  readonly version: () => string
  readonly toFailure?: ToFailure
  /** Called before a command runs, after its arguments were parsed. May throw a UsageError. */
  readonly prepare?: () => void
  /** Commands that have another name now, by the old one. */
  readonly renamed?: { readonly [name: string]: string }
}

const WIDTH = 80

/** A text without the line ends of its source: those before or after an empty or an indented line stay. */
function joinLines(text: string): string {
  return text.replaceAll(/(?<=^\S.*)\n(?=\S)/gm, ' ')
}
/** Longer than any name of a command or an option. */
const MAX_REPEATED = 30

/** The usage error of an error of the parser. Words that may be secrets are left out, because messages may be logged. */
function toUsageError({ code, message }: CommanderError): UsageError {
  // It may be a key, an identity or an email address.
  if (code === 'commander.excessArguments') {
    return new UsageError(
      'expected options only, found an argument; a text with spaces needs quotes',
    )
  }
  const text = message.replace('error: ', '')
  const unknown = /^(unknown \w+) '([^=]*?)(?:=[^]*)?'(?:\n\(Did you mean (.*)\?\))?$/.exec(text)
  if (unknown === null) return new UsageError(text.split('\n')[0])
  const [, kind, name = '', similar] = unknown
  if (name.length > MAX_REPEATED || looksLikeApiKey(name)) return new UsageError(kind)
  const advice = similar === undefined ? '' : `; did you mean ${similar}?`
  return new UsageError(`${kind} '${name}'${advice}`)
}

/** Throws a UsageError for an option that begins with a dash of a phone, unless it is the value of an option. */
function refuseDashes({ options }: Command, args: readonly string[]): void {
  const isValue = (before = ''): boolean =>
    Object.entries(options).some(
      ([name, { type, short }]) =>
        type === 'string' && [`--${name}`, `-${short ?? '-'}`].includes(before),
    )
  for (const [index, text] of args.entries()) {
    const [, dash, name = ''] = /^([\u2013\u2014]-?)([a-z][\w-]*)/.exec(text) ?? []
    if (dash === undefined || isValue(args[index - 1])) continue
    const expected = Object.hasOwn(options, name) ? `--${name}` : 'two hyphens (--)'
    throw new UsageError(
      `found an option that begins with ${dash}, a dash that a phone types for two hyphens; expected ${expected}`,
    )
  }
}

/** Whether printing a help or the version ended the parser. */
function isHelp(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'commander.helpDisplayed' || code === 'commander.version'
}

/** Loads a command, unless it is loaded. */
export async function loadCommand(entry: CommandEntry): Promise<Command | CommandGroup> {
  return typeof entry === 'function' ? (await entry()).command : entry
}

function addOption(parser: Commander, name: string, option: CommandOption): void {
  const { type, value = 'VALUE', about, short, multiple = false, default: fallback } = option
  const letter = short === undefined ? '' : `-${short}, `
  const flags = `${letter}--${name}${type === 'boolean' ? '' : ` <${value}>`}`
  const added = new Option(flags, about.replaceAll(/\s+/g, ' '))
  // Names are those of the options: `--no-x` is `no-x`, and not a negated `x`.
  Object.assign(added, { negate: false, attributeName: () => name })
  if (type === 'boolean') added.default(false)
  else {
    added.default(fallback).argParser((text: string, before: unknown) => {
      const isOption =
        parser.options.some(({ long }) => long === text) || /^(?:-h|--help)$/.test(text)
      if (isOption)
        throw new UsageError(`expected a value after --${name}, found the option ${text}`)
      return multiple ? [...(Array.isArray(before) ? before : []), text] : text
    })
  }
  parser.addOption(added)
}

const PROGRAM_HELP = `
Exit code: 0 done, 1 a finding or a failure, 2 wrong usage, 3 no conclusion.
Run 'svc COMMAND --help' or 'svc help COMMAND' for a command.`

/** Parses the arguments of a program, and runs the command that they choose. */
async function runParsed(
  { commands, version, toFailure, prepare }: Program,
  args: readonly string[],
  output: CommandOutput,
  onCommand: (name: string) => void,
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT_CODES.done

  function addCommands(parser: Commander, table: CommandTable, first: string): void {
    let heading = first
    for (const [name, [summary, , group]] of Object.entries(table)) {
      heading = group ?? heading
      parser.command(name).summary(summary).helpGroup(heading)
    }
    parser.hook('preSubcommand', async (_, chosen) => {
      onCommand(chosen.name())
      const row = table[chosen.name()]
      if (row !== undefined) configure(chosen, await loadCommand(row[1]))
    })
  }

  function configure(parser: Commander, command: Command | CommandGroup): void {
    parser.usage([command.usage].flat().join('\n       svc ')).description(joinLines(command.about))
    if ('actions' in command) {
      command.checkArguments?.(args)
      const names = Object.keys(command.actions).join(', ')
      const action = args[args.indexOf(parser.name()) + 1] ?? '-'
      const isUnknown = !action.startsWith('-') && !Object.hasOwn(command.actions, action)
      const asksHelp = args.some((each) => each === '-h' || each === '--help')
      if (isUnknown && asksHelp) {
        const found =
          action.length > MAX_REPEATED || looksLikeApiKey(action) ? '' : `, found '${action}'`
        throw new UsageError(`expected an action: ${names}${found}`)
      }
      parser.helpCommand(false).exitOverride((error) => {
        if (error.code === 'commander.help') throw new UsageError(`expected an action: ${names}`)
        throw isHelp(error) ? error : toUsageError(error)
      })
      addCommands(parser, command.actions, 'Actions:')
      const advice = `\nRun 'svc ${command.usage.replace(' [options]', '')} --help' for its options.`
      return void parser.addHelpText('after', advice)
    }
    for (const [name, option] of Object.entries(command.options)) addOption(parser, name, option)
    refuseDashes(command, args)
    if (command.takesArguments) parser.argument('[arguments...]')
    const codes = `\nExit code: ${command.exit ?? '0 done, 1 failure, 2 wrong usage'}.`
    parser.addHelpText(
      'after',
      parser.createHelp().boxWrap(codes.replaceAll(/ *\n +/g, ' '), WIDTH),
    )
    parser.action(async () => {
      prepare?.()
      const parsed = { values: parser.opts(), positionals: parser.args }
      exitCode = await command.run(parsed, output, toFailure)
    })
  }

  const root = new Commander('svc')
    .usage('COMMAND [options]')
    .helpOption('-h, --help', 'print this text')
    .helpCommand(false)
    .version(version(), '--version', 'print the version of the software')
    .enablePositionalOptions()
    .addHelpText('after', PROGRAM_HELP)
    .exitOverride((error) => {
      throw isHelp(error) ? error : toUsageError(error)
    })
    .configureOutput({
      writeOut: (text) => output.out(text.replace(/\n$/, '')),
      writeErr() {},
      outputError() {},
    })
    .configureHelp({
      helpWidth: WIDTH,
      commandUsage: (parser) => `svc ${parser.usage()}`,
      optionTerm: ({ flags }) => flags.replaceAll(/[<>]/g, ''),
      optionDescription: ({ description, defaultValue }) =>
        typeof defaultValue === 'string'
          ? `${description} (default: ${defaultValue})`
          : description,
    })
  addCommands(root, commands, 'Commands:')
  await root.parseAsync(args, { from: 'user' })
  return exitCode
}

/** Runs a program with the arguments after its name. Prints a failure on one line and returns the exit code. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  output: CommandOutput,
): Promise<ExitCode> {
  /** The words of the last known command, for its help. */
  let place = 'svc'
  const [name = 'help', ...rest] = args
  try {
    const command = name === 'help' ? (rest[0] ?? '--help') : name
    const newName = new Map(Object.entries(program.renamed ?? {})).get(command)
    if (newName !== undefined) throw new UsageError(`svc ${command} is called svc ${newName} now`)
    const isKnown = command.startsWith('-') || Object.hasOwn(program.commands, command)
    const known = name === 'help' ? [...rest, '--help'] : args
    // Without --help, which would print the help of the program.
    const asked = isKnown ? known : [command]
    return await runParsed(program, asked, output, (word) => (place += ` ${word}`))
  } catch (error) {
    if (isHelp(error)) return EXIT_CODES.done
    if (error instanceof UsageError) {
      output.error(formatErrorLine(error.message, place))
      return EXIT_CODES.usage
    }
    output.error(formatErrorLine(messageOf(error)))
    if (error instanceof Error && error.stack !== undefined) output.error(error.stack)
    return EXIT_CODES.failure
  }
}
