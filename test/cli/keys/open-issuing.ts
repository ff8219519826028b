import type { CommandOutput } from '@public-api/cli-kit/command'
import { runProgram } from '@public-api/cli-kit/run-program'
import { createIssueCommand } from '../../../src/cli/api-keys/issue-command.ts'
import { serverFailureOf } from '../../../src/cli/server-failure.ts'

/** The command under another registry value, which only code can give it: as a build after the pause was lifted. */
const COMMAND = createIssueCommand({
  enabled: true,
  approvedBy: 'a test',
  approvedAt: '2026-11-21',
  reference: 'decision 7',
})

/** Runs `svc api-keys issue` under a registry in which issuing is open. Resolves with the exit code. */
export function runOpenIssuing(args: readonly string[], output: CommandOutput): Promise<number> {
  const toFailure = async (error: unknown) => serverFailureOf(error)
  const program = { commands: { issue: ['', COMMAND] }, version: () => '', toFailure } as const
  return runProgram(program, ['issue', ...args], output)
}
