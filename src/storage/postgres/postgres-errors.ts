import { StorageError, type StorageProblem } from '../storage-error.ts'

/** SQLSTATE codes with a special meaning (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const PROBLEM_OF_STATE: ReadonlyMap<string, StorageProblem> = new Map([
  // disk_full
  ['53100', 'FULL'],
  // lock_not_available, query_canceled: lock_timeout and statement_timeout
  ['55P03', 'LOCKED'],
  ['57014', 'LOCKED'],
  // invalid_authorization_specification, invalid_password, insufficient_privilege
  ['28000', 'REFUSED'],
  ['28P01', 'REFUSED'],
  ['42501', 'REFUSED'],
  // invalid_catalog_name
  ['3D000', 'MISSING'],
])

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** Codes of node:tls and OpenSSL, and the driver's message when the server has no TLS. */
const TLS_FAILURE = /CERT|ISSUER|SIGNATURE|^ERR_(?:TLS|SSL|OSSL)|does not support SSL/

/** Why no connection could be made, with the code of the failure; undefined for other failures. */
function connectionProblemOf(
  error: unknown,
): { readonly problem: StorageProblem; readonly detail: string } | undefined {
  if (!(error instanceof Error)) return undefined
  const detail = codeOf(error) ?? error.message
  const syscall = 'syscall' in error ? error.syscall : undefined
  // The driver opens files only for TLS. A folder is opened and cannot be read.
  if (syscall === 'open' || detail === 'EISDIR') return { problem: 'TLS_FILE', detail }
  if (syscall === 'connect' || syscall === 'getaddrinfo') return { problem: 'UNREACHABLE', detail }
  if (!TLS_FAILURE.test(detail)) return undefined
  return { problem: 'TLS', detail: detail.includes(' ') ? 'no TLS on the server' : detail }
}

/** A failure as a StorageError. The cause has only the code: messages may quote values or the connection string. */
export function toPostgresStorageError(error: unknown, where: string): StorageError {
  if (error instanceof StorageError) return error
  const connection = connectionProblemOf(error)
  if (connection !== undefined) {
    return new StorageError(connection.problem, where, { detail: connection.detail })
  }
  const code = codeOf(error)
  const problem = PROBLEM_OF_STATE.get(code ?? '') ?? 'IO'
  return new StorageError(problem, where, { cause: new Error(code ?? 'connection lost') })
}

/** SQLSTATE class 40: the transaction was rolled back and may be run again. */
export function isSerializationFailure(error: unknown): boolean {
  return codeOf(error)?.startsWith('40') === true
}

/** SQLSTATE class 57P: the server is shutting down, crashed or is starting. */
export function isServerEnding(error: unknown): boolean {
  return codeOf(error)?.startsWith('57P') === true
}
