import { createInterface } from 'node:readline/promises'
import { text as readAll } from 'node:stream/consumers'
import { CommandFailure, UsageError } from '@public-api/cli-kit/command'

/**
 * Reads one line from the terminal or a pipe. Keeps the text out of the shell history. Empty lines are skipped. `what`
 * names the text, such as `address`. Rejects with a UsageError for several lines.
 */
export async function readOneLine(what: string, prompt: string): Promise<string> {
  const text = process.stdin.isTTY ? await ask(prompt) : await readAll(process.stdin)
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1) throw new UsageError(`expected one ${what} on standard input`)
  return lines[0] ?? ''
}

async function ask(prompt: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(prompt)
  } finally {
    terminal.close()
  }
}

/**
 * Asks before something that cannot be undone. `consequence` completes the message of a refusal, such as `nothing was
 * removed`. Rejects with a CommandFailure for any answer but yes, and with a UsageError if there is no terminal.
 */
export async function confirm(question: string, consequence: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new UsageError(`expected --yes, because standard input is not a terminal; ${consequence}`)
  }
  if (/^y(?:es)?$/i.test((await ask(question)).trim())) return
  throw new CommandFailure('NOT_CONFIRMED', `not confirmed; ${consequence}`)
}
