/** A fixed window that requests are counted in. It starts with the first counted request and is never extended. */
export interface CountedWindow {
  /** The subject of a count, such as `register:<actor>`; never an address. */
  readonly key: string
  /** The maximum number of requests in one window. */
  readonly limit: number
  readonly windowSeconds: number
}

/** The state of a window after a request was counted or refused. */
export interface WindowState {
  readonly remaining: number
  readonly endsAtMs: number
}

export interface CountOutcome {
  readonly isAdmitted: boolean
  /** One for each window passed in, in the same order. */
  readonly windows: readonly WindowState[]
}

/** A secret of `Counters.secret` as its caller received it. */
export interface NamedSecret {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * Short-lived state that all processes of a deployment share. Each call is atomic, also between processes. A call may
 * reject with CountersError. In that case nothing was counted or spent, unless only the response was late.
 */
export interface Counters {
  /**
   * Counts a request in every window, or in none if one of them is full, so that a refused request uses up no other
   * limit. A key takes memory only while a window with an admitted request is open.
   */
  count(windows: readonly CountedWindow[]): Promise<CountOutcome>
  /**
   * Stores an id until the given time (milliseconds since the epoch); false if it is already stored. Ids are dropped
   * only at that time, never to free memory. With `secret`, also false if the counters that would store the id have
   * another secret of this name. A data loss of spent ids thus invalidates their challenges.
   */
  spend(id: string, untilMs: number, secret?: NamedSecret): Promise<boolean>
  /** Deletes a spent id after the action for which it was spent has failed. */
  release(id: string): Promise<void>
  /**
   * A random secret of 32 bytes, created by the first call with its name and returned by every later one until the given
   * time. It is stored with the spent ids, so that losing them loses the secret too.
   */
  secret(name: string, untilMs: number): Promise<Uint8Array>
}

export class CountersError extends Error {
  override readonly name = 'CountersError'
}
