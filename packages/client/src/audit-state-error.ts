/** Why a saved head cannot be compared with a service. */
export type AuditStateFault =
  /** It was saved by an audit of another origin. */
  | 'OTHER_ORIGIN'
  /** The service moved, and the saved head does not announce its signing key. */
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
