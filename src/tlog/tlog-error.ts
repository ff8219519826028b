import { messageOf } from '@public-api/contract/errors/error-message'

/** Why the log was not created, extended or read. */
export type TlogFault =
  /** The folder has no log. */
  | 'NO_LOG'
  /** The folder has a log already. */
  | 'LOG_EXISTS'
  /** The origin, an option or the policy is invalid. */
  | 'INVALID'
  /** A key is missing or is not one of the log. */
  | 'LOG_KEY'
  /** The versions do not extend what the log signed. */
  | 'BEHIND'
  /** A file cannot be read or written. */
  | 'LOG_FILE'

/** The log was left as it was. The message is one line for the operator. */
export class TlogError extends Error {
  readonly code: TlogFault

  constructor(code: TlogFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'TlogError'
    this.code = code
  }
}

/** What `read` reads of a file; undefined for a missing one. Throws a TlogError for one that cannot be read. */
export function readTlog<Value>(
  file: string,
  read: () => Value,
  code: TlogFault = 'LOG_FILE',
): Value | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new TlogError(code, `${file} cannot be read: ${messageOf(error)}`, error)
  }
}

/** Changes a file or a folder. Throws a TlogError if it cannot be written. */
export function writeTlog(file: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    throw new TlogError('LOG_FILE', `${file} cannot be written: ${messageOf(error)}`, error)
  }
}
