import { CommandFailure, UsageError } from '@public-api/cli-kit/command'
import { EntryKindError } from '@public-api/client-internal/node/own-path'
import { ConfigError } from '../config-mistake.ts'
import { AgeError } from '../crypto/age-file.ts'
import { SigningKeyError } from '../crypto/signing-keys.ts'
import { StatusEditError } from '../publishing/editing/edit-status.ts'
import { PublishError } from '../publishing/rules/publish-error.ts'
import { StorageError } from '../storage/stores/storage-error.ts'
import { TlogError } from '../tlog/tlog-error.ts'
import { mistakeLines } from './releases-folder.ts'

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
