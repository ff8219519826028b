import { createInterface } from 'node:readline/promises'
import { text as readAll } from 'node:stream/consumers'

import { UsageError } from '@public-api/command/command'

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
