import type { Stores } from './storage.ts'
import type { Statement, StoreSteps } from './store-steps.ts'

/** The effect of a method on the database. `replace` and `erase` leave old content in the files of the database. */
type CallEffect = 'read' | 'write' | 'replace' | 'erase'

/** The effect of each method by its name; all others write. A read is one statement. */
const EFFECTS: { readonly [name: string]: CallEffect } = {
  count: 'read',
  find: 'read',
  readAfter: 'read',
  erase: 'erase',
  expire: 'erase',
  reseal: 'replace',
}

/** One call as a value, for a queue or another thread. */
export interface StoreCall {
  readonly store: keyof Stores
  readonly name: string
  readonly args: readonly unknown[]
}

export function effectOf({ name }: StoreCall): CallEffect {
  return EFFECTS[name] ?? 'write'
}

type AnySteps = Generator<Statement, unknown, readonly object[]>

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

/** The stores over `send`, which resolves with the result of a call. */
export function createStores(
  steps: StoreSteps,
  send: (call: StoreCall) => Promise<unknown>,
): Stores {
  const createStore = (store: keyof Stores) =>
    Object.fromEntries(
      Object.keys(steps[store]).map((name) => [
        name,
        (...args: readonly unknown[]) => send({ store, name, args: args.map(detach) }),
      ]),
    )
  return {
    waitlist: createStore('waitlist') as unknown as Stores['waitlist'],
    apiKeys: createStore('apiKeys') as unknown as Stores['apiKeys'],
  }
}
