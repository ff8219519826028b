import { messageOf } from '@public-api/contract/errors/error-message'
import { propertyOf } from '@public-api/contract/json/property-of'
import { StorageError, type StorageFailure } from '../stores/storage-error.ts'

/** SQLSTATE codes with a special meaning (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const FAILURE_OF_STATE: ReadonlyMap<string, StorageFailure> = new Map([
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
  const code = propertyOf(error, 'code')
  return typeof code === 'string' ? code : undefined
}

/** Codes of node:tls and OpenSSL, and the driver's message when the server has no TLS. */
const TLS_FAILURE = /CERT|ISSUER|SIGNATURE|^ERR_(?:TLS|SSL|OSSL)|does not support SSL/

/** A failure as a StorageError. The cause has only the code: messages may quote values or the connection string. */
export function toPostgresStorageError(error: unknown, where: string): StorageError {
  if (error instanceof StorageError) return error
  const code = codeOf(error)
  const detail = code ?? messageOf(error)
  const syscall = propertyOf(error, 'syscall')
  // The driver opens files only for TLS. A folder is opened and cannot be read.
  if (syscall === 'open' || code === 'EISDIR')
    return new StorageError('TLS_FILE', where, { detail })
  if (syscall === 'connect' || syscall === 'getaddrinfo') {
    return new StorageError('UNREACHABLE', where, { detail })
  }
  if (TLS_FAILURE.test(detail)) {
    return new StorageError('TLS', where, { detail: code ?? 'no TLS on the server' })
  }
  const failure = FAILURE_OF_STATE.get(code ?? '') ?? 'IO'
  return new StorageError(failure, where, { cause: new Error(code ?? 'connection lost') })
}

/** SQLSTATE class 57P: the server is shutting down, crashed or is starting. */
export function isServerEnding(error: unknown): boolean {
  return codeOf(error)?.startsWith('57P') === true
}
