/** Why a saved head cannot be compared with a service. */
export type AuditStateFault =
  /** It was saved by an audit of another origin. */
  | 'OTHER_ORIGIN'
  /** The service moved, and the saved head does not announce its signing key. */
  | 'OTHER_KEYS'

/**
 * The saved head belongs to another service, so the audit did not compare anything with it.
 *
 * @example
 * ```ts
 * if (error instanceof AuditStateError && error.code === 'OTHER_ORIGIN') {
 *   console.error('The saved head belongs to another service; use another store.')
 * }
 * ```
 */
export class AuditStateError extends Error {
  /** Why the saved head cannot be compared. */
  readonly code: AuditStateFault

  constructor(code: AuditStateFault, message: string) {
    super(message)
    this.name = 'AuditStateError'
    this.code = code
  }
}
