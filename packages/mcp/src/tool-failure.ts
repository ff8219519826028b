/** A tool cannot return what was asked. The message is written here and quotes nothing that was received. */
export class ToolFailure extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'ToolFailure'
    this.code = code
  }
}
