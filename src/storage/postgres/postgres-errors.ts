import { StorageError, type StorageProblem } from '../storage-error.ts'

/** SQLSTATE codes with a meaning of their own (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
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

/**
 * A failure of the driver or the server as a StorageError. The cause carries the code alone: a server's message and detail
 * may quote values, and a driver's may quote the connection string.
 */
export function postgresErrorOf(error: unknown, where: string): StorageError {
  if (error instanceof StorageError) return error
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
