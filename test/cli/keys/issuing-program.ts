import { EXIT_CODES, runNamed, UsageError } from '../../../packages/cli/src/command/command.ts'
import { createIssueCommand } from '../../../src/cli/keys/issue-command.ts'
import { serverFailureOf } from '../../../src/cli/server-failure.ts'

// The command under another registry value, which only code can give it. It stands for a build after the pause was lifted.
const command = createIssueCommand({
  enabled: true,
  approvedBy: 'a test',
  approvedAt: '2026-11-21',
  reference: 'decision 7',
})

// As in the program: a write fails once its reader is gone.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const output = {
  out: (line: string) => process.stdout.write(`${line}\n`),
  error: (line: string) => process.stderr.write(`${line}\n`),
}

try {
  const toFailure = async (error: unknown) => serverFailureOf(error)
  const args = process.argv.slice(2)
  process.exitCode = await runNamed('issue', command, args, output, ['keys'], toFailure)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = EXIT_CODES.usage
}
