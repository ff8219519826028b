import path from 'node:path'
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { messageOf } from '../src/contract/error-message.ts'

/** A script was called in a way it does not know. The message is one line that says what was expected. */
export class ScriptUsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ScriptUsageError'
  }
}

/** `parseArgs` of node:util, strict, with its errors as ScriptUsageError. `--help` is known besides what is named. */
export function parseScriptArgs<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  takesArguments = false,
) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean' } } as const,
      allowPositionals: takesArguments,
    })
    return { values, positionals: positionals as readonly string[] }
  } catch (error) {
    // Only the first sentence: the rest is advice for who wants a word that begins with a dash.
    throw new ScriptUsageError(messageOf(error).replace(/\. .*$/s, ''))
  }
}

/** What a script that is called by itself is made from. */
interface Script<Options extends ParseArgsOptionsConfig> {
  /** The output of `--help`, ending in a line break. */
  readonly help: string
  /** All but `--help`, as node:util's `parseArgs` knows them; default: none. */
  readonly options?: Options
  /** Whether positional arguments are accepted. Default: false. */
  readonly takesArguments?: boolean
  /** Does the work and gives the exit code. Throws a ScriptUsageError for values that it does not know. */
  readonly run: (parsed: ReturnType<typeof parseScriptArgs<Options>>) => Promise<number> | number
}

/**
 * Runs a script where its module is the program, and nothing where it is imported. The exit code is the one that `run`
 * gives, 0 after `--help`, and 2 after wrong usage, which is reported in one line. Anything else that `run` throws is a fault of
 * the script and ends it with its stack.
 */
export async function runScript<const Options extends ParseArgsOptionsConfig>(
  { main, filename }: ImportMeta,
  { help, options = {} as Options, takesArguments = false, run }: Script<Options>,
): Promise<void> {
  if (!main) return
  try {
    const parsed = parseScriptArgs(process.argv.slice(2), options, takesArguments)
    // Looked for: the type of options that are any cannot say that help is one of them.
    if ('help' in parsed.values) process.stdout.write(help)
    else process.exitCode = await run(parsed)
  } catch (error) {
    if (!(error instanceof ScriptUsageError)) throw error
    const name = path.basename(filename, '.ts')
    process.stderr.write(`${name}: ${error.message} (see --help)\n`)
    process.exitCode = 2
  }
}
