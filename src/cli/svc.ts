import { type CommandOutput, EXIT_CODES, type ExitCode } from './command.ts'
import { runProgram } from './program.ts'

const output: CommandOutput = {
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
}

/** What became of the command, and of what it wrote. */
const ending: { code: ExitCode | undefined; unwritten: Error | undefined } = {
  code: undefined,
  unwritten: undefined,
}

/** Tells, once the command is done, that its results are not where they should be; unless it failed and said why. */
function settle(): void {
  if (ending.code === undefined) return
  process.exitCode = ending.code
  if (ending.unwritten === undefined || ending.code !== EXIT_CODES.done) return
  ending.code = EXIT_CODES.failure
  process.exitCode = ending.code
  output.error(`svc: standard output: could not be written (${ending.unwritten.message})`)
}

// A reader that has seen enough (`| head`) is no failure of the command. A full disk is, and is known after the command
// has written, maybe after it is done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  ending.unwritten ??= error
  settle()
})
// Ignore write errors on stderr; the exit code still reports the result.
process.stderr.on('error', () => {})

// Not process.exit(): what was written to a pipe must get out first.
ending.code = await runProgram(process.argv.slice(2), output)
settle()
