import { type CommandOutput, EXIT_CODES, type ExitCode } from '../command.ts'
import { UnreachableError } from './requests.ts'

/** Tells in one line, for `--json` as one object too, that nothing answered; that has an exit code of its own. */
export async function tellingUnreachable(
  name: string,
  json: boolean,
  output: CommandOutput,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    output.error(`svc ${name}: ${error.message}`)
    if (json) {
      output.out(JSON.stringify({ ok: false, code: 'UNREACHABLE', message: error.message }))
    }
    return EXIT_CODES.unreachable
  }
}
