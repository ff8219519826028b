/** Why a saved head cannot be compared with a service. */
export type AuditStateFault =
  /** It was saved by an audit of another origin. */
  | 'OTHER_ORIGIN'
  /** The service moved, and its signing key is none that the saved head announces. */
  | 'OTHER_KEYS'

/** The saved head belongs to another service, so the audit did not compare anything with it. */
export class AuditStateError extends Error {
  readonly code: AuditStateFault

  constructor(code: AuditStateFault, message: string) {
    super(message)
    this.name = 'AuditStateError'
    this.code = code
  }
}
