import type { ContentMistake } from './content-mistake.ts'

/** Why nothing was published. */
export type PublishFault =
  /** The content has mistakes; `mistakes` lists them all. */
  | 'CONTENT'
  /** The published history is damaged, so no version can follow it. */
  | 'HISTORY'
  /** The content is not based on the newest version, and would undo what came in between. */
  | 'BASE'
  /** The note, or the reason of a redaction, cannot be published. */
  | 'NOTE'
  /** Another publisher was faster. */
  | 'CONFLICT'
  /** The version, or the resource in it, does not exist or cannot be used. */
  | 'VERSION'
  /** What the caller named cannot be a version. */
  | 'USAGE'
  /** The content was redacted. Publishing it again would undo the redaction. */
  | 'REDACTED'
  /** The release folder cannot be written. Publishing again shows whether the version was published after all. */
  | 'STORAGE'

/** Nothing was published; the newest version is still the one before. The message is one line for the operator. */
export class PublishError extends Error {
  readonly code: PublishFault
  readonly mistakes: readonly ContentMistake[]

  constructor(
    code: PublishFault,
    message: string,
    details: ErrorOptions & { readonly mistakes?: readonly ContentMistake[] } = {},
  ) {
    super(message, details)
    this.name = 'PublishError'
    this.code = code
    this.mistakes = details.mistakes ?? []
  }
}
