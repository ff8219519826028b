import { UsageError } from '../command.ts'

/** Throws a UsageError for arguments of an action that takes none. They are not repeated: a key may be among them. */
export function requireNoArguments(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError('expected options only, found an argument')
}
