export const STORAGE_FAILURES = {
  LOCKED: 'the database is locked by another program',
  FULL: 'the disk is full, or a limit on file sizes is reached',
  IO: 'the database could not be read or written',
  UNREACHABLE: 'the database server could not be reached',
  TLS: 'the TLS connection to the database server failed',
  TLS_FILE: 'a certificate or key file that the URL names could not be read',
  CLOSED: 'the store is closed',
  MISSING: 'the database does not exist',
  IRREGULAR: 'found a link, a folder or a special file; expected a regular file',
  EXISTS: 'the file exists and was left unchanged',
  NEWER: 'the database was written by a newer version of this software',
  OLDER: 'the database was written by an older version of this software',
  REFUSED: 'the server refused the user, the password or a permission',
  SERVER_TOO_OLD: 'the server is older than PostgreSQL 15',
  NOT_A_DATABASE: 'the file is damaged or not a database of this service',
  DAMAGED: 'the database is damaged; restore a backup with svc db restore',
} as const

export type StorageFailure = keyof typeof STORAGE_FAILURES

/** Failures that resolve without a change of configuration; the store recovers by itself. */
const TRANSIENT: ReadonlySet<StorageFailure> = new Set([
  'LOCKED',
  'FULL',
  'IO',
  'UNREACHABLE',
  // A certificate is renewed on the server.
  'TLS',
])

/** A store could not do its work. The message names the file and never a value. */
export class StorageError extends Error {
  readonly code: StorageFailure

  /** `detail` is an error code of the system. */
  constructor(
    code: StorageFailure,
    where: string,
    { detail, ...options }: ErrorOptions & { readonly detail?: string } = {},
  ) {
    super(
      `${where}: ${STORAGE_FAILURES[code]}${detail === undefined ? '' : ` (${detail})`}`,
      options,
    )
    this.name = 'StorageError'
    this.code = code
  }
}

/** Whether the same call may succeed later. */
export function isTransient(error: unknown): error is StorageError {
  return error instanceof StorageError && TRANSIENT.has(error.code)
}
