import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqliteResultOf, toStorageError } from '../../../src/storage/sqlite/sqlite-connection.ts'
import { StorageError, type StorageFailure } from '../../../src/storage/stores/storage-error.ts'

/** An error as node:sqlite throws it. */
function sqliteError(errcode: number): Error {
  return Object.assign(new Error('as SQLite says it'), { code: 'ERR_SQLITE_ERROR', errcode })
}

/** Result codes by name (https://sqlite.org/rescode.html), and what each means to a caller. */
const RESULTS: readonly (readonly [name: string, errcode: number, problem: StorageFailure])[] = [
  ['SQLITE_ERROR', 1, 'IO'],
  ['SQLITE_PERM', 3, 'IO'],
  ['SQLITE_ABORT', 4, 'IO'],
  ['SQLITE_BUSY', 5, 'LOCKED'],
  ['SQLITE_BUSY_RECOVERY', 261, 'LOCKED'],
  ['SQLITE_BUSY_SNAPSHOT', 517, 'LOCKED'],
  ['SQLITE_LOCKED', 6, 'LOCKED'],
  ['SQLITE_LOCKED_SHAREDCACHE', 262, 'LOCKED'],
  ['SQLITE_NOMEM', 7, 'IO'],
  ['SQLITE_READONLY', 8, 'IO'],
  ['SQLITE_IOERR', 10, 'IO'],
  ['SQLITE_IOERR_READ', 266, 'IO'],
  ['SQLITE_IOERR_WRITE', 778, 'FULL'],
  ['SQLITE_IOERR_FSYNC', 1034, 'IO'],
  ['SQLITE_IOERR_SHMSIZE', 4874, 'FULL'],
  ['SQLITE_CORRUPT', 11, 'NOT_A_DATABASE'],
  ['SQLITE_CORRUPT_INDEX', 779, 'NOT_A_DATABASE'],
  ['SQLITE_NOTFOUND', 12, 'IO'],
  ['SQLITE_FULL', 13, 'FULL'],
  ['SQLITE_CANTOPEN', 14, 'IO'],
  ['SQLITE_PROTOCOL', 15, 'LOCKED'],
  ['SQLITE_CONSTRAINT_UNIQUE', 2067, 'IO'],
  ['SQLITE_NOTADB', 26, 'NOT_A_DATABASE'],
  ['SQLITE_NOTICE', 27, 'IO'],
]

test('each result code of SQLite maps to its documented problem', () => {
  for (const [name, errcode, problem] of RESULTS) {
    const failure = toStorageError(sqliteError(errcode), '/data/service.db')
    assert.deepEqual([failure.code, failure instanceof StorageError], [problem, true], name)
    assert.match(failure.message, /\/data\/service\.db/, name)
    assert.equal(sqliteResultOf(sqliteError(errcode)), errcode & 0xff, name)
  }
})

test('recognizes a full disk by any message of the system', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG']) {
    const error = Object.assign(new Error(code), { code })
    assert.equal(toStorageError(error, 'file').code, 'FULL', code)
  }
  for (const code of ['EACCES', 'EIO', 'ENOENT', 13]) {
    const error = Object.assign(new Error('another'), { code })
    assert.equal(toStorageError(error, 'file').code, 'IO', String(code))
  }
})

test('other errors have no SQLite result and become IO', () => {
  for (const thrown of [
    new Error('a defect'),
    Object.assign(new Error('a text for a number'), { errcode: '5' }),
    { errcode: 5 },
    'BUSY',
    undefined,
    null,
  ]) {
    assert.equal(sqliteResultOf(thrown), undefined)
    assert.equal(toStorageError(thrown, 'file').code, 'IO')
  }
})

test('passes on a storage error unchanged, and another error by its message only', () => {
  const own = new StorageError('NEWER', 'file')
  assert.equal(toStorageError(own, 'another'), own)
  const { cause } = toStorageError(Object.assign(sqliteError(5), { row: 'what is kept' }), 'file')
  assert.ok(cause instanceof Error)
  assert.equal(cause.message, 'as SQLite says it')
  assert.ok(!('row' in cause))
})
