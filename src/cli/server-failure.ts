import { CommandFailure } from '../../packages/cli/src/command/command-failure.ts'
import { EXIT_CODES } from '../../packages/cli/src/command/command.ts'
import { ConfigError } from '../config.ts'
import { AgeError } from '../crypto/age-file.ts'
import { StorageError } from '../storage/storage-error.ts'

/** An expected error of the server's modules as a failure of a command; undefined for any other error. */
export function serverFailureOf(error: unknown): CommandFailure | undefined {
  if (error instanceof ConfigError) {
    const { message, mistakes } = error
    const more = { details: mistakes, members: { mistakes } }
    return new CommandFailure('CONFIGURATION', message, EXIT_CODES.failure, more)
  }
  if (error instanceof StorageError || error instanceof AgeError) {
    return new CommandFailure(error.code, error.message)
  }
  return undefined
}
