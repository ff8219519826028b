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
  /** Requests left in the window. */
  readonly remaining: number
  /** The end of the window in milliseconds since the epoch. */
  readonly endsAtMs: number
}

/** The result of counting a request. */
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
 * reject with CountersError. Usually nothing was counted or spent then; if only the response was late, something was, which
 * errs on the side of refusing.
 */
export interface Counters {
  /**
   * Counts a request in every window, or in none if one of them is full: a request that one limit refuses does not use up
   * another. A key takes memory only from an admitted request until its window ends.
   */
  count(windows: readonly CountedWindow[]): Promise<CountOutcome>
  /**
   * Stores an id until the given time (milliseconds since the epoch); false if it is already stored. Ids are dropped at
   * their time only, never to free memory. With a secret also false if the secret of this name is another one by now, in
   * the place where the id would be stored: whatever loses spent ids must lose the secret of their challenges.
   */
  spend(id: string, untilMs: number, secret?: NamedSecret): Promise<boolean>
  /** Deletes a spent id, when the action it was spent on did not happen. */
  release(id: string): Promise<void>
  /**
   * A random secret of 32 bytes, created by the first call with its name and returned by every later one until the given
   * time. It is stored with the spent ids, so that losing them loses the secret too.
   */
  secret(name: string, untilMs: number): Promise<Uint8Array>
}

/** The counters could not be reached. */
export class CountersError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CountersError'
  }
}
