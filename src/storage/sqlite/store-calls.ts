import type { Stores } from '../stores/storage.ts'

/**
 * The effect of a method on the database. `replace` and `erase` leave old content in the write-ahead log; `erase` is
 * refused while a reader would keep it there.
 */
export type CallEffect = 'read' | 'write' | 'replace' | 'erase'

/** The stores, and what a storage asks of its session. */
export interface SessionCalls extends Stores {
  readonly session: {
    /** Reads from the database. */
    ping(): Promise<void>
  }
}

/** Every method with its effect. The dispatcher is derived from this table. */
const EFFECTS = {
  session: { ping: 'read' },
  waitlist: {
    testWrite: 'write',
    add: 'write',
    count: 'read',
    readAfter: 'read',
    find: 'read',
    erase: 'erase',
    expire: 'erase',
    reseal: 'replace',
  },
  apiKeys: {
    find: 'read',
    add: 'write',
    revoke: 'write',
    rehash: 'write',
    count: 'read',
    readAfter: 'read',
    purge: 'write',
  },
} as const satisfies {
  readonly [Store in keyof SessionCalls]: {
    readonly [Name in keyof SessionCalls[Store]]: CallEffect
  }
}

/** The methods of a store as they run inside a transaction. */
export type StoreStatements<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never
}

/** The statements of all stores on one connection. */
export type Statements = {
  readonly [Store in keyof SessionCalls]: StoreStatements<SessionCalls[Store]>
}

/** One call as a value, for a queue or another thread. */
export interface StoreCall {
  readonly store: keyof SessionCalls
  readonly name: string
  readonly args: readonly unknown[]
}

type Methods = { readonly [name: string]: (...args: readonly unknown[]) => unknown }

export function effectOf({ store, name }: StoreCall): CallEffect {
  const effects: { readonly [name: string]: CallEffect } = EFFECTS[store]
  return effects[name] ?? 'write'
}

/** Runs a call on the statements of an open transaction. */
export function performCall(statements: Statements, { store, name, args }: StoreCall): unknown {
  // Only createStores makes calls, and its types check the arguments.
  return (statements[store] as unknown as Methods)[name]?.(...args)
}

/** Copies byte arrays. Sending a view to a thread would send its whole buffer, maybe a pool with data of other people. */
function detach(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (Array.isArray(value)) return value.map(detach)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, detach(each)]))
}

/** The stores over `send`, which resolves with what `performCall` returns. */
export function createStores(send: (call: StoreCall) => Promise<unknown>): SessionCalls {
  const createStore = (store: keyof SessionCalls): Methods =>
    Object.fromEntries(
      Object.keys(EFFECTS[store]).map((name) => [
        name,
        (...args: readonly unknown[]) => send({ store, name, args: args.map(detach) }),
      ]),
    )
  return {
    session: createStore('session') as unknown as SessionCalls['session'],
    waitlist: createStore('waitlist') as unknown as Stores['waitlist'],
    apiKeys: createStore('apiKeys') as unknown as Stores['apiKeys'],
  }
}
