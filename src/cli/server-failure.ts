import { CommandFailure, UsageError } from '@public-api/cli-kit/command'
import { escapeInvisible } from '@public-api/cli-kit/format-json'
import { pluralOf } from '@public-api/cli-kit/wording'
import { EntryKindError } from '@public-api/client-internal/node/own-path'
import { ConfigError } from '../config-mistake.ts'
import { AgeError } from '../crypto/age-file.ts'
import { SigningKeyError } from '../crypto/signing-keys.ts'
import { StatusEditError } from '../publishing/editing/edit-status.ts'
import { type ContentMistake, formatMistake } from '../publishing/rules/content-mistake.ts'
import { PublishError } from '../publishing/rules/publish-error.ts'
import { StorageError } from '../storage/stores/storage-error.ts'
import { TlogError } from '../tlog/tlog-error.ts'

/** An expected error of the server's modules as a failure of a command; undefined for any other error. Throws a UsageError. */
export function serverFailureOf(error: unknown): CommandFailure | undefined {
  if (error instanceof ConfigError) {
    const { message, lines } = error
    return new CommandFailure('CONFIGURATION', message, {
      details: lines,
      members: { mistakes: lines },
    })
  }
  if (error instanceof PublishError) {
    const { code, message, mistakes } = error
    if (code === 'USAGE') throw new UsageError(message)
    return new CommandFailure(code, message, {
      details: mistakeLines(mistakes),
      members: { mistakes },
    })
  }
  if (error instanceof StatusEditError) {
    if (error.kind === 'usage') throw new UsageError(error.message)
    return new CommandFailure('STATE', error.message)
  }
  if (error instanceof StorageError || error instanceof AgeError || error instanceof TlogError) {
    return new CommandFailure(error.code, error.message)
  }
  if (error instanceof EntryKindError) return new CommandFailure('FILE', error.message)
  if (error instanceof SigningKeyError) return new CommandFailure('SIGNING_KEYS', error.message)
  return undefined
}

/** Maximum number of printed mistakes; `--json` has all. */
const MAX_PRINTED = 100

/** Mistakes as lines for a person. */
export function mistakeLines(mistakes: readonly ContentMistake[]): readonly string[] {
  const more = mistakes.length - MAX_PRINTED
  return [
    ...mistakes.slice(0, MAX_PRINTED).map((mistake) => escapeInvisible(formatMistake(mistake))),
    ...(more > 0 ? [`and ${pluralOf(more, 'more mistake')}`] : []),
  ]
}

/** Runs work; `consequence` completes the message of an expected failure, such as `nothing was published`. */
export async function withConsequence<Result>(
  consequence: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const failure = serverFailureOf(error)
    if (failure === undefined) throw error
    const { code, message, more } = failure
    throw new CommandFailure(code, `${message}; ${consequence}`, more)
  }
}
