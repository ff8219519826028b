import type { TestContext } from 'node:test'

/** A store that is open. */
export interface OpenedStore<Store> {
  readonly store: Store
  /** Opens one more store on the same data, as another process would. */
  openAgain(): Promise<Store>
}

/** One way to keep the data of a store. */
export interface StorageBackend<Store> {
  readonly name: string
  /** Why it cannot be tried on this machine. */
  readonly skip?: string
  /** Opens an empty store. What was opened is closed, and its data removed, when the test ends. */
  open(t: TestContext): Promise<OpenedStore<Store>>
}
