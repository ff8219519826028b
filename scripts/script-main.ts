import path from 'node:path'
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { UsageError } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { messageOf } from '@public-api/contract/errors/error-message'

/** `parseArgs` of node:util, strict, with UsageError. Adds `--help`. */
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
    throw new UsageError(messageOf(error).replace(/\. .*$/s, ''))
  }
}

/** Options of a script. */
interface Script<Options extends ParseArgsOptionsConfig> {
  /** The output of `--help`, ending in a line break. */
  readonly help: string
  /** All but `--help`, as node:util's `parseArgs` knows them; default: none. */
  readonly options?: Options
  /** Whether positional arguments are accepted. Default: false. */
  readonly takesArguments?: boolean
  /** Runs the script and returns the exit code. Throws a UsageError for invalid values. */
  readonly run: (parsed: ReturnType<typeof parseScriptArgs<Options>>) => Promise<number> | number
}

/**
 * Runs a script if its module is the main program, and not if it is imported. The exit code is that of `run`, 0 after
 * `--help`, and 2 after wrong usage, which is reported in one line. Any other error is a defect and prints its stack.
 */
export async function runScript<const Options extends ParseArgsOptionsConfig>(
  { main, filename }: ImportMeta,
  { help, options = {} as Options, takesArguments = false, run }: Script<Options>,
): Promise<void> {
  if (!main) return
  try {
    const parsed = parseScriptArgs(process.argv.slice(2), options, takesArguments)
    // `in` check because the generic options type does not include `help`.
    if ('help' in parsed.values) process.stdout.write(help)
    else process.exitCode = await run(parsed)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const command = `npx node ${path.relative(process.cwd(), filename)}`
    process.stderr.write(`${formatErrorLine(error.message, command)}\n`)
    process.exitCode = 2
  }
}
