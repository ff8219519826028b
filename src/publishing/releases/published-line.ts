import { findLeaks } from '../leaks/leak-guard.ts'
import { PublishError } from '../rules/publish-error.ts'
import { checkText } from '../rules/value-rules.ts'
import { MAX_NOTE_LENGTH } from './version-note.ts'

/** Checks a line that will be published. `name` is its name in an error. Throws a PublishError. */
export function checkLine(name: string, line: string): void {
  const refuse = (found: string, expected: string) => {
    throw new PublishError('NOTE', `${name} has ${found}; expected ${expected}`)
  }
  const isBlank = line.trim() === ''
  if (isBlank || line.length > MAX_NOTE_LENGTH) {
    const found = isBlank ? 'no text' : `${line.length} characters`
    refuse(found, `1 to ${MAX_NOTE_LENGTH} characters`)
  }
  if (line.includes('\n')) refuse('a line break', 'one line of text')
  if (line !== line.trim()) refuse('white space at the start or end', 'text without it')
  for (const { found, expected } of checkText(line, [])) refuse(found, expected)
}

/** Checks a line that will be published, also with the leak guard. Rejects with a PublishError. */
export async function guardLine(name: string, line: string): Promise<void> {
  checkLine(name, line)
  const { leaks: mistakes } = await findLeaks([{ file: name, text: line }])
  if (mistakes.length === 0) return
  throw new PublishError('NOTE', `${name} must not be published`, { mistakes })
}
