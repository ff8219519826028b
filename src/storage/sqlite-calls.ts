import type { DatabaseSync } from 'node:sqlite'

import { prepareApiKeys, type ApiKeyStatements } from './sqlite-api-keys.ts'
import { prepareWaitlist, type WaitlistStatements } from './sqlite-waitlist.ts'

/** All statements of one connection. */
export interface StoreStatements {
  readonly waitlist: WaitlistStatements
  readonly apiKeys: ApiKeyStatements
}

/** Prepares every statement on one connection. */
export function prepareStatements(database: DatabaseSync): StoreStatements {
  return { waitlist: prepareWaitlist(database), apiKeys: prepareApiKeys(database) }
}

/** One call of a store as a value, so that it can wait in a queue and cross over to another thread. */
type CallOf<Store extends keyof StoreStatements> = {
  readonly [Name in keyof StoreStatements[Store]]: {
    readonly store: Store
    readonly name: Name
    readonly args: StoreStatements[Store][Name] extends (...args: infer Args) => unknown
      ? Args
      : never
  }
}[keyof StoreStatements[Store]]

export type WaitlistCall = CallOf<'waitlist'>
export type ApiKeyCall = CallOf<'apiKeys'>
export type StoreCall = WaitlistCall | ApiKeyCall

const READING: ReadonlySet<StoreCall['name']> = new Set(['count', 'readAfter', 'find'])

/** Whether a call leaves everything as it is. */
export function isReading({ name }: StoreCall): boolean {
  return READING.has(name)
}

/** Whether a call takes a person's data away, which then must not stand in the write-ahead log (WAL) either. */
export function isErasing({ store, name }: StoreCall): boolean {
  return store === 'waitlist' && name === 'erase'
}

/** Whether a call may leave something in the WAL that is not in the database any more. */
export function isTakingAway(call: StoreCall): boolean {
  return isErasing(call) || (call.store === 'waitlist' && call.name === 'reseal')
}

function performWaitlistCall(statements: WaitlistStatements, call: WaitlistCall): unknown {
  switch (call.name) {
    case 'add':
      return statements.add(...call.args)
    case 'count':
      return statements.count()
    case 'readAfter':
      return statements.readAfter(...call.args)
    case 'find':
      return statements.find(...call.args)
    case 'erase':
      return statements.erase(...call.args)
    case 'reseal':
      return statements.reseal(...call.args)
  }
}

function performApiKeyCall(statements: ApiKeyStatements, call: ApiKeyCall): unknown {
  switch (call.name) {
    case 'find':
      return statements.find(...call.args)
    case 'add':
      return statements.add(...call.args)
    case 'revoke':
      return statements.revoke(...call.args)
    case 'rehash':
      return statements.rehash(...call.args)
    case 'count':
      return statements.count(...call.args)
    case 'readAfter':
      return statements.readAfter(...call.args)
    case 'purge':
      return statements.purge(...call.args)
  }
}

/** Runs one call in the transaction that is open. */
export function performCall({ waitlist, apiKeys }: StoreStatements, call: StoreCall): unknown {
  return call.store === 'waitlist'
    ? performWaitlistCall(waitlist, call)
    : performApiKeyCall(apiKeys, call)
}
