import type { ApiKeyStore } from './api-key-store.ts'
import type { Stores } from './storage.ts'
import type { SqlStatement, StoreSteps } from './store-steps.ts'
import type { WaitlistStore } from './waitlist-store.ts'

/** The effect of a method on the database. A `read` is one statement. `replace` and `erase` leave old content in its files. */
type CallEffect = 'read' | 'write' | 'replace' | 'erase'

/** One call as a value, for a queue or another thread. */
export interface StoreCall {
  readonly store: keyof Stores
  readonly name: string
  readonly effect: CallEffect
  readonly args: readonly unknown[]
}

type AnySteps = Generator<SqlStatement, unknown, readonly object[]>

/** The steps of a call. */
export function stepsOf(steps: StoreSteps, { store, name, args }: StoreCall): AnySteps {
  const methods = steps[store] as unknown as {
    readonly [name: string]: (...args: readonly unknown[]) => AnySteps
  }
  const method = methods[name]
  if (method === undefined) throw new Error(`The store ${store} has no method ${name}`)
  // Only createStores makes calls, and its types check the arguments.
  return method(...args)
}

/** Copies byte arrays. Sending a view to a thread would send its whole buffer, maybe a pool with data of other people. */
function detach(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (Array.isArray(value)) return value.map(detach)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, detach(each)]))
}

/**
 * The stores over `send`, which resolves with the result of a call. A method runs the steps of its name in
 * store-steps.ts.
 */
export function createStores(send: (call: StoreCall) => Promise<unknown>): Stores {
  const waitlist = <Name extends keyof WaitlistStore>(name: Name, effect: CallEffect) =>
    method('waitlist', name, effect) as WaitlistStore[Name]
  const apiKeys = <Name extends keyof ApiKeyStore>(name: Name, effect: CallEffect) =>
    method('apiKeys', name, effect) as ApiKeyStore[Name]
  function method(store: keyof Stores, name: string, effect: CallEffect) {
    return (...args: readonly unknown[]) => send({ store, name, effect, args: args.map(detach) })
  }
  return {
    waitlist: {
      testWrite: waitlist('testWrite', 'write'),
      add: waitlist('add', 'write'),
      count: waitlist('count', 'read'),
      readAfter: waitlist('readAfter', 'read'),
      find: waitlist('find', 'read'),
      erase: waitlist('erase', 'erase'),
      expire: waitlist('expire', 'erase'),
      reseal: waitlist('reseal', 'replace'),
    },
    apiKeys: {
      find: apiKeys('find', 'read'),
      add: apiKeys('add', 'write'),
      revoke: apiKeys('revoke', 'write'),
      rehash: apiKeys('rehash', 'write'),
      count: apiKeys('count', 'read'),
      readAfter: apiKeys('readAfter', 'read'),
      purge: apiKeys('purge', 'write'),
    },
  }
}
