import { type CommandOutput, EXIT_CODES, type ExitCode } from './command.ts'
import { formatErrorLine } from './error-line.ts'

const output: CommandOutput = {
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
}

/**
 * Runs a program with the arguments of the process, and sets the exit code of the process. Not a promise: a module that
 * awaits one which nothing keeps alive ends with code 13.
 */
export function runProcess(
  run: (args: readonly string[], output: CommandOutput) => Promise<ExitCode>,
): void {
  /** The exit code of the command, and the error of its output stream. */
  const ending: { code: ExitCode | undefined; unwritten: Error | undefined } = {
    code: undefined,
    unwritten: undefined,
  }

  /** Reports lost output after the command, unless the command has already reported a failure. */
  function settle(): void {
    if (ending.code === undefined) return
    process.exitCode = ending.code
    if (ending.unwritten === undefined || ending.code !== EXIT_CODES.done) return
    ending.code = EXIT_CODES.failure
    process.exitCode = ending.code
    output.error(
      formatErrorLine(`standard output: could not be written (${ending.unwritten.message})`),
    )
  }

  // A reader that closed the pipe (`| head`) is not a failure. A full disk is, and may be reported after the command ended.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    ending.unwritten ??= error
    settle()
  })
  // Ignore write errors on stderr; the exit code still reports the result.
  process.stderr.on('error', () => {})

  // A wait that keeps nothing open, such as one for an unreferenced timer, would end the process as if it was done.
  process.once('beforeExit', () => {
    if (ending.code !== undefined) return
    output.error(formatErrorLine('the command ended before it finished; this is a defect of svc'))
    process.exitCode = EXIT_CODES.failure
  })

  // Not process.exit(): output to a pipe must be flushed first.
  void run(process.argv.slice(2), output).then((code) => {
    ending.code = code
    settle()
  })
}
