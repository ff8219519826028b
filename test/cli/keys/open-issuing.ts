import type { CommandOutput } from '@public-api/cli-kit/command'
import { EXIT_CODES, runNamed, UsageError } from '@public-api/cli-kit/command'
import { createIssueCommand } from '../../../src/cli/keys/issue-command.ts'
import { serverFailureOf } from '../../../src/cli/server-failure.ts'

/** The command under another registry value, which only code can give it: as a build after the pause was lifted. */
const COMMAND = createIssueCommand({
  enabled: true,
  approvedBy: 'a test',
  approvedAt: '2026-11-21',
  reference: 'decision 7',
})

/** Runs `svc keys issue` under a registry in which issuing is open. Resolves with the exit code. */
export async function runOpenIssuing(
  args: readonly string[],
  output: CommandOutput,
): Promise<number> {
  try {
    const toFailure = async (error: unknown) => serverFailureOf(error)
    return await runNamed('issue', COMMAND, args, output, toFailure)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    output.error(error.message)
    return EXIT_CODES.usage
  }
}
